"""Statements and blocks to layouts. What shares a line in the source shares one here, where it fits."""

from __future__ import annotations

from rep_grammar import tree as t
from rep_grammar.layout import BLANK, HARD, SPACE, Align, Group, Indent, Join
from rep_grammar.printer_expressions import APART, ExpressionPrinter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, ClassVar

    from rep_grammar.layout import Layout


class StatementPrinter(ExpressionPrinter):
    """Layouts of statements, and of the sequences that they stand in."""

    shows: ClassVar[dict[type, Callable[..., Any]]] = {}
    """How each kind of node is shown; complete in `ItemPrinter`."""

    def statement(self, node: t.Node) -> Layout:
        """Layout of a statement, an item or a member of a space."""
        made: Layout = self.shows[type(node)](self, node)
        return made

    # ---- sequences

    def sequence(self, nodes: Sequence[t.Node], start: int, end: int) -> list[Layout]:
        """Statements between two offsets, with the comments and the blank lines between them; every line is begun.

        A comment inside a statement that stands between no two items of a list moves behind the statement, and a
        blank line behind the comment, so that it documents nothing.
        """
        parts: list[Layout] = []
        last, moved = start, False
        for number, node in enumerate(nodes):
            shown = self.statement(node)
            inside = self.take_comments(node.span.start, node.span.end)
            before = self.take_comments(last, node.span.start)
            if number and not before and not moved and not self.breaks_between(last, node.span.start):
                parts.append(Group(APART, shown))
            else:
                last = self.lines(parts, before, last, apart=moved)
                parts.extend((self.line_break(last, node.span.start, apart=moved and not before), shown))
            last, moved = node.span.end, bool(inside)
            if inside:
                following = self.take_comments(last, self.text.find("\n", last) % (len(self.text) + 1))
                last = self.lines(parts, following, last, apart=False)
                for comment in inside:
                    parts.extend((HARD, comment.text))
        self.lines(parts, self.take_comments(last, end), last, apart=moved)
        return parts

    def lines(self, parts: list[Layout], comments: list[t.Comment], last: int, *, apart: bool) -> int:
        """Adds comments that follow the offset `last`; returns the end of the last of them."""
        for number, comment in enumerate(comments):
            if number == 0 and last > 0 and not self.breaks_between(last, comment.span.start):
                parts.append(self.suffix(comment))
            else:
                parts.extend((self.line_break(last, comment.span.start, apart=apart and number == 0), comment.text))
            last = comment.span.end
        return last

    def line_break(self, last: int, start: int, *, apart: bool) -> Layout:
        """A line break, with a blank line where the source has one or `apart` wants one; none behind a brace."""
        opens = last == 0 or self.text[last - 1] == "{"
        return BLANK if apart or (not opens and self.text.count("\n", last, start) > 1) else HARD

    def braced(self, nodes: Sequence[t.Node], start: int, end: int) -> Layout:
        """`{ .. }` between two offsets, on one line where the source has it on one and it fits."""
        commented = any(start <= comment.span.start < end for comment in self.comments)
        if not nodes and not commented:
            return "{ }"
        if self.breaks_between(start, end):
            return Join("{", Indent(2, *self.sequence(nodes, start + 1, end - 1)), HARD, "}")
        parts: list[Layout] = []
        for number, node in enumerate(nodes):
            parts.extend((APART if number else SPACE, self.statement(node)))
        return Group("{", Indent(2, *parts), SPACE, "}")

    def block(self, node: t.Block) -> Layout:
        return self.braced(node.stmts, node.span.start, node.span.end)

    def listed(self, word: str, nodes: Sequence[Any], show: Callable[[Any], Layout]) -> Layout:
        """A word and a list without brackets, its lines below the first item."""
        return Join(f"{word} ", Align(self.items(nodes, show)))

    # ---- parts

    def bound(self, node: t.Expr) -> Layout:
        """`= value`."""
        if isinstance(node, t.Cond) and not self.in_brackets(node):
            before = self.text.rfind("=", 0, node.span.start)
            if self.breaks_between(before, node.span.start):
                return Join(" =", Indent(2, HARD, self.expression(node)))
        return Join(" = ", self.expression(node))

    def default(self, node: t.Expr | None) -> Layout:
        return "" if node is None else self.bound(node)

    def typed(self, node: t.Expr | None) -> Layout:
        return "" if node is None else Join(": ", self.expression(node))

    def targets(self, nodes: Sequence[t.Expr]) -> Layout:
        return self.items(nodes, self.expression)

    def binding(self, node: t.Binding) -> Layout:
        return Join(self.targets(node.targets), self.bound(node.value))

    def slot(self, node: t.Slot) -> Layout:
        return Join(self.targets(node.targets), self.typed(node.type), self.default(node.value))

    def one_draw(self, node: t.OneDraw) -> Layout:
        once = " once" if node.once else ""
        during = "" if node.eval is None else Join(" eval ", self.expression(node.eval))
        return Join(self.expression(node.target), self.typed(node.type), " ~ ", self.expression(node.law), once, during)

    def dim(self, node: t.DimDecl) -> Layout:
        kind = f": {node.axis_kind.text}" if node.axis_kind else ""
        ragged = " ragged" if node.ragged else ""
        relation = f" {node.relation} " if node.relation else ""
        return Join(node.name.text, kind, ragged, relation, self.optional(node.value))

    def over(self, node: t.TableEntry) -> Layout:
        return Join(node.name.text, " in ", self.expression(node.over))

    def varied(self, node: t.VaryEntry) -> Layout:
        return Join(node.name.text, " in ", self.expression(node.values))

    # ---- statements

    def bind(self, node: t.Bind) -> Layout:
        return self.items(node.bindings, self.binding)

    def annotated(self, node: t.Annotated) -> Layout:
        return Join(self.expression(node.target), self.typed(node.type), self.default(node.value))

    def write(self, node: t.Write) -> Layout:
        return Join(self.targets(node.targets), " := ", self.expression(node.value))

    def draw(self, node: t.DrawStmt) -> Layout:
        return self.items(node.draws, self.one_draw)

    def role(self, node: t.RoleStmt) -> Layout:
        return self.listed(node.keyword, node.slots, self.slot)

    def term(self, node: t.TermStmt) -> Layout:
        if node.name is None:
            return Join(f"{node.sign} ", self.expression(node.value))
        return Join(f"{node.sign} {node.name.text}", self.bound(node.value))

    def constrain(self, node: t.ConstrainStmt) -> Layout:
        return Join("constrain ", self.expression(node.value), " by ", self.expression(node.by))

    def freeze(self, node: t.FreezeStmt) -> Layout:
        parts: list[Layout] = [self.listed("freeze", node.values, self.expression)]
        for word, value in (("where", node.where), ("until", node.until)):
            if value is not None:
                parts.extend((f" {word} ", self.expression(value)))
        return Join(*parts)

    def project(self, node: t.ProjectStmt) -> Layout:
        return Join("project ", self.expression(node.value), " to ", self.expression(node.to))

    def require(self, node: t.RequireStmt) -> Layout:
        return Join("require ", self.expression(node.value))

    def solve(self, node: t.SolveStmt) -> Layout:
        head = Join(f"solve {node.name.text}", self.typed(node.type), self.default(node.init))
        aim = Join(f"{node.sign} ", self.expression(node.value))
        return Group(head, Indent(2, SPACE, aim, SPACE, "by ", self.expression(node.by)))

    def optimizer(self, node: t.OptimizerStmt) -> Layout:
        if not node.targets:
            return Join("optimizer: ", self.expression(node.value))
        return Join(self.listed("optimizer", node.targets, self.expression), ": ", self.expression(node.value))

    def repeat(self, node: t.RepeatStmt) -> Layout:
        index = f"{node.index.text} in " if node.index else ""
        options = (" shared" if node.shared else "") + (f" as {node.label.text}" if node.label else "")
        return Join(f"repeat {index}", self.expression(node.count), options, " ", self.block(node.body))

    def scan(self, node: t.ScanStmt) -> Layout:
        index = f"{node.index.text} in " if node.index else ""
        reverse = " reversed" if node.reversed else ""
        return Join(f"scan {index}", self.expression(node.over), reverse, " ", self.block(node.body))

    def for_(self, node: t.ForStmt) -> Layout:
        return Join(f"for {node.index.text} in ", self.expression(node.over), " ", self.block(node.body))

    def if_(self, node: t.IfStmt) -> Layout:
        parts: list[Layout] = ["if ", self.expression(node.test), " ", self.block(node.then)]
        if node.other is not None:
            parts.extend((" else ", self.block(node.other)))
        return Join(*parts)

    def every(self, node: t.EveryStmt) -> Layout:
        body = self.block(node.body) if isinstance(node.body, t.Block) else self.statement(node.body)
        return Join("every ", self.expression(node.every), " ", body)

    def at(self, node: t.AtStmt) -> Layout:
        return Join(f"at {node.when} ", self.block(node.body))

    def stage(self, node: t.StageStmt) -> Layout:
        return Join(f"stage {node.name.text} ", self.block(node.body))

    def player(self, node: t.PlayerStmt) -> Layout:
        return Join(f"player {node.name.text} ", self.block(node.body))

    def table(self, node: t.TableStmt) -> Layout:
        return self.listed("table", node.entries, self.over)

    def return_(self, node: t.ReturnStmt) -> Layout:
        return Join("return ", self.expression(node.value))

    def run(self, node: t.RunStmt) -> Layout:
        seeds = "" if node.seeds is None else Join(", seeds: ", self.expression(node.seeds))
        return Join("run ", self.expression(node.target), self.bound(node.value), seeds)

    def vary(self, node: t.VaryStmt) -> Layout:
        return self.listed("vary", node.entries, self.varied)

    def expect(self, node: t.ExpectStmt) -> Layout:
        return self.listed("expect", node.values, self.expression)

    def dims(self, node: t.DimsItem) -> Layout:
        return self.listed("dim", node.dims, self.dim)

    def const(self, node: t.ConstItem) -> Layout:
        return self.listed("const", node.slots, self.slot)


