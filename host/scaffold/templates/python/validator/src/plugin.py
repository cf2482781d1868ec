"""What the host calls. The work itself stands in entries.py, which knows no host and is tested without one.

There is no file, no network and no clock here: what a plugin may touch is what it imports from `wit_world.imports`.
"""

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import judging
from wit_world.imports import change, types

import entries


class Judging(exports.Judging):
    def describe(self) -> types.Description:
        return types.Description(
            name="{{name}}",
            version="0.1.0",
            summary="Wants an entry in the changelog with every change.",
            settings=[
                types.SettingDeclaration(
                    name="file",
                    value_type=types.SettingType.TEXT,
                    default=types.SettingValue_Text("CHANGELOG.md"),
                    meaning="The changelog's path.",
                ),
                types.SettingDeclaration(
                    name="exempt",
                    value_type=types.SettingType.TEXT_LIST,
                    default=types.SettingValue_TextList(["docs", "tests"]),
                    meaning="Folders whose changes need no entry.",
                ),
                types.SettingDeclaration(
                    name="strict",
                    value_type=types.SettingType.BOOLEAN,
                    default=types.SettingValue_Boolean(True),
                    meaning="Stop the change; otherwise only warn.",
                ),
            ],
            phases=[types.Phase.POST_EXECUTE],
        )

    def evaluate(self, evaluation: judging.Evaluation, context: types.Context) -> judging.Verdict:
        try:
            return evaluate(evaluation, context)
        except Err:
            raise
        except Exception as mistake:
            # Without this the plugin would end without a word.
            raise Err(judging.Fault_Internal(f"{type(mistake).__name__}: {mistake}"))


def evaluate(evaluation: judging.Evaluation, context: types.Context) -> judging.Verdict:
    if evaluation.phase != types.Phase.POST_EXECUTE:
        raise Err(judging.Fault_Internal("it judges after execution only"))
    settings = {setting.name: setting.value.value for setting in context.settings}
    files = [
        entries.Changed(file.path, file.old_path, file.added, file.kind == types.ChangeKind.DELETED)
        for file in changed()
    ]
    judged = entries.judge(files, settings["file"], settings["exempt"], settings["strict"])
    return judging.Verdict(
        severity=types.Severity[judged.severity],
        justification=judged.justification,
        cited_criteria=[],
        examined=judged.examined,
        skipped=judged.skipped,
        uncheckable=[],
    )


def changed() -> list[change.ChangedFile]:
    """The change, file by file. Who cannot see it has not judged: that is a fault, never a pass."""
    try:
        return change.summary().files
    except Err as error:
        if isinstance(error.value, change.ChangeError_Limit):
            raise Err(judging.Fault_Limit(error.value.value))
        raise Err(judging.Fault_IncompleteView(f"the change cannot be seen: {error.value!r}"))
