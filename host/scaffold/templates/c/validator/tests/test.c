#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

#define CHANGED(name, lines) {.path = TEXT(name), .added = (lines)}
#define COUNT(array) (sizeof(array) / sizeof *(array))

static int failures = 0;

static void expect(
    const char *what, const changed *change, size_t changes, bool strict, severity wanted, const char *words) {
    text exempt = TEXT("docs");
    judgement got = judge(change, changes, TEXT("CHANGELOG.md"), &exempt, 1, strict);
    if (got.severity != wanted || got.words.len != strlen(words) || memcmp(got.words.ptr, words, got.words.len) != 0) {
        printf("%s:\n--- got %d\n%.*s\n--- wanted %d\n%s\n", what, got.severity, (int)got.words.len, got.words.ptr,
               wanted, words);
        failures++;
    }
    free(got.words.ptr);
    free(got.needing);
}

int main(void) {
    changed sources[] = {CHANGED("src/b.c", 1), CHANGED("src/a.c", 1)};
    expect("sources without an entry are stopped", sources, COUNT(sources), true, BLOCKER,
           "src/a.c and 1 more changed, and CHANGELOG.md has no new entry.");
    expect("or warned of", sources, COUNT(sources), false, WARN,
           "src/a.c and 1 more changed, and CHANGELOG.md has no new entry.");

    changed with_entry[] = {CHANGED("CHANGELOG.md", 1), CHANGED("src/a.c", 1)};
    expect("sources with an entry pass", with_entry, COUNT(with_entry), true, PASS,
           "CHANGELOG.md has a new entry for 1 changed path.");

    changed without_lines[] = {CHANGED("CHANGELOG.md", 0), CHANGED("src/a.c", 1)};
    expect("a changelog that only loses lines is no entry", without_lines, COUNT(without_lines), true, BLOCKER,
           "src/a.c changed, and CHANGELOG.md has no new entry.");

    changed exempt[] = {CHANGED("docs/a.md", 1)};
    expect("what needs no entry is skipped", exempt, COUNT(exempt), true, PASS,
           "nothing in the change needs an entry in CHANGELOG.md");
    changed beside[] = {CHANGED("docs2/a.md", 1)};
    expect("a folder's name is whole", beside, COUNT(beside), true, BLOCKER,
           "docs2/a.md changed, and CHANGELOG.md has no new entry.");

    changed moved = {.path = TEXT("docs/a"), .old_path = TEXT("src/a"), .added = 0};
    expect("a rename has two paths", &moved, 1, true, BLOCKER,
           "src/a changed, and CHANGELOG.md has no new entry.");

    printf("%s\n", failures == 0 ? "all tests passed" : "tests failed");
    return failures == 0 ? 0 : 1;
}
