"""Which names a piece of a text refers to, and the order of declarations that follows."""

from __future__ import annotations

from rep_grammar import tree as t

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Fields whose names are labels (of a field, an argument, an axis ..) and refer to nothing by themselves.
_LABELS: dict[type[t.Node], frozenset[str]] = {
    t.Attr: frozenset({"name"}),
    t.Arg: frozenset({"name"}),
    t.RecordField: frozenset({"name"}),
    t.AxisItem: frozenset({"label"}),
    t.Option: frozenset({"name"}),
    t.Reduce: frozenset({"op"}),
    t.Stat: frozenset({"op"}),
    t.Arm: frozenset({"key"}),
    t.Claim: frozenset({"name"}),
    t.Formal: frozenset({"name", "kind"}),
    t.Param: frozenset({"name"}),
    t.DimDecl: frozenset({"name", "axis_kind"}),
    t.Slot: frozenset({"targets"}),
    t.Binding: frozenset({"targets"}),
    t.Write: frozenset({"targets"}),
    t.Annotated: frozenset({"target"}),
    t.OneDraw: frozenset({"target"}),
    t.Entry: frozenset({"path"}),
    t.TermStmt: frozenset({"name"}),
    t.SolveStmt: frozenset({"name"}),
    t.RepeatStmt: frozenset({"index", "label"}),
    t.ScanStmt: frozenset({"index"}),
    t.ForStmt: frozenset({"index"}),
    t.StageStmt: frozenset({"name"}),
    t.PlayerStmt: frozenset({"name"}),
    t.TableEntry: frozenset({"name"}),
    t.VaryEntry: frozenset({"name"}),
    t.GroupDef: frozenset({"name"}),
    t.OptionItem: frozenset({"name", "choices", "default"}),
    t.DefItem: frozenset({"name"}),
    t.Declaration: frozenset({"name"}),
    t.Derived: frozenset({"name"}),
    t.TrainItem: frozenset({"name"}),
    t.SpaceItem: frozenset({"name"}),
    t.Choice: frozenset({"path"}),
}
_NONE: frozenset[str] = frozenset()


def references(node: t.Node) -> Iterator[t.Name]:
    """The names in `node` that refer to something, in the order of the text; also those bound inside it."""
    stack: list[t.Node] = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, t.Name):
            yield top
            continue
        if isinstance(top, t.Path):
            # Of `std.nn.linear` only the first name is looked up in the file.
            yield top.parts[0]
            continue
        labels = _LABELS.get(type(top), _NONE)
        below: list[t.Node] = []
        for field in type(top).__match_args__:
            if field in labels:
                continue
            value = getattr(top, field)
            if isinstance(value, t.Node):
                below.append(value)
            elif isinstance(value, tuple):
                below.extend(item for item in value if isinstance(item, t.Node))
        stack.extend(reversed(below))


def arranged(uses: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Names so that each comes after what it uses, and the cycles: each once, from the first name of it in the text.

    Depth first without recursion; a name on a cycle comes somewhere in the order, so that work can go on.
    """
    order: list[str] = []
    cycles: list[tuple[str, ...]] = []
    done: set[str] = set()
    seen: set[frozenset[str]] = set()
    for root in uses:
        if root in done:
            continue
        path: list[str] = [root]
        on_path = {root}
        pending = [iter(uses[root])]
        while pending:
            for name in pending[-1]:
                if name in on_path:
                    cycle = tuple(path[path.index(name) :])
                    if frozenset(cycle) not in seen:
                        seen.add(frozenset(cycle))
                        cycles.append(cycle)
                elif name not in done and name in uses:
                    path.append(name)
                    on_path.add(name)
                    pending.append(iter(uses[name]))
                    break
            else:
                pending.pop()
                left = path.pop()
                on_path.discard(left)
                done.add(left)
                order.append(left)
    return tuple(order), tuple(cycles)
