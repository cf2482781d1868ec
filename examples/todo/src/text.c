#include "text.h"

#include <stdlib.h>
#include <string.h>

bool text_equals(text one, text other) {
    return one.len == other.len && memcmp(one.ptr, other.ptr, one.len) == 0;
}

bool text_starts_with(text whole, text start) {
    return whole.len >= start.len && memcmp(whole.ptr, start.ptr, start.len) == 0;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

text text_trim_end(text whole) {
    while (whole.len > 0 && is_blank(whole.ptr[whole.len - 1])) {
        whole.len--;
    }
    return whole;
}

text text_trim(text whole) {
    while (whole.len > 0 && is_blank(whole.ptr[0])) {
        whole.ptr++;
        whole.len--;
    }
    return text_trim_end(whole);
}

int text_compare(text one, text other) {
    int order = memcmp(one.ptr, other.ptr, one.len < other.len ? one.len : other.len);
    return order != 0 ? order : (one.len > other.len) - (one.len < other.len);
}

bool next_line(text *rest, text *line) {
    if (rest->len == 0) {
        return false;
    }
    const char *end = memchr(rest->ptr, '\n', rest->len);
    size_t length = end ? (size_t)(end - rest->ptr) : rest->len;
    size_t taken = end ? length + 1 : length;
    *line = (text){rest->ptr, length};
    if (end && length > 0 && line->ptr[length - 1] == '\r') {
        line->len--;
    }
    rest->ptr += taken;
    rest->len -= taken;
    return true;
}

void put(buffer *out, text more) {
    if (more.len > out->capacity - out->len) {
        out->capacity = 2 * out->capacity + more.len;
        out->ptr = realloc(out->ptr, out->capacity);
        if (!out->ptr) {
            abort();
        }
    }
    if (more.len > 0) {
        memcpy(out->ptr + out->len, more.ptr, more.len);
        out->len += more.len;
    }
}

void put_number(buffer *out, uint64_t number) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(out, (text){digits + at, sizeof digits - at});
}

text buffer_text(const buffer *whole) {
    return (text){whole->ptr, whole->len};
}

void *allocate(size_t size) {
    void *fresh = malloc(size > 0 ? size : 1);
    if (!fresh) {
        abort();
    }
    return fresh;
}
