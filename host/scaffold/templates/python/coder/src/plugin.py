"""What the host calls. The work itself stands in changelog.py, which knows no host and is tested without one.

There is no file, no network and no clock here: what a plugin may touch is what it imports from `wit_world.imports`.
"""

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports import coding
from wit_world.imports import read, submit, types

import changelog


class Coding(exports.Coding):
    def describe(self) -> types.Description:
        return types.Description(
            name="{{name}}",
            version="0.1.0",
            summary="Adds the task's first line to the changelog.",
            settings=[
                types.SettingDeclaration(
                    name="file",
                    value_type=types.SettingType.TEXT,
                    default=types.SettingValue_Text("CHANGELOG.md"),
                    meaning="The changelog's path.",
                ),
                types.SettingDeclaration(
                    name="heading",
                    value_type=types.SettingType.TEXT,
                    default=types.SettingValue_Text("## Unreleased"),
                    meaning="The line below which entries are added.",
                ),
            ],
            phases=[],
        )

    def implement(self, task: types.Task, context: types.Context) -> coding.Implementation:
        try:
            return implement(task, context)
        except Err:
            raise
        except Exception as mistake:
            # Without this the plugin would end without a word.
            raise Err(coding.CoderError_Internal(f"{type(mistake).__name__}: {mistake}"))


def implement(task: types.Task, context: types.Context) -> coding.Implementation:
    settings = {setting.name: setting.value.value for setting in context.settings}
    path = settings["file"]
    entry = changelog.entry_of(task.spec)
    if entry is None:
        raise Err(
            coding.CoderError_UnusableTask("the task is empty: its first line becomes the changelog's entry")
        )
    changed = changelog.add_entry(text_of(path), settings["heading"], entry)
    if changed is None:
        raise Err(coding.CoderError_UnusableTask("the changelog has this entry already"))
    try:
        submit.submit_files([submit.Operation_Write(submit.Write(path, types.Content_Text(changed), None))])
    except Err as error:
        if isinstance(error.value, submit.SubmitError_Limit):
            raise Err(coding.CoderError_Limit(error.value.value))
        raise Err(coding.CoderError_Refused(coding.RefusedOperation(path, repr(error.value))))
    return coding.Implementation(report=None, findings=[])


def text_of(path: str) -> str:
    """The text of a file; empty when there is none."""
    try:
        content = read.read_file(path).content
    except Err as error:
        if isinstance(error.value, read.ReadError_NotFound):
            return ""
        raise Err(coding.CoderError_Unreadable(coding.RefusedOperation(path, repr(error.value))))
    if not isinstance(content, types.Content_Text):
        raise Err(coding.CoderError_Unreadable(coding.RefusedOperation(path, "it is not text")))
    return content.value
