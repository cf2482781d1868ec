#include "markers.h"

static bool is_of_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

// Whether `(`, something that is not blank, and `)` follow.
static bool has_reference(text rest) {
    if (rest.len == 0 || rest.ptr[0] != '(') {
        return false;
    }
    for (size_t at = 1; at < rest.len; at++) {
        if (rest.ptr[at] == ')') {
            return text_trim((text){rest.ptr + 1, at - 1}).len > 0;
        }
    }
    return false;
}

static bool stands_alone(text line, size_t at, size_t length) {
    bool begins = at == 0 || !is_of_word(line.ptr[at - 1]);
    bool ends = at + length == line.len || !is_of_word(line.ptr[at + length]);
    return begins && ends;
}

text unreferenced(text line, const text *markers, size_t count) {
    for (size_t at = 0; at < line.len; at++) {
        text rest = {line.ptr + at, line.len - at};
        for (size_t which = 0; which < count; which++) {
            text marker = markers[which];
            if (marker.len > 0 && text_starts_with(rest, marker) && stands_alone(line, at, marker.len) &&
                !has_reference((text){rest.ptr + marker.len, rest.len - marker.len})) {
                return marker;
            }
        }
    }
    return TEXT("");
}

void look(findings *so_far, text path, uint64_t number, text line, const text *markers, size_t count) {
    so_far->lines++;
    text marker = unreferenced(line, markers, count);
    if (marker.len == 0) {
        return;
    }
    so_far->found++;
    if (so_far->found <= TOLD) {
        put(&so_far->words, TEXT("\n"));
        put(&so_far->words, path);
        put(&so_far->words, TEXT(":"));
        put_number(&so_far->words, number);
        put(&so_far->words, TEXT(" "));
        put(&so_far->words, marker);
    }
}
