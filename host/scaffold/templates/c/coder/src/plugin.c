// A coder: adds the task's first line to the changelog.

#include "bindings.h"
#include "changelog.h"

typedef exports_snodo_plugin_coding_coder_error_t coder_error;

// Called with every import closed; it always answers the same.
void exports_snodo_plugin_coding_describe(exports_snodo_plugin_coding_description_t *ret) {
    snodo_plugin_types_list_setting_declaration_t settings = {allocate(2 * sizeof *settings.ptr), 2};
    settings.ptr[0] = declared(TEXT("file"), TEXT("The changelog's path."), text_value(TEXT("CHANGELOG.md")));
    settings.ptr[1] = declared(
        TEXT("heading"), TEXT("The line below which entries are added."), text_value(TEXT("## Unreleased")));
    *ret = (exports_snodo_plugin_coding_description_t){
        .name = owned(TEXT("{{name}}")),
        .version = owned(TEXT("0.1.0")),
        .summary = owned(TEXT("Adds the task's first line to the changelog.")),
        .settings = settings,
    };
}

static bool unusable(coder_error *err, text why) {
    *err = (coder_error){
        .tag = EXPORTS_SNODO_PLUGIN_CODING_CODER_ERROR_UNUSABLE_TASK, .val = {.unusable_task = owned(why)}};
    return false;
}

// `tag` says whether it could not be read, or was refused.
static bool about_file(coder_error *err, uint8_t tag, text path, text why) {
    err->tag = tag;
    exports_snodo_plugin_coding_refused_operation_t about = {owned(path), owned(why)};
    if (tag == EXPORTS_SNODO_PLUGIN_CODING_CODER_ERROR_UNREADABLE) {
        err->val.unreadable = about;
    } else {
        err->val.refused = about;
    }
    return false;
}

static bool limited(coder_error *err, snodo_plugin_types_limit_t limit) {
    *err = (coder_error){
        .tag = EXPORTS_SNODO_PLUGIN_CODING_CODER_ERROR_LIMIT,
        .val = {.limit = {owned(from(limit.name)), limit.allowed}}};
    return false;
}

// The changelog as it is; a file that is not there is an empty one.
static bool read_changelog(text path, text *whole, coder_error *err) {
    plugin_string_t asked = lent(path);
    snodo_plugin_read_file_t file;
    snodo_plugin_read_read_error_t error;
    if (snodo_plugin_read_read_file(&asked, &file, &error)) {
        if (file.content.tag != SNODO_PLUGIN_TYPES_CONTENT_TEXT) {
            return about_file(err, EXPORTS_SNODO_PLUGIN_CODING_CODER_ERROR_UNREADABLE, path, TEXT("it is not text"));
        }
        *whole = from(file.content.val.text);
        return true;
    }
    text why;
    switch (error.tag) {
    case SNODO_PLUGIN_READ_READ_ERROR_NOT_FOUND:
        *whole = TEXT("");
        return true;
    case SNODO_PLUGIN_READ_READ_ERROR_LIMIT:
        return limited(err, error.val.limit);
    case SNODO_PLUGIN_READ_READ_ERROR_REFUSED:
        why = from(error.val.refused.rule);
        break;
    case SNODO_PLUGIN_READ_READ_ERROR_IO:
        why = from(error.val.io.reason);
        break;
    case SNODO_PLUGIN_READ_READ_ERROR_TOO_LARGE:
        why = TEXT("it is too large");
        break;
    case SNODO_PLUGIN_READ_READ_ERROR_SYMLINK:
        why = TEXT("it is a link, or below one");
        break;
    case SNODO_PLUGIN_READ_READ_ERROR_CHANGED_DURING_RUN:
        why = TEXT("it is not the file that this run saw before");
        break;
    default:
        why = TEXT("it is not the path of a file");
    }
    return about_file(err, EXPORTS_SNODO_PLUGIN_CODING_CODER_ERROR_UNREADABLE, path, why);
}

// Proposes the file; the host judges it, and writes it or does not.
static bool submit(text path, text whole, coder_error *err) {
    snodo_plugin_submit_operation_t write = {
        .tag = SNODO_PLUGIN_SUBMIT_OPERATION_WRITE,
        .val = {.write = {
                    .path = lent(path),
                    .content = {.tag = SNODO_PLUGIN_TYPES_CONTENT_TEXT, .val = {.text = lent(whole)}},
                }}};
    snodo_plugin_submit_list_operation_t operations = {&write, 1};
    snodo_plugin_submit_submission_t taken;
    snodo_plugin_submit_submit_error_t error;
    if (snodo_plugin_submit_submit_files(&operations, &taken, &error)) {
        return true;
    }
    if (error.tag == SNODO_PLUGIN_SUBMIT_SUBMIT_ERROR_LIMIT) {
        return limited(err, error.val.limit);
    }
    const snodo_plugin_submit_submit_refusal_t *reason = &error.val.rejected.reason;
    text why = TEXT("it cannot be written there");
    if (reason->tag == SNODO_PLUGIN_SUBMIT_SUBMIT_REFUSAL_REFUSED) {
        why = from(reason->val.refused.rule);
    } else if (reason->tag == SNODO_PLUGIN_SUBMIT_SUBMIT_REFUSAL_CONFLICT) {
        why = from(reason->val.conflict.reason);
    } else if (reason->tag == SNODO_PLUGIN_SUBMIT_SUBMIT_REFUSAL_IO) {
        why = from(reason->val.io.reason);
    }
    return about_file(err, EXPORTS_SNODO_PLUGIN_CODING_CODER_ERROR_REFUSED, path, why);
}

bool exports_snodo_plugin_coding_implement(
    exports_snodo_plugin_coding_task_t *task,
    exports_snodo_plugin_coding_context_t *context,
    exports_snodo_plugin_coding_implementation_t *ret,
    coder_error *err) {
    text path = text_setting(context, TEXT("file"));
    text heading = text_setting(context, TEXT("heading"));
    buffer entry = {0}, changelog = {0};
    text old;
    if (!make_entry(from(task->spec), &entry)) {
        return unusable(err, TEXT("the task is empty: its first line becomes the changelog's entry"));
    }
    if (!read_changelog(path, &old, err)) {
        return false;
    }
    if (!add_entry(old, heading, buffer_text(&entry), &changelog)) {
        return unusable(err, TEXT("the changelog has this entry already"));
    }
    if (!submit(path, buffer_text(&changelog), err)) {
        return false;
    }
    *ret = (exports_snodo_plugin_coding_implementation_t){0};
    // The instance ends with the call, and its memory with it: nothing is freed here.
    return true;
}
