// The judgement. It touches nothing, so it can be tested anywhere.
#ifndef JUDGE_H
#define JUDGE_H

#include "text.h"

// A changed file, as far as it matters here.
typedef struct {
    text path;
    // Where it came from, of a rename; empty otherwise.
    text old_path;
    uint64_t added;
    bool deleted;
} changed;

typedef enum { PASS, WARN, BLOCKER } severity;

typedef struct {
    severity severity;
    buffer words;
    // Nothing was there to be judged.
    bool skipped;
    // The paths that need an entry, in order; the caller frees them.
    text *needing;
    size_t count;
} judgement;

// Whether the change comes with an entry in the changelog, where it needs one.
judgement judge(
    const changed *change, size_t changes, text changelog, const text *exempt, size_t exempts, bool strict);

#endif
