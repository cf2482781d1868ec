// A validator: wants an entry in the changelog with every change.

#include "bindings.h"
#include "judge.h"

// So many paths are named in a verdict.
enum { NAMED = 20 };

typedef exports_snodo_plugin_judging_fault_t fault;

// Called with every import closed; it always answers the same.
void exports_snodo_plugin_judging_describe(exports_snodo_plugin_judging_description_t *ret) {
    static const text exempt[] = {
        {"docs", 4},
        {"tests", 5},
    };
    snodo_plugin_types_list_setting_declaration_t settings = {allocate(3 * sizeof *settings.ptr), 3};
    settings.ptr[0] = declared(TEXT("file"), TEXT("The changelog's path."), text_value(TEXT("CHANGELOG.md")));
    settings.ptr[1] =
        declared(TEXT("exempt"), TEXT("Folders whose changes need no entry."), texts_value(exempt, 2));
    settings.ptr[2] =
        declared(TEXT("strict"), TEXT("Stop the change; otherwise only warn."), boolean_value(true));
    snodo_plugin_types_list_phase_t phases = {allocate(sizeof *phases.ptr), 1};
    phases.ptr[0] = SNODO_PLUGIN_TYPES_PHASE_POST_EXECUTE;
    *ret = (exports_snodo_plugin_judging_description_t){
        .name = owned(TEXT("{{name}}")),
        .version = owned(TEXT("0.1.0")),
        .summary = owned(TEXT("Wants an entry in the changelog with every change.")),
        .settings = settings,
        .phases = phases,
    };
}

// Not seeing the change is a fault, never a pass.
static bool not_seen(fault *err, const snodo_plugin_change_change_error_t *error) {
    if (error->tag == SNODO_PLUGIN_CHANGE_CHANGE_ERROR_LIMIT) {
        *err = (fault){
            .tag = EXPORTS_SNODO_PLUGIN_JUDGING_FAULT_LIMIT,
            .val = {.limit = {owned(from(error->val.limit.name)), error->val.limit.allowed}}};
    } else {
        *err = (fault){
            .tag = EXPORTS_SNODO_PLUGIN_JUDGING_FAULT_INCOMPLETE_VIEW,
            .val = {.incomplete_view = owned(TEXT("the change cannot be seen"))}};
    }
    return false;
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
    snodo_plugin_change_change_summary_t summary;
    snodo_plugin_change_change_error_t error;
    if (!snodo_plugin_change_summary(&summary, &error)) {
        return not_seen(err, &error);
    }

    changed *change = allocate(summary.files.len * sizeof *change);
    for (size_t at = 0; at < summary.files.len; at++) {
        const snodo_plugin_change_changed_file_t *file = &summary.files.ptr[at];
        change[at] = (changed){
            .path = from(file->path),
            .old_path = file->old_path.is_some ? from(file->old_path.val) : TEXT(""),
            .added = file->added,
            .deleted = file->kind == SNODO_PLUGIN_TYPES_CHANGE_KIND_DELETED,
        };
    }
    plugin_list_string_t given = texts_setting(context, TEXT("exempt"));
    text *exempt = allocate(given.len * sizeof *exempt);
    for (size_t at = 0; at < given.len; at++) {
        exempt[at] = from(given.ptr[at]);
    }
    judgement judged = judge(
        change, summary.files.len, text_setting(context, TEXT("file")), exempt, given.len,
        boolean_setting(context, TEXT("strict")));

    size_t named = judged.count < NAMED ? judged.count : NAMED;
    plugin_list_string_t examined = {allocate(named * sizeof *examined.ptr), named};
    for (size_t at = 0; at < named; at++) {
        examined.ptr[at] = owned(judged.needing[at]);
    }
    *ret = (exports_snodo_plugin_judging_verdict_t){
        // Our severities have the contract's order.
        .severity = (snodo_plugin_types_severity_t)judged.severity,
        .justification = owned(buffer_text(&judged.words)),
        .examined = examined,
        .skipped = {.is_some = judged.skipped},
    };
    if (judged.skipped) {
        ret->skipped.val = owned(buffer_text(&judged.words));
    }
    // The instance ends with the call, and its memory with it: nothing is freed here.
    return true;
}
