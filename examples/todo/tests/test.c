#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "markers.h"

static const text MARKERS[] = {{"TODO", 4}, {"XXX", 3}};
static int failures = 0;

static void finds(const char *line, const char *wanted) {
    text found = unreferenced((text){line, strlen(line)}, MARKERS, 2);
    if (found.len != strlen(wanted) || memcmp(found.ptr, wanted, found.len) != 0) {
        printf("`%s`: got `%.*s`, wanted `%s`\n", line, (int)found.len, found.ptr, wanted);
        failures++;
    }
}

int main(void) {
    finds("// TODO: later", "TODO");
    finds("TODO", "TODO");
    finds("x = 1  # XXX", "XXX");
    finds("", "");
    finds("// nothing to do", "");
    // In exactly these letters, and as a word of its own.
    finds("// todo", "");
    finds("TODOS, MY_TODO, TODO_LIST, XXXX", "");
    // With a reference.
    finds("// TODO(#123): later", "");
    finds("// TODO(anna)", "");
    finds("// TODO(): later", "TODO");
    finds("// TODO(  ): later", "TODO");
    finds("// TODO(#123", "TODO");
    finds("// TODO (#123)", "TODO");
    // A second one in the line.
    finds("// TODO(#1) and TODO", "TODO");
    finds("// TODO(#1) and XXX(#2)", "");

    findings seen = {0};
    for (uint64_t number = 1; number <= 25; number++) {
        look(&seen, TEXT("a.c"), number, number % 5 == 0 ? TEXT("fine") : TEXT("// XXX"), MARKERS, 2);
    }
    const char *begin = "\na.c:1 XXX\na.c:2 XXX\n";
    if (seen.lines != 25 || seen.found != 20 || memcmp(seen.words.ptr, begin, strlen(begin)) != 0) {
        printf("lines %d, found %d, words %.*s\n", (int)seen.lines, (int)seen.found, (int)seen.words.len, seen.words.ptr);
        failures++;
    }
    free(seen.words.ptr);

    printf("%s\n", failures == 0 ? "all tests passed" : "tests failed");
    return failures == 0 ? 0 : 1;
}
