#include "changelog.h"

#include <stdlib.h>

bool make_entry(text task, buffer *out) {
    text line;
    while (next_line(&task, &line)) {
        line = text_trim(line);
        if (line.len > 0) {
            put(out, TEXT("- "));
            put(out, line);
            return true;
        }
    }
    return false;
}

// The level of a Markdown heading; 0 for another line.
static size_t level(text line) {
    size_t marks = 0;
    while (marks < line.len && line.ptr[marks] == '#') {
        marks++;
    }
    return marks < line.len && line.ptr[marks] == ' ' ? marks : 0;
}

static bool has_entry(const text *lines, size_t count, text heading, text entry) {
    size_t most = level(heading) > 0 ? level(heading) : SIZE_MAX;
    for (size_t at = 0; at < count; at++) {
        if (level(lines[at]) > 0 && level(lines[at]) <= most) {
            return false;
        }
        if (text_equals(text_trim_end(lines[at]), entry)) {
            return true;
        }
    }
    return false;
}

bool add_entry(text changelog, text heading, text entry, buffer *out) {
    size_t count = 0, most = 1;
    for (size_t at = 0; at < changelog.len; at++) {
        most += changelog.ptr[at] == '\n';
    }
    text *lines = allocate(most * sizeof *lines);
    text line, line_end = TEXT("\n");
    for (text rest = changelog; next_line(&rest, &line);) {
        if (count == 0 && line.ptr + line.len + 2 == rest.ptr) {
            line_end = TEXT("\r\n");
        }
        lines[count++] = line;
    }

    size_t place = 0;
    while (place < count && !text_equals(text_trim_end(lines[place]), text_trim_end(heading))) {
        place++;
    }
    bool has_heading = place < count;
    if (has_heading) {
        place++;
        if (has_entry(lines + place, count - place, heading, entry)) {
            free(lines);
            return false;
        }
    } else if (text_trim(changelog).len == 0) {
        lines[0] = TEXT("# Changelog");
        place = count = 1;
    } else {
        place = 0;
        while (place < count && !text_starts_with(lines[place], TEXT("# "))) {
            place++;
        }
        place = place < count ? place + 1 : 0;
    }

    // One blank line before what is new and, unless a list goes on there, after it.
    size_t rest = place;
    while (rest < count && text_trim(lines[rest]).len == 0) {
        rest++;
    }
    for (size_t at = 0; at < place; at++) {
        put(out, lines[at]);
        put(out, line_end);
    }
    if (place > 0) {
        put(out, line_end);
    }
    if (!has_heading) {
        put(out, heading);
        put(out, line_end);
        put(out, line_end);
    }
    put(out, entry);
    put(out, line_end);
    if (rest < count && !text_starts_with(lines[rest], TEXT("- "))) {
        put(out, line_end);
    }
    for (size_t at = rest; at < count; at++) {
        put(out, lines[at]);
        put(out, line_end);
    }
    free(lines);
    return true;
}
