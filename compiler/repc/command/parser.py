"""Options of a command. Mistakes in them are diagnostics like all others."""

from __future__ import annotations

import argparse
import os
import re

from repc.command.refusal import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

_ARGUMENT = re.compile(r"argument ([^:]+): (.*)", re.S)
_REQUIRED = re.compile(r"the following arguments are required: (.*)", re.S)


class HelpText(argparse.HelpFormatter):
    """The width of the terminal without `shutil`, which argparse imports even where no help is printed."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=columns - 2)


class CommandParser(argparse.ArgumentParser):
    """The options of one command."""

    def __init__(self, name: str, line: str) -> None:
        super().__init__(
            prog=f"repc {name}",
            description=f"{line[0].upper()}{line[1:]}.",
            allow_abbrev=False,
            formatter_class=HelpText,
        )
        self.name = name
        self.add_argument("--json", action="store_true", help="print JSON for programs")
        self.add_argument(
            "--color", choices=("auto", "always", "never"), default="auto", help="colour of what is printed for people"
        )

    def spec(self, many: bool = False) -> None:
        """Adds SPEC, or several, and `--set`."""
        if many:
            self.add_argument("specs", metavar="SPEC", nargs="+", help="a .rep file, or - for standard input")
        else:
            self.add_argument("spec", metavar="SPEC", help="a .rep file, or - for standard input")
        self.add_argument(
            "--set",
            metavar="PATH=VALUE",
            action="append",
            default=[],
            dest="overrides",
            help="another value: D=64, LM.D=64, Bytes.steps=100",
        )

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options given. Raises Refusal; `--help` prints and exits with 0."""
        options, left = self.parse_known_args(arguments)
        if left:
            from repc.diagnostics.suggest import nearest

            known = [word for action in self._actions for word in action.option_strings if word.startswith("--")]
            option = left[0].partition("=")[0]
            reason = "there is no such option" if option.startswith("-") else "is one argument too many"
            close = nearest(option, known) if option.startswith("-") else None
            raise refuse("bad-option", close, option=option, reason=reason, command=self.name)
        return options

    def error(self, message: str) -> NoReturn:
        """Called by argparse with its own words."""
        option, reason = self.prog, message
        if found := _ARGUMENT.fullmatch(message):
            option, reason = found[1].split("/")[-1], found[2]
        elif found := _REQUIRED.fullmatch(message):
            option, reason = found[1], "must be given"
        raise refuse("bad-option", None, option=option, reason=reason, command=self.name)


def count(text: str) -> int:
    """A whole number of at least 1, for `type=`."""
    number = whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return number


def whole(text: str) -> int:
    """A whole number of at least 0, for `type=`."""
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)
