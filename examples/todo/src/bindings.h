// From the generated types to ours and back. Only `plugin.c` includes this.
#ifndef BINDINGS_H
#define BINDINGS_H

#include <stdlib.h>
#include <string.h>

#include "plugin.h"
#include "text.h"

// What is handed over belongs to the plugin for as long as the call lasts.
static inline text from(plugin_string_t string) {
    return (text){(const char *)string.ptr, string.len};
}

// What is returned is freed by the bindings when the host has read it, so it is always a copy.
static inline plugin_string_t owned(text whole) {
    plugin_string_t string = {allocate(whole.len), whole.len};
    memcpy(string.ptr, whole.ptr, whole.len);
    return string;
}

// What is passed to the host is only looked at.
static inline plugin_string_t lent(text whole) {
    return (plugin_string_t){(uint8_t *)(uintptr_t)whole.ptr, whole.len};
}

static inline snodo_plugin_types_setting_declaration_t declared(
    text name, text meaning, snodo_plugin_types_setting_value_t value) {
    // The tags of types and of values have the same order.
    return (snodo_plugin_types_setting_declaration_t){
        .name = owned(name),
        .value_type = value.tag,
        .default_ = {.is_some = true, .val = value},
        .meaning = owned(meaning),
    };
}

static inline snodo_plugin_types_setting_value_t text_value(text value) {
    return (snodo_plugin_types_setting_value_t){
        .tag = SNODO_PLUGIN_TYPES_SETTING_VALUE_TEXT, .val = {.text = owned(value)}};
}

static inline snodo_plugin_types_setting_value_t boolean_value(bool value) {
    return (snodo_plugin_types_setting_value_t){
        .tag = SNODO_PLUGIN_TYPES_SETTING_VALUE_BOOLEAN, .val = {.boolean = value}};
}

static inline snodo_plugin_types_setting_value_t texts_value(const text *values, size_t count) {
    plugin_list_string_t list = {allocate(count * sizeof *list.ptr), count};
    for (size_t at = 0; at < count; at++) {
        list.ptr[at] = owned(values[at]);
    }
    return (snodo_plugin_types_setting_value_t){
        .tag = SNODO_PLUGIN_TYPES_SETTING_VALUE_TEXT_LIST, .val = {.text_list = list}};
}

// The host gives every setting that `describe` declares, of the type that it declares: another one is a mistake of ours.
static inline const snodo_plugin_types_setting_value_t *setting(
    const snodo_plugin_types_context_t *context, text name, uint8_t tag) {
    for (size_t at = 0; at < context->settings.len; at++) {
        const snodo_plugin_types_setting_t *found = &context->settings.ptr[at];
        if (text_equals(from(found->name), name) && found->value.tag == tag) {
            return &found->value;
        }
    }
    abort();
}

static inline text text_setting(const snodo_plugin_types_context_t *context, text name) {
    return from(setting(context, name, SNODO_PLUGIN_TYPES_SETTING_VALUE_TEXT)->val.text);
}

static inline bool boolean_setting(const snodo_plugin_types_context_t *context, text name) {
    return setting(context, name, SNODO_PLUGIN_TYPES_SETTING_VALUE_BOOLEAN)->val.boolean;
}

static inline plugin_list_string_t texts_setting(const snodo_plugin_types_context_t *context, text name) {
    return setting(context, name, SNODO_PLUGIN_TYPES_SETTING_VALUE_TEXT_LIST)->val.text_list;
}

#endif
