"""The parser of the command line, generated from the settings: no flag is described here."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, BooleanOptionalAction, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, NoReturn

from msgspec import inspect

from kiln_server.config_report import cell
from kiln_server.setting import SETTINGS, Setting, suggestion
from kiln_server.settings import spelled

PROGRAM: Final = "kiln-server"
DEFAULT_COMMAND: Final = "serve"


class Help(RawDescriptionHelpFormatter):
    """Help of one width everywhere."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=110, max_help_position=36)


class CommandParser(ArgumentParser):
    """The parser of one command. Unknown flags are refused with the flag that looks most like them."""

    def __init__(self, command: str, description: str, epilog: str = "", *, takes: str = "") -> None:
        """`takes` names what the command takes beside flags: one argument, if any."""
        super().__init__(
            prog=f"{PROGRAM} {command}",
            usage=f"{PROGRAM} {command} [FLAG]… {takes}".rstrip(),  # the list of all flags would fill a screen
            description=description,
            epilog=epilog,
            formatter_class=Help,
            allow_abbrev=False,
        )
        self._command = command
        self._takes = takes

    def add_settings(self) -> None:
        """Take a flag for each setting, and `--config`."""
        self.add_argument(
            "--config", metavar="FILE", help="TOML file of settings (default: kiln.toml, if there is one)"
        )
        for group, settings in groupby(SETTINGS.values(), lambda setting: setting.doc.group):
            section = self.add_argument_group(group)
            for setting in settings:
                section.add_argument(setting.flag, **_argument(setting))

    def read(self, argv: Sequence[str]) -> Namespace:
        """The arguments. Ends the process with exit code 2 when they are wrong."""
        for word in argv:
            self._refuse_value_of_switch(*word.partition("="))
        arguments, unknown = self.parse_known_args(argv)
        if unknown:
            self.error(self._unknown(unknown[0].partition("=")[0]))
        return arguments

    def error(self, message: str) -> NoReturn:
        """End with exit code 2. Unlike the inherited method it prints no usage, which would bury the message."""
        self.exit(2, f"{PROGRAM}: {message} ({self.prog} --help)\n")

    def _refuse_value_of_switch(self, flag: str, equals: str, _: str) -> None:
        # argparse would say `ignored explicit argument`.
        action = self._option_string_actions.get(flag)
        if equals and action is not None and action.nargs == 0:
            self.error(f"{flag} takes no value; write {' or '.join(action.option_strings)}")

    def _unknown(self, word: str) -> str:
        if not word.startswith("-"):
            return f"unexpected argument {word!r}; {self._remedy}"
        return f"unknown flag {word}{suggestion(word, list(self._option_string_actions))}"

    @property
    def _remedy(self) -> str:
        """What to do about an argument too many."""
        if self._takes:
            return f"{self._command} takes one, {self._takes}: put quotes around it"
        if self._command == DEFAULT_COMMAND:
            return f"{self._command} takes none, and a command comes first"
        return f"{self._command} takes none"


def flags_of(arguments: Namespace) -> dict[str, str]:
    """The text of each setting's flag that was given, by the setting's name."""
    given = {name: value for name, value in vars(arguments).items() if name in SETTINGS}
    return {name: _text(value) for name, value in given.items()}


def _argument(setting: Setting) -> dict[str, Any]:
    """How argparse takes a setting. Values stay text: they are read where those of every other source are."""
    default = "" if setting.default in (None, (), {}) else f" (default: {cell(setting.default)})"
    common = {"default": SUPPRESS, "help": f"{setting.doc.text}{default}".replace("%", "%%")}
    match setting.kind:
        case inspect.BoolType():
            return {**common, "action": BooleanOptionalAction}
        case inspect.LiteralType():
            return {**common, "metavar": "|".join(setting.choices)}
        case inspect.VarTupleType() | inspect.DictType():
            return {**common, "action": "append", "metavar": "ITEM,…"}
        case _:
            return {**common, "metavar": "FILE" if setting.doc.file else "VALUE"}


def _text(value: str | bool | list[str]) -> str:
    return ",".join(value) if isinstance(value, list) else spelled(value)
