"""Statements with real names as lines of Python, each with the place in the spec that it comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from repc.ir import Origin
from repc.lowering import printer
from repc.lowering.records import Line
from repc.lowering.statements import Assign, Define, For, If, Return
from repc.lowering.texts import Texts, comment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.lowering.statements import Statement


def _broken(statement: Assign | Return | For | If, indent: int, before: str, after: str) -> list[str]:
    """The lines of one statement; a short tuple stands without brackets."""
    code = statement.code
    if isinstance(code, ast.Tuple) and len(code.elts) > 1 and not isinstance(statement, If):
        bare = " " * indent + before + ", ".join(map(printer.text, code.elts)) + after
        if len(bare) <= printer.WIDTH:
            return [bare]
    return printer.lines(code, indent, before, after)


class Writer:
    """Writes statements at a depth; `indent` is that of the whole body in its file."""

    def __init__(self, texts: Texts, indent: int) -> None:
        self.texts = texts
        self.indent = indent
        self._shown: tuple[str, int] | None = None

    def lines(self, statements: Iterable[Statement], depth: int = 0) -> Iterator[Line]:
        for statement in statements:
            match statement:
                case Assign():
                    target = ", ".join(statement.targets)
                    noted = f": {statement.annotation}" if statement.annotation else ""
                    before = f"{target}{noted} = " if target else ""
                    yield from self._one(statement, depth, before, "")
                case Return():
                    yield from self._one(statement, depth, "return ", "")
                case For():
                    before = f"for {', '.join(statement.targets)} in "
                    yield from self._one(statement, depth, before, ":")
                    yield from self.lines(statement.body, depth + 1)
                case Define():
                    parameters = ", ".join(f"{one}: Tensor" for one in statement.parameters)
                    head = f"{'    ' * depth}def {statement.target}({parameters}) -> Tensor:"
                    yield from self._noted([head], statement.nodes[0], statement.origin, depth)
                    yield from self.lines(statement.body, depth + 1)
                    yield Line("")
                case If():
                    yield from self._one(statement, depth, "if ", ":")
                    yield from self.lines(statement.body, depth + 1)
                    if statement.other:
                        yield Line("    " * depth + "else:")
                        yield from self.lines(statement.other, depth + 1)

    def _one(self, statement: Assign | Return | For | If, depth: int, before: str, after: str) -> Iterator[Line]:
        at = self.indent + 4 * depth
        made = [line[self.indent :] for line in _broken(statement, at, before, after)]
        yield from self._noted(made, statement.nodes[0] if statement.nodes else "", statement.origin, depth)

    def _noted(self, lines: list[str], node: str, origin: Origin | None, depth: int) -> Iterator[Line]:
        place = self.texts.place(node, origin)
        if place is None:
            yield from map(Line, lines)
            return
        here = (place.file, place.line)
        if here == self._shown:
            note = ""
        else:
            note = comment(place)
        self._shown = here
        first = lines[0]
        if note and len(first) + self.indent + 2 + len(note) <= printer.WIDTH:
            first, note = f"{first}  {note}", ""
        if note:
            yield Line("    " * depth + note)
        yield Line(first, place)
        yield from map(Line, lines[1:])