STATEMENTS: dict[type, Callable[..., Any]] = {
    t.Bind: StatementPrinter.bind,
    t.Annotated: StatementPrinter.annotated,
    t.Write: StatementPrinter.write,
    t.DrawStmt: StatementPrinter.draw,
    t.RoleStmt: StatementPrinter.role,
    t.TermStmt: StatementPrinter.term,
    t.ConstrainStmt: StatementPrinter.constrain,
    t.FreezeStmt: StatementPrinter.freeze,
    t.ProjectStmt: StatementPrinter.project,
    t.RequireStmt: StatementPrinter.require,
    t.SolveStmt: StatementPrinter.solve,
    t.OptimizerStmt: StatementPrinter.optimizer,
    t.RepeatStmt: StatementPrinter.repeat,
    t.ScanStmt: StatementPrinter.scan,
    t.ForStmt: StatementPrinter.for_,
    t.IfStmt: StatementPrinter.if_,
    t.EveryStmt: StatementPrinter.every,
    t.AtStmt: StatementPrinter.at,
    t.StageStmt: StatementPrinter.stage,
    t.PlayerStmt: StatementPrinter.player,
    t.TableStmt: StatementPrinter.table,
    t.ReturnStmt: StatementPrinter.return_,
    t.RunStmt: StatementPrinter.run,
    t.VaryStmt: StatementPrinter.vary,
    t.ExpectStmt: StatementPrinter.expect,
    t.DimsItem: StatementPrinter.dims,
    t.ConstItem: StatementPrinter.const,
}
