"""The command line: `repc new fmt check explain graph compile verify train eval`."""

from repc.command.main import main

__all__ = ["main"]
