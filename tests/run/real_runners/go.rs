//! `go test`: a module, and a dependency that is vendored.

use super::{Project, prove, works};

fn project() -> Project {
    Project {
        mistake: (
            "shout.go",
            "\treturn louder.Louder(text) + \"?\"",
            "\treturn louder.Louder(text) + \"!\"",
        ),
        prints: (&["--- FAIL: TestShout", "HELLO?"], &["ok", "example.org/shout"]),
        ..Project::of(
            "go test ./...",
            "",
            &[
                (
                    "go.mod",
                    "module example.org/shout\n\ngo 1.18\n\nrequire example.org/louder v1.0.0\n",
                ),
                (
                    "vendor/modules.txt",
                    "# example.org/louder v1.0.0\n## explicit; go 1.18\nexample.org/louder\n",
                ),
                (
                    "vendor/example.org/louder/louder.go",
                    "// Package louder is installed.\npackage louder\n\nimport \"strings\"\n\n\
                     // Louder says it louder.\nfunc Louder(text string) string {\n\treturn strings.ToUpper(text)\n}\n",
                ),
                (
                    "shout.go",
                    "package shout\n\nimport \"example.org/louder\"\n\n// Shout shouts.\nfunc Shout(text string) string {\n\
                     \treturn louder.Louder(text) + \"?\"\n}\n",
                ),
                (
                    "shout_test.go",
                    "package shout\n\nimport \"testing\"\n\nfunc TestShout(t *testing.T) {\n\tif found := Shout(\"hello\"); found != \"HELLO!\" {\n\
                     \t\tt.Errorf(\"it says %s\", found)\n\t}\n}\n",
                ),
            ],
        )
    }
}

#[test]
fn go_tests_a_module_with_a_vendored_dependency() {
    if works("go", &["version"]) {
        prove(project);
    }
}
