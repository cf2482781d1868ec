// What a line leaves to do. It touches nothing, so it can be tested anywhere.
#ifndef MARKERS_H
#define MARKERS_H

#include "text.h"

// What was found so far.
typedef struct {
    // Added lines that were looked at.
    uint64_t lines;
    // Markers without a reference, and the first of them in words, a line each.
    uint64_t found;
    buffer words;
} findings;

// So many are told one by one.
enum { TOLD = 20 };

// The first of the markers in a line that stands as a word of its own and is not followed by `(…)`; empty if there is none.
text unreferenced(text line, const text *markers, size_t count);

// Looks at an added line.
void look(findings *so_far, text path, uint64_t number, text line, const text *markers, size_t count);

#endif
