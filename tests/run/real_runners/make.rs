//! `make test`: a program in C, and a library that is installed beside it.

use super::{Project, prove, works};

fn project() -> Project {
    Project {
        mistake: ("half.c", "    return floor(x / 3.0);", "    return floor(x / 2.0);"),
        prints: (&["half.c: half(5) is 1", "Error 1"], &["2 tests passed"]),
        ..Project::of(
            "make test",
            "build/\n",
            &[
                (
                    "Makefile",
                    "build/test: half.c test.c half.h\n\tmkdir -p build\n\tcc -Wall -o $@ half.c test.c -lm\n\n\
                     .PHONY: test\ntest: build/test\n\t./build/test\n",
                ),
                ("half.h", "double half(double x);\n"),
                (
                    "half.c",
                    "#include <math.h>\n#include \"half.h\"\n\ndouble half(double x)\n{\n    return floor(x / 3.0);\n}\n",
                ),
                (
                    "test.c",
                    "#include <stdio.h>\n#include \"half.h\"\n\nint main(void)\n{\n    double found = half(5);\n    \
                     if (found != 2 || half(8) != 4) {\n        printf(\"half.c: half(5) is %g\\n\", found);\n        return 1;\n    }\n    \
                     puts(\"2 tests passed\");\n    return 0;\n}\n",
                ),
            ],
        )
    }
}

#[test]
fn make_builds_and_tests_a_program() {
    if works("make", &["--version"]) && works("cc", &["--version"]) {
        prove(project);
    }
}
