// Text that is part of other text, text that grows, and lines.
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Not ended by a NUL, and not owned.
typedef struct {
    const char *ptr;
    size_t len;
} text;

#define TEXT(literal) ((text){(literal), sizeof(literal) - 1})

bool text_equals(text one, text other);
bool text_starts_with(text whole, text start);
// Without blanks at both ends, or at the end only.
text text_trim(text whole);
text text_trim_end(text whole);
// Less than, equal to, or greater than 0, by bytes.
int text_compare(text one, text other);

// Takes the next line off `rest`, without its LF or CRLF; false if there is none.
bool next_line(text *rest, text *line);

// Grows as needed; its owner frees `ptr`.
typedef struct {
    char *ptr;
    size_t len, capacity;
} buffer;

void put(buffer *out, text more);
void put_number(buffer *out, uint64_t number);
text buffer_text(const buffer *whole);

// `malloc`, but for lack of memory it ends the plugin.
void *allocate(size_t size);

#endif
