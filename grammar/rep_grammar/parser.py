"""Text to tree: the public entry, and what is said where a text cannot be read."""

from __future__ import annotations

import gc
import re
from functools import cache

from rep_grammar import tree as t
from rep_grammar.cache import load_tables
from rep_grammar.driver import Automaton, Stop, Stray, TooDeep, prepare, run
from rep_grammar.faults import SyntaxFault, SyntaxFaults
from rep_grammar.spans import Span

MAX_FAULTS = 20
"""Faults reported for one text."""


@cache
def automaton() -> Automaton:
    """The automaton of the language, made once."""
    return prepare(load_tables())


def parse(text: str, file: str = "<text>") -> t.File:
    """The tree of a text. Raises SyntaxFaults with every fault found: reading goes on at the next declaration."""
    machine = automaton()
    faults: list[SyntaxFault] = []
    at = 0
    if any(mark in text for mark in "\ufeff\0\r\t"):
        from rep_grammar.explain import character_faults

        faults.extend(character_faults(text, file))
        at = 1 if text.startswith("\ufeff") else 0
    tree = None
    collecting = gc.isenabled()
    gc.disable()  # nothing in a tree is a cycle, and looking for some costs as much as reading
    try:
        while tree is None:
            try:
                tree = run(machine, text, file, at)
            except (Stop, Stray, TooDeep) as stop:
                from rep_grammar.explain import explain

                faults.append(explain(machine, text, file, at, stop))
                # The line of a fault may begin the next declaration; one that is nested too deep has begun its own.
                begins = stop.start if not isinstance(stop, TooDeep) else text.find("\n", stop.start) + 1
                again = next_item(machine, text, at, begins) if begins else None
                if again is None or len(faults) >= MAX_FAULTS:
                    break
                at = again
    finally:
        if collecting:
            gc.enable()
    if not faults and tree is not None and not tree.items and tree.header is None:
        from rep_grammar.explain import empty_fault

        faults.append(empty_fault(text, file))
    if faults or tree is None:
        raise SyntaxFaults(distinct(faults))
    return tree


def next_item(machine: Automaton, text: str, at: int, stop: int) -> int | None:
    """Where to read on after a fault at `stop`: the next line that begins with the word of a declaration."""
    row = machine.tables.actions[machine.tables.start]
    words = machine.words
    line = text.rfind("\n", 0, stop) + 1
    for found in re.compile(r"^[a-z]+", re.MULTILINE).finditer(text, max(line, at + 1)):
        if found[0] in words.candidates and words.terminal(found[0], row, text, found.end()) in row:
            return found.start()
    return None


def distinct(faults: list[SyntaxFault]) -> tuple[SyntaxFault, ...]:
    """Faults in the order of the text, one for each code and place."""
    kept: dict[tuple[str, int], SyntaxFault] = {}
    for fault in faults:
        kept.setdefault((fault.code, fault.span.start), fault)
    return tuple(sorted(kept.values(), key=lambda fault: (fault.span.start, fault.code)))


def whole(text: str, file: str) -> Span:
    """Span of a whole text."""
    return Span(file, 0, len(text))
