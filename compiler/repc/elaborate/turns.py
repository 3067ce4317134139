"""Sites inside a `repeat`: `r.h[l]` is the value of `h` in turn l, stacked along the axis of turns (LANGUAGE.md 3.11).

Only names that some text reads from an application are stacked; of a name that is carried, the value after each turn.
"""

from __future__ import annotations

from rep_grammar import tree
from repc.dims import Dim, Equal
from repc.elaborate.body import Body
from repc.elaborate.values import Tensor
from repc.types import Axis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rep_grammar.spans import Span
    from repc.elaborate.context import Context


def read_names(context: Context) -> frozenset[str]:
    """Names that texts outside the library read with a dot, but from sources."""
    if context.sites_read is None:
        found: set[str] = set()
        for key, module in context.workspace.modules.items():
            if key.split(".")[0] == "std":
                continue
            sources: set[str] = set()
            reads: list[tree.Attr] = []
            for node in tree.walk(module.file):
                if isinstance(node, tree.RoleStmt) and node.keyword == "data":
                    sources |= {t.text for slot in node.slots for t in slot.targets if isinstance(t, tree.Name)}
                elif isinstance(node, tree.Attr):
                    reads.append(node)
            found |= {r.name.text for r in reads if not (isinstance(r.base, tree.Name) and r.base.text in sources)}
        context.sites_read = frozenset(found)
    return context.sites_read


def wanted(body: Body, sites: dict[str, str], axis: Axis) -> dict[str, Tensor]:
    """The sites of a turn that are read from outside, by name: values without the axis of turns."""
    read = read_names(body.context)
    made = {}
    for name, node in sites.items():
        if node not in body.nodes or not all(part in read for part in name.split(".")):
            continue
        type_ = body.nodes[node].type
        if not type_.fields and type_.kind.name != "record" and type_.axis(axis.label) is None:
            made[name] = Tensor(node, type_)
    return made


def ports(found: dict[str, Tensor], taken: set[str]) -> dict[str, str]:
    """A result name of the loop's body for each site."""
    made: dict[str, str] = {}
    for name in found:
        port = f"each.{name}"
        while port in taken:
            port += "_"
        taken.add(port)
        made[name] = port
    return made


def written(body: Body, each: list[dict[str, str]], axis: Axis, span: Span) -> None:
    """The sites of turns that were written out, where they are of one type."""
    rows = [wanted(body, sites, axis) for sites in each]
    for name, first in rows[0].items():
        column = [row[name] for row in rows if name in row and alike(body, row[name], first)]
        if len(column) != len(rows):
            continue
        body.facts = body.facts.with_(Equal(axis.size, Dim.of(len(rows)), span))
        body.sites[name] = body.prim("stack", column, span, **{"as": axis}).node


def alike(body: Body, left: Tensor, right: Tensor) -> bool:
    """Whether two values have the same axes."""
    pairs = [(axis, right.type.axis(axis.label)) for axis in left.type.axes]
    same = all(other is not None and body.facts.equal(axis.size, other.size) for axis, other in pairs)
    return same and len(left.type.axes) == len(right.type.axes) and left.type.kind.name == right.type.kind.name
