"""Records that build on records."""

from __future__ import annotations

from rep_grammar.record import Record


class Base(Record):
    a: int
    b: int = 2


class More(Base):
    c: int = 3


def test_a_base_with_instances_does_not_fix_the_fields_of_what_builds_on_it() -> None:
    assert (Base(1).a, Base(1).b) == (1, 2)
    more = More(4, c=5)
    assert (more.a, more.b, more.c) == (4, 2, 5)
    assert more == More(4, 2, 5) and more != More(4)
    assert Base(4) != More(4)
