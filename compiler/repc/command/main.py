"""Which command is meant, and what the process ends with.

Exit codes: 0 done, 1 the spec is at fault, 2 the call is, 3 a fault of ours; 130 after Ctrl-C.
"""

from __future__ import annotations

import sys

from repc.command.refusal import Refusal
from repc.command.session import Session
from repc.pipeline import SpecError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DONE, SPEC_AT_FAULT, CALL_AT_FAULT, OUR_FAULT, INTERRUPTED = 0, 1, 2, 3, 130

# Command -> module under repc.command, and its line in the help.
COMMANDS = {
    "new": ("new", "write a first spec"),
    "fmt": ("formatting", "format specs"),
    "check": ("checking", "prove what can be proved about specs, refuse the rest"),
    "explain": ("explaining", "what a spec, a module of the library or a diagnostic says"),
    "graph": ("drawing", "draw the graphs of a spec"),
    "compile": ("compiling", "write the PyTorch modules of a spec"),
    "verify": ("verifying", "compare generated code with the meaning of a spec"),
    "train": ("training", "run a train block"),
    "eval": ("evaluating", "measure a trained run again"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character of a message must not turn it into a fault.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    session = Session(arguments)
    try:
        code = _run(arguments, session)
        sys.stdout.flush()
        return code
    except Refusal as refusal:
        session.refuse(refusal.faults)
        return CALL_AT_FAULT
    except SpecError as error:
        session.refused(list(error.diagnostics), error.sources)
        return SPEC_AT_FAULT
    except KeyboardInterrupt:
        session.note("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return DONE
    except Exception as error:
        runtime = session.runtime_fault(error)
        if runtime is not None:
            return runtime
        from repc.command.internal import report

        session.error.write(report(error, arguments))
        return OUR_FAULT


def _run(arguments: list[str], session: Session) -> int:
    name = arguments[0] if arguments else "--help"
    if name in {"-h", "--help", "help"}:
        session.line(usage())
        return DONE if arguments else CALL_AT_FAULT
    if name in {"-V", "--version"}:
        session.line(f"repc {version()}")
        return DONE
    if name not in COMMANDS:
        from repc.diagnostics.model import Fault
        from repc.diagnostics.suggest import nearest

        values: dict[str, object] = {"name": name, "known": list(COMMANDS)}
        raise Refusal(Fault("unknown-command", None, values, (), nearest(name, COMMANDS)))
    from importlib import import_module

    from repc.command.parser import CommandParser

    module, line = COMMANDS[name]
    command = import_module(f"repc.command.{module}")
    parser = CommandParser(name, line)
    command.configure(parser)
    options = parser.read(arguments[1:])
    session.configure(options)
    code: int = command.run(options, session)
    return code


def usage() -> str:
    """What `repc --help` prints."""
    lines = ["usage: repc COMMAND ...", "", "commands:"]
    lines += [f"  {name:<9}{line}" for name, (_, line) in COMMANDS.items()]
    lines += ["", "`repc COMMAND --help` lists the options of a command; `-` stands for standard input."]
    return "\n".join(lines)


def version() -> str:
    """Version of the installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("repc")
    except PackageNotFoundError:
        return "(not installed)"


def _drop_output() -> None:
    """The reader of our output has gone: nothing more can be said, and closing the stream must not fail either."""
    import os

    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, sys.stdout.fileno())
