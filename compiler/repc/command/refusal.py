"""The call cannot be carried out as it stands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.diagnostics.model import Fault


class Refusal(Exception):
    """Faults of the call, not of a spec: exit code 2."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(", ".join(fault.name for fault in faults))
        self.faults = faults


def refuse(name: str, /, suggestion: str | None = None, **values: object) -> Refusal:
    """The refusal with one fault that has no place in a text."""
    from repc.diagnostics.model import Fault

    return Refusal(Fault(name, None, values, (), suggestion))


# Faults whose cause is the call, although a stage finds them.
OF_THE_CALL = frozenset(
    {"missing-file", "not-a-file", "unreadable-file", "cannot-write-file", "already-there", "missing-entry"}
)
