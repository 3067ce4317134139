"""Items of a file to layouts, and the file itself."""

from __future__ import annotations

from rep_grammar import tree as t
from rep_grammar.layout import SPACE, Either, Group, Indent, Join, is_hard
from rep_grammar.printer_statements import STATEMENTS, StatementPrinter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rep_grammar.layout import Layout


class ItemPrinter(StatementPrinter):
    """Layouts of everything that a file holds."""

    def file(self, node: t.File) -> Layout:
        header = () if node.header is None else (node.header,)
        return Join(*self.sequence((*header, *node.items), 0, len(self.text)))

    def header(self, node: t.Header) -> Layout:
        return f"rep {node.version.text}"

    def path(self, node: t.Path) -> str:
        return ".".join(part.text for part in node.parts)

    def use(self, node: t.Use) -> Layout:
        if node.file is not None:
            source, end = f'"{node.file.value}"', node.file.span.end
        else:
            assert node.path is not None
            source, end = self.path(node.path), node.path.span.end
        imports = self.bracketed("(", node.imports, self.imported, self.token_after(end), ")")
        if not node.entries:
            return Join(f"use {source} ", imports)
        closer = self.token_after(node.imports[-1].span.end)
        return Join(f"use {source} ", imports, " with ", self.entries(node.entries, closer + 1))

    def imported(self, node: t.Import) -> Layout:
        return f"{node.name.text} as {node.alias.text}" if node.alias else node.name.text

    def replace(self, node: t.Replace) -> Layout:
        return f"replace {self.path(node.path)} = {self.path(node.new)}"

    def group(self, node: t.GroupItem) -> Layout:
        return self.listed("group", node.groups, self.group_def)

    def group_def(self, node: t.GroupDef) -> Layout:
        return Join(f"{node.name.text} = ", self.expression(node.value))

    def option(self, node: t.OptionItem) -> Layout:
        return Join(f"option {node.name.text} in ", self.expression(node.choices), self.default(node.default))

    # ---- declarations

    def signature(
        self,
        word: str,
        name: t.Name,
        formals: Sequence[t.Formal],
        params: Sequence[t.Param] | None,
        result: t.Expr | None,
        claims: Sequence[t.Claim],
    ) -> Layout:
        """Everything before the body; the result goes to a line of its own before the parameters are broken."""
        end = name.span.end
        parts: list[Layout] = [f"{word} {name.text}"]
        if formals:
            parts.append(self.bracketed("[", formals, self.formal, self.token_after(end), "]"))
            end = self.token_after(formals[-1].span.end) + 1
        if params is not None:
            parts.append(self.bracketed("(", params, self.param, self.token_after(end), ")"))
        tail: list[Layout] = []
        if result is not None:
            tail.extend(("-> ", self.expression(result)))
        for claim in claims:
            tail.append(Group(SPACE, self.claim(claim)) if tail else self.claim(claim))
        if not tail:
            return Group(*parts)
        behind = Join(*parts, " ", Indent(4, *tail))
        if any(map(is_hard, parts)):
            return behind
        return Either(Join(*parts), Group(*parts, Indent(4, SPACE, *tail)), behind)

    def formal(self, node: t.Formal) -> Layout:
        return f"{node.name.text}: {node.kind.text}" if node.kind else node.name.text

    def claim(self, node: t.Claim) -> Layout:
        assumed = "assume " if node.assumed else ""
        args = "" if node.args is None else self.arguments(node.args, node.name.span.end)
        return Join(assumed, node.name.text, args)

    def param(self, node: t.Param) -> Layout:
        subs = "" if node.subs is None else self.subs(node.subs, binder=True)
        parts: list[Layout] = [node.name.text, subs, self.typed(node.type)]
        for claim in node.claims:
            parts.extend((" ", self.claim(claim)))
        if node.choices is not None:
            parts.extend((" in ", self.expression(node.choices)))
        return Join(*parts, self.default(node.default))

    def declaration(self, node: t.Declaration) -> Layout:
        head = self.signature(node.keyword, node.name, node.formals, node.params, node.result, node.claims)
        return Join(head, " ", self.block(node.body))

    def derived(self, node: t.Derived) -> Layout:
        head = self.signature(node.keyword, node.name, (), node.params, None, ())
        return Join(head, self.bound(node.value))

    def train(self, node: t.TrainItem) -> Layout:
        return Join(self.signature("train", node.name, (), node.params, None, ()), self.body(node.body))

    def def_(self, node: t.DefItem) -> Layout:
        return Join(self.signature("def", node.name, (), node.params, node.result, ()), self.body(node.body))

    def body(self, node: t.Block | t.Expr) -> Layout:
        return Join(" ", self.block(node)) if isinstance(node, t.Block) else self.bound(node)

    def space(self, node: t.SpaceItem) -> Layout:
        start = self.token_after(node.of.span.end)
        return Join(f"space {node.name.text} of {self.path(node.of)} ", self.braced(node.members, start, node.span.end))

    def choices(self, node: t.Choices) -> Layout:
        return self.items(node.choices, self.choice)

    def choice(self, node: t.Choice) -> Layout:
        return Join(self.expression(node.path), " in ", self.expression(node.values))

    def where(self, node: t.Where) -> Layout:
        return self.listed("where", node.conditions, self.expression)

    def experiment(self, node: t.ExperimentItem) -> Layout:
        return Join(f'experiment "{node.title.value}" ', self.block(node.body))


ItemPrinter.shows = {
    **STATEMENTS,
    t.Header: ItemPrinter.header,
    t.Use: ItemPrinter.use,
    t.Replace: ItemPrinter.replace,
    t.GroupItem: ItemPrinter.group,
    t.OptionItem: ItemPrinter.option,
    t.Declaration: ItemPrinter.declaration,
    t.Derived: ItemPrinter.derived,
    t.TrainItem: ItemPrinter.train,
    t.DefItem: ItemPrinter.def_,
    t.SpaceItem: ItemPrinter.space,
    t.Choices: ItemPrinter.choices,
    t.Where: ItemPrinter.where,
    t.ExperimentItem: ItemPrinter.experiment,
}
