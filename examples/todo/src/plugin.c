// A validator: a TODO that a change adds has to say whose it is, or where it is written down.

#include "bindings.h"
#include "markers.h"

typedef exports_snodo_plugin_judging_fault_t fault;

// What lines are looked at for.
typedef struct {
    text *at;
    size_t count;
} markers;

// Called with every import closed; it always answers the same.
void exports_snodo_plugin_judging_describe(exports_snodo_plugin_judging_description_t *ret) {
    static const text words[] = {{"TODO", 4}, {"FIXME", 5}, {"XXX", 3}};
    snodo_plugin_types_list_setting_declaration_t settings = {allocate(2 * sizeof *settings.ptr), 2};
    settings.ptr[0] = declared(
        TEXT("markers"), TEXT("Words that mark what is left to do, in exactly these letters."), texts_value(words, 3));
    settings.ptr[1] =
        declared(TEXT("strict"), TEXT("Stop the change; otherwise only warn."), boolean_value(true));
    snodo_plugin_types_list_phase_t phases = {allocate(sizeof *phases.ptr), 1};
    phases.ptr[0] = SNODO_PLUGIN_TYPES_PHASE_POST_EXECUTE;
    *ret = (exports_snodo_plugin_judging_description_t){
        .name = owned(TEXT("todo")),
        .version = owned(TEXT("0.1.0")),
        .summary = owned(TEXT("Wants a TODO that a change adds to say whose it is.")),
        .settings = settings,
        .phases = phases,
    };
}

// Not seeing all of the change is a fault, never a pass.
static bool incomplete(fault *err, text what, text path) {
    buffer words = {0};
    put(&words, what);
    put(&words, path);
    *err = (fault){
        .tag = EXPORTS_SNODO_PLUGIN_JUDGING_FAULT_INCOMPLETE_VIEW,
        .val = {.incomplete_view = owned(buffer_text(&words))}};
    return false;
}

static bool not_seen(fault *err, const snodo_plugin_change_change_error_t *error) {
    if (error->tag == SNODO_PLUGIN_CHANGE_CHANGE_ERROR_LIMIT) {
        *err = (fault){
            .tag = EXPORTS_SNODO_PLUGIN_JUDGING_FAULT_LIMIT,
            .val = {.limit = {owned(from(error->val.limit.name)), error->val.limit.allowed}}};
        return false;
    }
    return incomplete(err, TEXT("the change cannot be seen"), TEXT(""));
}

static void look_at(const snodo_plugin_change_file_diff_t *file, markers what, findings *so_far) {
    for (size_t h = 0; h < file->hunks.len; h++) {
        const snodo_plugin_change_hunk_t *hunk = &file->hunks.ptr[h];
        uint64_t number = hunk->new_start;
        for (size_t l = 0; l < hunk->lines.len; l++) {
            const snodo_plugin_change_diff_line_t *line = &hunk->lines.ptr[l];
            if (line->origin == SNODO_PLUGIN_CHANGE_LINE_ORIGIN_ADDED) {
                look(so_far, from(file->path), number, from(line->text), what.at, what.count);
            }
            number += line->origin != SNODO_PLUGIN_CHANGE_LINE_ORIGIN_REMOVED;
        }
    }
}

static bool is_among(text path, plugin_list_string_t paths) {
    for (size_t at = 0; at < paths.len; at++) {
        if (text_equals(path, from(paths.ptr[at]))) {
            return true;
        }
    }
    return false;
}

