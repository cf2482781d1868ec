#include <stdio.h>
#include <string.h>

#include "changelog.h"

static int failures = 0;

static void expect(const char *what, buffer *got, const char *wanted) {
    if (got->len != strlen(wanted) || memcmp(got->ptr, wanted, got->len) != 0) {
        printf("%s:\n--- got\n%.*s\n--- wanted\n%s\n", what, (int)got->len, got->ptr ? got->ptr : "", wanted);
        failures++;
    }
}

static void adds(const char *what, const char *old, const char *entry, const char *wanted) {
    buffer out = {0};
    bool added = add_entry((text){old, strlen(old)}, TEXT("## Unreleased"), (text){entry, strlen(entry)}, &out);
    expect(what, &out, wanted);
    if (added != (wanted[0] != '\0')) {
        printf("%s: the answer is %d\n", what, added);
        failures++;
    }
}

int main(void) {
    buffer entry = {0};
    make_entry(TEXT("\n  Greet the world \nand more"), &entry);
    expect("the first line of a task is the entry", &entry, "- Greet the world");
    if (make_entry(TEXT(" \n\n"), &entry)) {
        printf("a blank task makes no entry\n");
        failures++;
    }

    adds("a changelog is begun", "", "- a", "# Changelog\n\n## Unreleased\n\n- a\n");
    adds("an entry goes on top of its section", "# Changelog\n\n## Unreleased\n\n- a\n\n## 1.0\n\n- b\n", "- b",
         "# Changelog\n\n## Unreleased\n\n- b\n- a\n\n## 1.0\n\n- b\n");
    adds("an entry is not added twice", "## Unreleased\n\n- b\n- a\n", "- a", "");
    adds("a heading is added below the title", "# Changelog\n\n## 1.0\n", "- a",
         "# Changelog\n\n## Unreleased\n\n- a\n\n## 1.0\n");
    adds("line endings stay as they are", "# Changelog\r\n\r\n## Unreleased\r\n", "- a",
         "# Changelog\r\n\r\n## Unreleased\r\n\r\n- a\r\n");

    printf("%s\n", failures == 0 ? "all tests passed" : "tests failed");
    return failures == 0 ? 0 : 1;
}
