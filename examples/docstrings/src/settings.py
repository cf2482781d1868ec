"""What can be set."""

from fnmatch import fnmatchcase

from wit_world.imports import types

DECLARATIONS = [
    types.SettingDeclaration(
        name="exclude",
        value_type=types.SettingType.TEXT_LIST,
        default=types.SettingValue_TextList(["test_*.py", "*_test.py", "conftest.py", "setup.py"]),
        meaning="Globs of files that need no docstrings, held against the name or, with a `/`, against the path.",
    ),
    types.SettingDeclaration(
        name="modules",
        value_type=types.SettingType.BOOLEAN,
        default=types.SettingValue_Boolean(False),
        meaning="Want a docstring at the top of a file as well, when its first line was added.",
    ),
    types.SettingDeclaration(
        name="strict",
        value_type=types.SettingType.BOOLEAN,
        default=types.SettingValue_Boolean(True),
        meaning="Stop the change; otherwise only warn.",
    ),
]


class Settings:
    """The values in force. The host has checked names and types."""

    def __init__(self, given: list[types.Setting]):
        values = {setting.name: setting.value.value for setting in given}
        self.exclude: list[str] = values["exclude"]
        self.modules: bool = values["modules"]
        self.strict: bool = values["strict"]

    def excludes(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        return any(fnmatchcase(path if "/" in glob else name, glob) for glob in self.exclude)