// Looks at these paths; at those that one answer cannot hold together, one by one.
static bool look_through(plugin_list_string_t paths, markers what, findings *so_far, fault *err) {
    // An empty list would ask for everything.
    if (paths.len == 0) {
        return true;
    }
    snodo_plugin_change_diff_query_t query = {.paths = paths, .context_lines = 0, .max_bytes = UINT64_MAX};
    snodo_plugin_change_diff_answer_t answer;
    snodo_plugin_change_change_error_t error;
    if (!snodo_plugin_change_diff(&query, &answer, &error)) {
        return not_seen(err, &error);
    }
    // A file that is shown in part is in both lists: it counts as left out.
    for (size_t at = 0; at < answer.files.len; at++) {
        if (!is_among(from(answer.files.ptr[at].path), answer.omitted)) {
            look_at(&answer.files.ptr[at], what, so_far);
        }
    }
    for (size_t at = 0; at < answer.omitted.len; at++) {
        plugin_string_t path = answer.omitted.ptr[at];
        if (paths.len == 1) {
            return incomplete(err, TEXT("the change cannot be shown whole: "), from(path));
        }
        plugin_list_string_t alone = {&path, 1};
        if (!look_through(alone, what, so_far, err)) {
            return false;
        }
    }
    return true;
}

static void say(const findings *seen, bool strict, exports_snodo_plugin_judging_verdict_t *ret) {
    buffer words = {0};
    put_number(&words, seen->found == 0 ? seen->lines : seen->found);
    if (seen->found == 0) {
        put(&words, seen->lines == 1 ? TEXT(" added line leaves") : TEXT(" added lines leave"));
        put(&words, TEXT(" nothing to do without saying where it is written down."));
    } else {
        put(&words, seen->found == 1 ? TEXT(" added line leaves") : TEXT(" added lines leave"));
        put(&words, TEXT(" something to do; say whose it is, or where it is written down, as `TODO(#123)` does:"));
        put(&words, buffer_text(&seen->words));
        if (seen->found > TOLD) {
            put(&words, TEXT("\n... and more"));
        }
        ret->severity = strict ? SNODO_PLUGIN_TYPES_SEVERITY_BLOCKER : SNODO_PLUGIN_TYPES_SEVERITY_WARN;
    }
    ret->justification = owned(buffer_text(&words));
}

bool exports_snodo_plugin_judging_evaluate(
    exports_snodo_plugin_judging_evaluation_t *evaluation,
    exports_snodo_plugin_judging_context_t *context,
    exports_snodo_plugin_judging_verdict_t *ret,
    fault *err) {
    if (evaluation->phase != SNODO_PLUGIN_TYPES_PHASE_POST_EXECUTE) {
        *err = (fault){
            .tag = EXPORTS_SNODO_PLUGIN_JUDGING_FAULT_INTERNAL,
            .val = {.internal = owned(TEXT("it judges after execution only"))}};
        return false;
    }
    plugin_list_string_t given = texts_setting(context, TEXT("markers"));
    markers what = {allocate(given.len * sizeof *what.at), given.len};
    for (size_t at = 0; at < given.len; at++) {
        what.at[at] = from(given.ptr[at]);
    }

    snodo_plugin_change_change_summary_t summary;
    snodo_plugin_change_change_error_t error;
    if (!snodo_plugin_change_summary(&summary, &error)) {
        return not_seen(err, &error);
    }
    plugin_list_string_t paths = {allocate(summary.files.len * sizeof *paths.ptr), 0};
    for (size_t at = 0; at < summary.files.len; at++) {
        const snodo_plugin_change_changed_file_t *file = &summary.files.ptr[at];
        if (file->added > 0) {
            paths.ptr[paths.len++] = file->path;
        }
    }
    findings seen = {0};
    if (!look_through(paths, what, &seen, err)) {
        return false;
    }

    *ret = (exports_snodo_plugin_judging_verdict_t){.severity = SNODO_PLUGIN_TYPES_SEVERITY_PASS};
    say(&seen, boolean_setting(context, TEXT("strict")), ret);
    if (seen.lines == 0) {
        ret->skipped.is_some = true;
        ret->skipped.val = owned(TEXT("no line was added"));
    }
    ret->examined.ptr = allocate(paths.len * sizeof *paths.ptr);
    ret->examined.len = paths.len;
    for (size_t at = 0; at < paths.len; at++) {
        ret->examined.ptr[at] = owned(from(paths.ptr[at]));
    }
    // The instance ends with the call, and its memory with it: nothing is freed here.
    return true;
}
