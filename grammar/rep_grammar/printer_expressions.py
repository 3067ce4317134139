"""Expressions to layouts. Brackets stand where the source has them, lists keep the line breaks of the source."""

from __future__ import annotations

import re

from rep_grammar import tree as t
from rep_grammar.layout import HARD, SOFT, SPACE, Align, Break, Group, Indent, Join, Suffix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from rep_grammar.layout import Layout

APART = Break("  ")
"""Between two things on one line that no comma separates."""

_TRIVIA = re.compile(r"(?:\s|#[^\n]*)*")
_SIDES = {"and": 2, "or": 1, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6, "of": 0, "on": 0}


class ExpressionPrinter:
    """Layouts of expressions and of lists, with the comments that stand between their items."""

    def __init__(self, tree: t.File, text: str) -> None:
        self.text = text
        self.parens = tree.parens
        self.comments = tree.comments
        self.taken: set[int] = set()

    # ---- the source

    def column(self, offset: int) -> int:
        """Column of an offset, from 0."""
        return offset - (self.text.rfind("\n", 0, offset) + 1)

    def breaks_between(self, start: int, end: int) -> bool:
        """Whether the source breaks a line between two offsets."""
        return "\n" in self.text[start:end]

    def token_after(self, offset: int) -> int:
        """Offset of the first token at or behind `offset`."""
        found = _TRIVIA.match(self.text, offset)
        return found.end() if found else offset

    def outer(self, node: t.Node) -> tuple[int, int]:
        """Start and end of a node with its own brackets."""
        start, end = node.span.start, node.span.end
        if isinstance(node, t.Expr) and (start, end) in self.parens:
            while self.text[(closer := self.token_after(end)) : closer + 1] == ")":
                opener = self.text.rfind("(", 0, start)
                if opener < 0 or self.token_after(opener + 1) != start:
                    break
                start, end = opener, closer + 1
        return start, end

    def take_comments(self, start: int, end: int) -> list[t.Comment]:
        """Comments between two offsets that nothing has printed yet; they count as printed from now on."""
        made = [c for c in self.comments if start <= c.span.start < end and c.span.start not in self.taken]
        self.taken.update(comment.span.start for comment in made)
        return made

    def suffix(self, comment: t.Comment) -> Suffix:
        return Suffix(comment.text, self.column(comment.span.start))

    # ---- lists

    def items(
        self, nodes: Sequence[Any], show: Callable[[Any], Layout], comma: str = ",", between: Layout | None = None
    ) -> Layout:
        """Items of a list: on a new line where the source has one, where a comment ends the line or it is full.

        With `between`, that break stands between any two items instead, to be taken or not with the whole list.
        """
        parts: list[Layout] = []
        last = 0
        for number, node in enumerate(nodes):
            first, end = self.outer(node)
            if number:
                parts.append(comma)
                comments = self.own_lines(last, first)
                parts.extend(comments)
                if comments or self.breaks_between(last, first):
                    parts.extend((HARD, show(node)))
                elif between is not None:
                    parts.extend((between, show(node)))
                else:
                    parts.append(Group(SPACE if comma else APART, show(node)))
            else:
                parts.append(show(node))
            last = end
        return Join(*parts)

    def own_lines(self, last: int, end: int) -> list[Layout]:
        """Comments between the end of an item and an offset: the first may end the line, others have their own."""
        parts: list[Layout] = []
        for number, comment in enumerate(self.take_comments(last, end)):
            on_line = number == 0 and not self.breaks_between(last, comment.span.start)
            parts.extend((self.suffix(comment),) if on_line else (HARD, comment.text))
        return parts

    def bracketed(
        self,
        opener: str,
        nodes: Sequence[Any],
        show: Callable[[Any], Layout],
        start: int,
        closer: str,
        pad: str = "",
        comma: str = ",",
    ) -> Layout:
        """A list in brackets; `start` is the offset of the opening one."""
        if not nodes:
            return opener + closer
        spans = [self.outer(node) for node in nodes]
        head = self.own_lines(start + 1, spans[0][0])
        last = spans[-1][1]
        tail = self.own_lines(last, self.token_after(last))
        starts, ends = [span[0] for span in spans], [start, *(span[1] for span in spans)]
        broken = bool(head or tail) or any(map(self.breaks_between, ends, starts))
        inner = self.items(nodes, show, comma, None if comma or broken else APART)
        edge = HARD if broken else SPACE if pad else SOFT
        return Group(opener, Indent(2, *head, edge, inner, *tail), edge, closer)

    # ---- expressions

    def expression(self, node: t.Expr) -> Layout:
        """Layout of an expression, in brackets where the source has them."""
        inner: Layout = _SHOW[type(node)](self, node)
        if self.in_brackets(node):
            return Join("(", Align(inner), ")")
        return inner

    def optional(self, node: t.Expr | None) -> Layout:
        return "" if node is None else self.expression(node)

    def name(self, node: t.Name) -> Layout:
        return node.text

    def string(self, node: t.String) -> Layout:
        return f'"{node.value}"'

    def tuple(self, node: t.TupleExpr) -> Layout:
        return self.bracketed("(", node.items, self.expression, node.span.start, ")")

    def record(self, node: t.RecordExpr) -> Layout:
        return self.bracketed("(", node.fields, self.named, node.span.start, ")")

    def axes(self, node: t.AxesExpr) -> Layout:
        return self.bracketed("[", node.axes, self.axis, node.span.start, "]")

    def axis(self, node: t.AxisItem) -> Layout:
        if node.variadic:
            return Join("..", self.optional(node.size))
        label = f"{node.label.text}: " if node.label else ""
        return Join(label, self.optional(node.size))

    def set(self, node: t.SetExpr) -> Layout:
        return self.bracketed("{", node.items, self.expression, node.span.start, "}", pad=" ")

    def unary(self, node: t.Unary) -> Layout:
        return Join("not " if node.op == "not" else node.op, self.expression(node.operand))

    def binary(self, node: t.Binary) -> Layout:
        if node.op == "^":
            return Join(self.expression(node.left), "^", self.expression(node.right))
        parts: list[Layout] = []
        left: t.Expr = node
        side = _SIDES.get(node.op, node.op)
        while isinstance(left, t.Binary) and _SIDES.get(left.op, left.op) == side:
            if parts and self.in_brackets(left):
                break
            parts[:0] = [SPACE, f"{left.op} ", self.expression(left.right)]
            left = left.left
        return Group(self.expression(left), Indent(2, *parts))

    def cond(self, node: t.Cond) -> Layout:
        parts: list[Layout] = []
        edge = HARD if self.breaks_between(node.span.start, node.span.end) else SPACE
        word = "if "
        current: t.Expr = node
        while isinstance(current, t.Cond) and (current is node or not self.in_brackets(current)):
            test, then = self.expression(current.test), self.expression(current.then)
            parts.extend((word, Align(test), " then ", Align(then), edge))
            word, current = "else if ", current.other
        return Group(Align(*parts, "else ", Align(self.expression(current))))

    def in_brackets(self, node: t.Expr) -> bool:
        """Whether the source has round brackets around just this expression."""
        return (node.span.start, node.span.end) in self.parens

    def reduce(self, node: t.Reduce) -> Layout:
        return Join(node.op.text, self.subs(node.subs, binder=True), " ", self.expression(node.body))

    def stat(self, node: t.Stat) -> Layout:
        return Join(node.op.text, self.subs(node.subs, binder=True), self.arguments(node.args, node.subs.span.end))

    def match(self, node: t.Match) -> Layout:
        start = self.token_after(self.outer(node.subject)[1])
        arms = self.bracketed("{", node.arms, self.arm, start, "}", pad=" ", comma="")
        return Join("match ", self.expression(node.subject), " ", arms)

    def arm(self, node: t.Arm) -> Layout:
        return Join(node.key.text, ": ", self.expression(node.value))

    def index(self, node: t.Index) -> Layout:
        return Join(self.expression(node.base), self.subs(node.subs, binder=False))

    def attr(self, node: t.Attr) -> Layout:
        return Join(self.expression(node.base), ".", node.name.text)

    def call(self, node: t.Call) -> Layout:
        return Join(self.expression(node.func), self.arguments(node.args, self.outer(node.func)[1]))

    def arguments(self, args: Sequence[t.Arg], behind: int) -> Layout:
        """Arguments in round brackets; the opening one is the first token at `behind`."""
        return self.bracketed("(", args, self.named, self.token_after(behind), ")")

    def named(self, node: t.Arg | t.RecordField | t.Option) -> Layout:
        if node.name is None:
            return self.expression(node.value)
        return Join(node.name.text, ": ", self.expression(node.value))

    def with_(self, node: t.With) -> Layout:
        return Join(self.expression(node.base), " with ", self.entries(node.entries, self.outer(node.base)[1]))

    def entries(self, entries: Sequence[t.Entry], behind: int) -> Layout:
        """Entries in braces behind a `with` that stands behind the offset `behind`."""
        start = self.token_after(self.token_after(behind) + len("with"))
        return self.bracketed("{", entries, self.entry, start, "}", pad=" ")

    def entry(self, node: t.Entry) -> Layout:
        return Join(self.expression(node.path), ": ", self.expression(node.value))

    # ---- subscripts

    def subs(self, node: t.Subs, *, binder: bool) -> Layout:
        """`[..]` of an index or of a reduction; in a reduction a colon stands before its condition."""
        parts: list[Layout] = [self.items(node.items, lambda sub: self.sub(sub, binder))]
        for option in node.options:
            parts.extend(("; ", self.named(option)))
        return Join("[", Align(*parts), "]")

    def sub(self, node: t.Sub, binder: bool) -> Layout:
        if isinstance(node, t.SubExpr):
            return self.expression(node.value)
        if isinstance(node, t.SubPick):
            return Join(node.name.text, " = ", self.expression(node.value))
        lower, upper = self.optional(node.lower), self.optional(node.upper)
        if isinstance(node, t.SubPickSlice):
            return Join(node.name.text, " = ", lower, ":", upper)
        spaced = node.lower is not None and node.upper is not None and (binder or self.spaced_colon(node.lower))
        return Join(lower, ": " if spaced else ":", upper)

    def spaced_colon(self, lower: t.Expr) -> bool:
        """Whether the source has a blank behind the colon that follows `lower`."""
        colon = self.token_after(self.outer(lower)[1])
        return self.text[colon + 1 : colon + 2].isspace()


_SHOW: dict[type, Callable[..., Any]] = {
    t.Name: ExpressionPrinter.name,
    t.Number: ExpressionPrinter.name,
    t.String: ExpressionPrinter.string,
    t.TupleExpr: ExpressionPrinter.tuple,
    t.RecordExpr: ExpressionPrinter.record,
    t.AxesExpr: ExpressionPrinter.axes,
    t.SetExpr: ExpressionPrinter.set,
    t.Unary: ExpressionPrinter.unary,
    t.Binary: ExpressionPrinter.binary,
    t.Cond: ExpressionPrinter.cond,
    t.Reduce: ExpressionPrinter.reduce,
    t.Stat: ExpressionPrinter.stat,
    t.Match: ExpressionPrinter.match,
    t.Index: ExpressionPrinter.index,
    t.Attr: ExpressionPrinter.attr,
    t.Call: ExpressionPrinter.call,
    t.With: ExpressionPrinter.with_,
}
