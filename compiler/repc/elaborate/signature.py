"""What the parameters of a declaration are, told apart by their types (LANGUAGE.md 2.7)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.record import Record
from repc.names.entries import DeclarationEntry, TrainEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from repc.elaborate.context import Context
    from repc.names import Module

# Arguments that are written where they are passed, and mean something where they are used.
DEFERRED = {"source", "law"}

SCALARS = {"int", "float", "bool", "string", "number"}


class Parameter(Record):
    """A parameter with its role: `data | number | setting | choice | axes | block | source | law`."""

    name: str
    role: str
    node: tree.Param


class Signature(Record):
    """The parameters of a declaration and the axes that callers bind."""

    parameters: tuple[Parameter, ...]
    formals: tuple[tuple[str, str], ...]
    variadic: tuple[str, ...]
    slots: tuple[str, ...]

    def get(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def of_role(self, role: str) -> tuple[Parameter, ...]:
        """All parameters of one role, in order."""
        return tuple(parameter for parameter in self.parameters if parameter.role == role)

    def list_for(self, parameter: Parameter) -> tuple[str, str] | str | None:
        """The axis lists that an `axes` parameter binds by default: `In -> Out` as a pair, `Over` as a name."""
        default = parameter.node.default
        if isinstance(default, tree.Binary) and default.op == "->":
            left, right = default.left, default.right
            if isinstance(left, tree.Name) and isinstance(right, tree.Name):
                return left.text, right.text
        if isinstance(default, tree.AxesExpr) and len(default.axes) == 1 and default.axes[0].label is not None:
            return default.axes[0].label.text
        return default.text if isinstance(default, tree.Name) else None

    def usual(self) -> Iterator[tuple[str, tree.Expr]]:
        """Axes with a size of their own, for a source that no caller gives another: `length: axes = [T: 32]`."""
        for parameter in self.of_role("axes"):
            default = parameter.node.default
            if isinstance(default, tree.AxesExpr) and len(default.axes) == 1:
                (item,) = default.axes
                if item.label is not None and item.size is not None:
                    yield item.label.text, item.size


def signature(context: Context, module: Module, node: tree.Declaration | tree.TrainItem) -> Signature:
    """Read once from the text of a declaration; the tree lives as long as the context does."""
    known = context.signatures.get(id(node))
    if known is None:
        known = context.signatures[id(node)] = read_signature(context, module, node)
    return known


def read_signature(context: Context, module: Module, node: tree.Declaration | tree.TrainItem) -> Signature:
    """Parameters by role, formals, lists and slots."""
    params = node.params or ()
    parameters = tuple(Parameter(param.name.text, role(context, module, param), param) for param in params)
    types: list[tree.Node] = [param.type for param in params if param.type is not None]
    result = getattr(node, "result", None)
    if result is not None:
        types.append(result)
    variadic: dict[str, None] = {}
    for root in types:
        for item in tree.walk(root):
            if isinstance(item, tree.AxisItem) and item.variadic and isinstance(item.size, tree.Name):
                variadic[item.size.text] = None
    for parameter in parameters:
        default = parameter.node.default
        if parameter.role == "axes" and isinstance(default, tree.Binary):
            # A side of an axis change is a list, whether or not a type mentions it.
            own = {formal.name.text for formal in getattr(node, "formals", ())}
            sides = (side.text for side in (default.left, default.right) if isinstance(side, tree.Name))
            variadic |= dict.fromkeys(side for side in sides if side not in own)
    formals = tuple((f.name.text, f.kind.text if f.kind else "") for f in getattr(node, "formals", ()))
    slots = slot_names(node.body) if isinstance(node.body, tree.Block) else ()
    return Signature(parameters, formals, tuple(variadic), slots)


def slot_names(block: tree.Block) -> tuple[str, ...]:
    """Names of the slots that a body declares, wherever in it."""
    found = []
    for node in tree.statements(block):
        if isinstance(node, tree.RoleStmt) and node.keyword == "param":
            for slot in node.slots:
                for target in slot.targets:
                    base = target.base if isinstance(target, tree.Index) else target
                    if isinstance(base, tree.Name):
                        found.append(base.text)
    return tuple(found)


def role(context: Context, module: Module, param: tree.Param) -> str:
    """What an argument for this parameter has to be."""
    if param.choices is not None:
        return "choice"
    if param.type is None:
        return "setting" if param.default is not None else "data"
    return typed_role(context, module, param.type)


def typed_role(context: Context, module: Module, kind: tree.Expr) -> str:
    if isinstance(kind, tree.Name):
        if kind.text == "axes":
            return "axes"
        if kind.text in {*DEFERRED, "block"} and context.find(module, kind.text) is None:
            return kind.text
        if kind.text in SCALARS:
            return "number" if kind.text == "int" else "setting"
        entry = context.find(module, kind.text)
        if isinstance(entry, DeclarationEntry | TrainEntry):
            return "block"
        return "data"
    if isinstance(kind, tree.Binary):
        if kind.op == "->":
            left = kind.left
            return "axes" if isinstance(left, tree.Name) and left.text == "axes" else "block"
        return typed_role(context, module, kind.left)
    return "data"
