"""What a pass is."""

from __future__ import annotations

from rep_grammar.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from repc.ir import Program


class Pass(Record):
    """A change of programs that keeps their meaning: well-formed in, well-formed out.

    `name` is kebab-case. `requires`: what must have been established before, `establishes`: what holds afterwards,
    beside well-formedness.
    """

    name: str
    doc: str
    apply: Callable[[Program], Program]
    requires: frozenset[str] = frozenset()
    establishes: frozenset[str] = frozenset()
