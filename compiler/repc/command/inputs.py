"""Specs that a command is given: paths, and `-` for standard input."""

from __future__ import annotations

import sys

from repc.command.refusal import Refusal

STDIN = "<stdin>"


def entry_of(given: str) -> str | tuple[str, str]:
    """What `Workspace.load` takes for an argument of the command line. Raises Refusal where stdin is no text."""
    return (STDIN, read_stdin()) if given == "-" else given


def read_stdin() -> str:
    """Standard input as text, within the limits of files."""
    from repc.names.reading import MOST_BYTES, decode

    reading = decode(sys.stdin.buffer.read(MOST_BYTES + 1), STDIN)
    if reading.fault is not None:
        raise Refusal(reading.fault)
    return reading.text


def title(given: str) -> str:
    """How an argument is called in what is said."""
    return STDIN if given == "-" else given
