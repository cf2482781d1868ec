#include "judge.h"

#include <stdlib.h>

// Whether a path is this folder or below it.
static bool is_below(text path, text folder) {
    while (folder.len > 0 && folder.ptr[folder.len - 1] == '/') {
        folder.len--;
    }
    return text_starts_with(path, folder) && (path.len == folder.len || path.ptr[folder.len] == '/');
}

static bool needs_entry(text path, text changelog, const text *exempt, size_t exempts) {
    if (path.len == 0 || text_equals(path, changelog)) {
        return false;
    }
    for (size_t at = 0; at < exempts; at++) {
        if (is_below(path, exempt[at])) {
            return false;
        }
    }
    return true;
}

static int order(const void *one, const void *other) {
    return text_compare(*(const text *)one, *(const text *)other);
}

judgement judge(
    const changed *change, size_t changes, text changelog, const text *exempt, size_t exempts, bool strict) {
    judgement out = {.needing = allocate(2 * changes * sizeof *out.needing)};
    bool has_entry = false;
    size_t found = 0;
    for (size_t at = 0; at < changes; at++) {
        text paths[] = {change[at].path, change[at].old_path};
        for (size_t side = 0; side < 2; side++) {
            if (needs_entry(paths[side], changelog, exempt, exempts)) {
                out.needing[found++] = paths[side];
            }
        }
        has_entry |= text_equals(change[at].path, changelog) && !change[at].deleted && change[at].added > 0;
    }
    qsort(out.needing, found, sizeof *out.needing, order);
    for (size_t at = 0; at < found; at++) {
        if (out.count == 0 || !text_equals(out.needing[out.count - 1], out.needing[at])) {
            out.needing[out.count++] = out.needing[at];
        }
    }

    if (out.count == 0) {
        out.skipped = true;
        put(&out.words, TEXT("nothing in the change needs an entry in "));
        put(&out.words, changelog);
    } else if (has_entry) {
        put(&out.words, changelog);
        put(&out.words, TEXT(" has a new entry for "));
        put_number(&out.words, out.count);
        put(&out.words, out.count == 1 ? TEXT(" changed path.") : TEXT(" changed paths."));
    } else {
        out.severity = strict ? BLOCKER : WARN;
        put(&out.words, out.needing[0]);
        if (out.count > 1) {
            put(&out.words, TEXT(" and "));
            put_number(&out.words, out.count - 1);
            put(&out.words, TEXT(" more"));
        }
        put(&out.words, TEXT(" changed, and "));
        put(&out.words, changelog);
        put(&out.words, TEXT(" has no new entry."));
    }
    return out;
}
