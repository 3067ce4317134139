"""The beginning of most commands: a spec that has no errors, or the exit code of saying why it has."""

from __future__ import annotations

from repc.command.checking import exit_code
from repc.command.inputs import entry_of
from repc.pipeline import Checked, check_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from repc.command.session import Session


def checked_spec(given: str, overrides: Iterable[str], session: Session) -> Checked | int:
    """The spec of an argument. Its warnings are said; where it has errors they are, and the exit code is returned."""
    checked = check_spec(entry_of(given), overrides)
    if not checked.ok:
        session.refused(list(checked.diagnostics), checked.sources)
        return exit_code(list(checked.diagnostics))
    if checked.diagnostics and not session.json:
        session.say(checked.diagnostics, checked.sources)
    return checked
