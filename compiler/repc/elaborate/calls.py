"""Calls: arguments sorted to parameters, axes bound, the rest lifted (LANGUAGE.md 1.5-1.8, 2.7, 3.1-3.3)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim
from repc.elaborate import records
from repc.elaborate.absent import condition_of, only_where
from repc.elaborate.binding import Binding, bind_axes
from repc.elaborate.body import Body, describe
from repc.elaborate.expressions import evaluate
from repc.elaborate.instances import Request, check_choice, declaration, instance, setting_value
from repc.elaborate.signature import DEFERRED, Parameter, Signature, signature
from repc.elaborate.stop import stop
from repc.elaborate.values import (
    Arrow,
    Axes,
    BlockValue,
    Builtin,
    Callee,
    Deferred,
    Fields,
    Function,
    Label,
    LibraryWord,
    Member,
    Series,
    Static,
    Tensor,
    WordValue,
)
from repc.ir import Origin, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.instances import Instance
    from repc.elaborate.values import Value


class Arguments:
    """The arguments of one call, by parameter."""

    __slots__ = ("axes", "config", "data", "options", "slots", "span", "spans")

    def __init__(self, span: Span) -> None:
        self.span = span
        self.data: dict[str, Value] = {}
        self.config: dict[str, Value] = {}
        self.axes: dict[str, Value] = {}
        self.slots: dict[str, Value] = {}
        self.options: dict[str, Value] = {}
        self.spans: dict[str, Span] = {}


def called(body: Body, expr: tree.Call) -> Value:
    """`f(x, over: K)`."""
    if isinstance(expr.func, tree.Name) and body.scope.find(expr.func.text) is None:
        from repc.elaborate.builtins import BUILTINS

        entry = body.context.find(body.module, expr.func.text)
        absent = body.context.unresolved(body.module, expr.func.text)
        if entry is None and expr.func.text in BUILTINS and not absent:
            return BUILTINS[expr.func.text](body, expr)
    func = evaluate(body, expr.func)
    if isinstance(func, Builtin):
        from repc.elaborate.builtins import BUILTINS

        return BUILTINS[func.name](body, expr)
    only = condition_of(body, func, expr)
    if only is not None:
        return only_where(body, call_value(body, func, only[0]), only[1])
    return call_value(body, func, expr)


def call_value(body: Body, func: Value, expr: tree.Call) -> Value:
    """What stands before the parentheses, on what stands in them."""
    if isinstance(func, Callee):
        return call_declaration(body, func, expr)
    if isinstance(func, BlockValue):
        return call_block(body, func, expr)
    if isinstance(func, Member):
        from repc.elaborate.families import call_member

        return call_member(body, func, expr)
    if isinstance(func, Function):
        from repc.elaborate.functions import inlined

        return inlined(body, func, expr)
    if isinstance(func, LibraryWord):
        from repc.elaborate.vocabulary import word_call

        return word_call(body, func, expr)
    raise stop("not-callable", expr.func.span, found=describe(func))


def sort_arguments(body: Body, callee: Callee, sig: Signature, expr: tree.Call) -> Arguments:
    """Every argument to its parameter; an unknown name is an error with the nearest."""
    made = Arguments(expr.span)
    data = [parameter.name for parameter in sig.parameters if parameter.role in {"data", "source"}]
    arrows = list(sig.of_role("axes"))
    waiting = list(data)
    written = {arg.name.text for arg in expr.args if arg.name is not None}
    blocks = [parameter for parameter in sig.of_role("block") if parameter.name not in written]
    formals = iter([name for name, _ in sig.formals] if not data else [])
    for arg in expr.args:
        if arg.name is None:
            if is_arrow(arg.value) and arrows:
                made.axes[arrows[0].name] = evaluate(body, arg.value)
                made.spans[arrows[0].name] = arg.span
                continue
            formal = next(formals, None)
            if formal is not None:
                # A declaration without data is asked for by its axes: `positions(T, D)`.
                made.axes[formal] = axes_value(body, arg.value)
                made.spans[formal] = arg.span
                continue
            if blocks and passed_block(body, arg.value):
                made.config[blocks[0].name] = config_value(body, blocks[0], arg)
                made.spans[blocks.pop(0).name] = arg.span
                continue
            source = bool(waiting) and sig.get(waiting[0]) in sig.of_role("source")
            value = Deferred(arg.value, body.scope) if source else data_value(body, arg.value)
            while waiting and not accepts(sig, waiting[0], value):
                waiting.pop(0)
            name = waiting.pop(0) if waiting else None
            if name is None:
                raise stop(
                    "too-many-arguments", arg.span, callee=callee.title, expected=len(data), parameters=data or ["none"]
                )
            (made.config if isinstance(value, Deferred) else made.data)[name] = value
            made.spans[name] = arg.span
            continue
        named(body, callee, sig, made, arg, written)
    return made


def accepts(sig: Signature, name: str, value: Value) -> bool:
    """Whether a value in its turn is for this parameter: one that may be left out is, if it takes another kind."""
    parameter = sig.get(name)
    if parameter is None or parameter.node.default is None or not isinstance(value, Tensor):
        return True
    kind = parameter.node.type
    counts = isinstance(kind, tree.Binary) and kind.op == "of"
    return counts == (value.type.kind.name not in {"float", "number"})


def passed_block(body: Body, expr: tree.Expr) -> bool:
    """Whether the bare name of a block stands here; blocks are told from values by what they are (2.7)."""
    return isinstance(expr, tree.Name) and isinstance(body.scope.find(expr.text), BlockValue)


def is_arrow(expr: tree.Expr) -> bool:
    return isinstance(expr, tree.Binary) and expr.op == "->"


def data_value(body: Body, expr: tree.Expr) -> Value:
    """Data under indices may leave trailing axes unsubscripted (4.10)."""
    if isinstance(expr, tree.Index):
        from repc.elaborate.subscripts import subscripted

        return subscripted(body, expr, partial=True)
    return evaluate(body, expr)


def named(body: Body, callee: Callee, sig: Signature, made: Arguments, arg: tree.Arg, written: set[str]) -> None:
    """One named argument."""
    assert arg.name is not None
    name = arg.name.text
    made.spans[name] = arg.span
    parameter = sig.get(name)
    if name in made.data or name in made.config:
        raise stop("argument-twice", arg.span, name=name)
    if parameter is not None and parameter.role == "data":
        made.data[name] = data_value(body, arg.value)
    elif parameter is not None and parameter.role == "axes":
        made.axes[name] = axes_value(body, arg.value)
    elif parameter is not None and (along := true_along(body, parameter, arg.value)) is not None:
        made.config[name] = Static(True)
        over = next((own for own in sig.of_role("axes") if own.name == "over"), None)
        if over is not None and "over" not in written:
            made.axes[over.name] = along
            made.spans[over.name] = arg.span
    elif parameter is not None:
        made.config[name] = config_value(body, parameter, arg)
    elif name in sig.variadic or name in dict(sig.formals) or is_free_dim(body, callee, name):
        made.axes[name] = axes_value(body, arg.value)
    elif name in sig.slots or name == "params":
        made.slots[name] = evaluate(body, arg.value)
    elif name in {"per", "init"}:
        made.options[name] = axes_value(body, arg.value) if name == "per" else initial(body, arg.value)
    elif name == "as" and any(p.name == "over" for p in sig.of_role("axes")):
        made.options[name] = axes_value(body, arg.value)
    else:
        from repc.elaborate.shapes import closest

        names = [p.name for p in sig.parameters] + [*sig.variadic, *dict(sig.formals), *sig.slots, "per"]
        raise stop(
            "unknown-argument",
            arg.name.span,
            suggestion=closest(name, names),
            name=name,
            callee=callee.title,
            names=names,
        )


def true_along(body: Body, parameter: Parameter, expr: tree.Expr) -> Axes | None:
    """`causal: T`: a truth value given an axis is true, and is true along that axis."""
    from repc.elaborate.shapes import known

    default = parameter.node.default
    if not isinstance(default, tree.Name) or default.text not in {"true", "false"}:
        return None
    if not isinstance(expr, tree.Name) or body.scope.find(expr.text) is not None:
        return None
    axes = known(body, expr)
    return None if axes is None else Axes(axes)


def initial(body: Body, expr: tree.Expr) -> Value:
    """`init: zeros`: an initial law by name, or a value."""
    from repc.elaborate.slots import init_law

    law = init_law(body, expr)
    if law is not None:
        return WordValue(law, expr.span)
    value = evaluate(body, expr)
    if isinstance(value, Static) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
        return WordValue(Word("constant", (("value", float(value.value)),)), expr.span)
    if isinstance(value, WordValue) or nothing(value):
        return value
    raise stop("config-needs-static", expr.span, name="init")


def is_free_dim(body: Body, callee: Callee, name: str) -> bool:
    """Whether a name is a dim of the callee's file that callers bind."""
    from repc.names.entries import DimEntry

    module = body.context.module(callee.module)
    return isinstance(module.find(name), DimEntry)


def axes_value(body: Body, expr: tree.Expr) -> Value:
    """Axes, or a number that binds a size."""
    from repc.elaborate.expressions import side

    if isinstance(expr, tree.Binary) and expr.op == "->":
        return evaluate(body, expr)
    if isinstance(expr, tree.Name | tree.AxesExpr):
        return side(body, expr)
    return evaluate(body, expr)


def config_value(body: Body, parameter: Parameter, arg: tree.Arg) -> Value:
    """A configuration argument must be known while compiling."""
    passed_on = isinstance(arg.value, tree.Name) and isinstance(body.scope.find(arg.value.text), Deferred)
    makes = parameter.role == "block" and isinstance(arg.value, tree.Call) and body.keyword == "derived"
    if parameter.role in DEFERRED or passed_on or makes:
        return Deferred(arg.value, body.scope)
    if parameter.role == "choice":
        from repc.elaborate.expressions import item

        value = item(body, arg.value)
        check_choice(body, parameter, value, arg.value)
        return value
    from repc.elaborate.slots import init_law

    law = init_law(body, arg.value) if parameter.role == "setting" else None
    if law is not None:
        return WordValue(law, arg.span)
    value = setting_value(body, parameter, arg.value)
    if isinstance(value, Tensor) and parameter.role != "block":
        raise stop("config-needs-static", arg.span, name=parameter.name)
    return value


# ---- declarations


def call_declaration(body: Body, callee: Callee, expr: tree.Call) -> Value:
    """A block where no data is given, else a block and its application at once."""
    module, node = declaration(body.context, callee)
    sig = signature(body.context, module, node)
    if node.keyword == "data":
        from repc.elaborate.sources import source_call

        return source_call(body, callee, sig, expr)
    arguments = sort_arguments(body, callee, sig, expr)
    made = block_at(body, callee, expr, arguments)
    if not arguments.data and sig.of_role("data"):
        return made
    return apply_block(body, made, sig, arguments, expr.span)


def block_at(body: Body, callee: Callee, expr: tree.Call, arguments: Arguments) -> BlockValue:
    """The one block of a site (3.4); looking at a site twice makes no second."""
    place = (expr.span, body.turn)
    if place in body.made:
        return body.made[place]
    hint = snake(callee.title)
    made = BlockValue(callee, hint, expr.span)
    made.config = dict(arguments.config)
    made.bound = {**arguments.axes, **{f"slot:{name}": value for name, value in arguments.slots.items()}}
    for option in ("as", "init"):
        if option in arguments.options:
            made.bound[f"{option}:"] = arguments.options[option]
    per = arguments.options.get("per")
    if isinstance(per, Axes):
        made.per = per.axes
    body.made[place] = made
    body.blocks.append(made)
    return made


def snake(name: str) -> str:
    """`MyMixer` as `my_mixer`."""
    out = ""
    for i, letter in enumerate(name):
        if letter.isupper() and i and (name[i - 1].islower() or name[i + 1 : i + 2].islower()):
            out += "_"
        out += letter.lower()
    return out


def call_block(body: Body, block: BlockValue, expr: tree.Call) -> Value:
    """An application of a block that has a name."""
    module, node = declaration(body.context, block.callee)
    sig = signature(body.context, module, node)
    arguments = sort_arguments(body, block.callee, sig, expr)
    if arguments.config:
        name = next(iter(arguments.config))
        raise stop("config-on-application", arguments.spans[name], name=name, block=block.path or block.hint)
    return apply_block(body, block, sig, arguments, expr.span)


def apply_block(body: Body, block: BlockValue, sig: Signature, arguments: Arguments, span: Span) -> Value:
    """Bind axes, make the graph, lift the rest."""
    missing = [p.name for p in sig.of_role("data") if p.node.default is None and p.name not in arguments.data]
    if missing:
        raise stop("missing-argument", span, name=missing[0], callee=block.callee.title)
    slots: dict[str, Value] = {name[5:]: value for name, value in block.bound.items() if name.startswith("slot:")}
    slots |= arguments.slots
    params = slots.pop("params", None)
    request = requested(block, sig, arguments, slots)
    written = {name: value for name, value in block.bound.items() if ":" not in name} | arguments.axes
    arrows = [value for value in written.values() if isinstance(value, Arrow)]
    for arrow in arrows:
        records.flatten_argument(body, arrow, arguments.data, span)
    data = flatten(body, arguments, span)
    binding = Binding(body, block.callee, sig, written, data, arguments.spans, span, block.per)
    request.arity = binding.arities()
    made = instance(body.context, request, Origin(span, ()))
    if body.keyword == "train" and made.owns and not block.path and learns(body, made):
        raise stop("inline-model-in-train", span, callee=block.callee.title)
    block.graph = made.graph.name
    supplied = {f"slot:{name}": body.tensor(value, span) for name, value in slots.items() if not nothing(value)}
    if params is not None:
        made = records.supply(body, block, made, binding, params, supplied, span)
    result = bind_axes(body, block, made, binding, data | supplied, span)
    for arrow in arrows:
        result = records.unflattened(body, result, arrow.right, span)
    for name, graph, sizes in made.passed:
        inner = block.config.get(name)
        if isinstance(inner, BlockValue) and not inner.graph:
            inner.graph = graph
            inner.sizes.update((symbol, size.subst(binding.sizes)) for symbol, size in sizes)
    names = block.bound.get("as:")
    return result if names is None else renamed_over(body, sig, binding, result, names, span)


def learns(body: Body, made: Instance) -> bool:
    """Whether a declaration has parameters, those of its blocks included."""
    from repc.elaborate.counting import counted

    return bool(counted(body.context.graphs, made.graph).terms)


def renamed_over(body: Body, sig: Signature, binding: Binding, result: Value, names: Value, span: Span) -> Value:
    """`as: [P, Q]`: names for what the axes of `over` became; sizes that agree in numbers alone leave a fact."""
    over = next(p for p in sig.of_role("axes") if p.name == "over")
    listed = sig.list_for(over)
    old = binding.lists.get(listed, ()) if isinstance(listed, str) else ()
    new = names.axes if isinstance(names, Axes) else ()
    if not isinstance(result, Tensor) or len(old) != len(new):
        raise stop("arrow-lengths", span, left=len(old), right=len(new))
    pairs = []
    for before, after in zip(old, new, strict=True):
        own = result.type.axis(before.label)
        if own is None:
            raise stop("no-such-axis", span, axis=before.label, type=result.type)
        if not body.agree(after.size, own.size, span):
            raise stop("sizes-of-result", span, axis=after.label, expected=after.size, found=own.size)
        pairs.append((before.label, after.label))
    return body.prim("relabel", [result], span, labels=tuple(pairs))


def nothing(value: Value) -> bool:
    """`none` and `false` leave a slot out."""
    return isinstance(value, Static) and (value.value is None or value.value is False)


def requested(block: BlockValue, sig: Signature, arguments: Arguments, slots: dict[str, Value]) -> Request:
    """The structural part of a call."""
    request = Request(block.callee)
    for name, value in block.config.items():
        parameter = sig.get(name)
        if parameter is not None and parameter.role == "block":
            request.blocks[name] = value
        elif isinstance(value, Static) and isinstance(value.value, Dim):
            request.numbers[name] = None
        elif parameter is not None and parameter.role == "number" and isinstance(value, Static):
            request.numbers[name] = value.value if isinstance(value.value, int) else None
        elif isinstance(value, Static | Label | Series | WordValue):
            request.settings[name] = value
        else:
            request.blocks[name] = value
    if isinstance(block.bound.get("init:"), WordValue):
        request.settings["init:"] = block.bound["init:"]
    request.supplied = {name: not nothing(value) for name, value in slots.items()}
    request.present = {
        name for name in arguments.data if (p := sig.get(name)) is not None and p.node.default is not None
    }
    return request


def flatten(body: Body, arguments: Arguments, span: Span) -> dict[str, Tensor]:
    """Data arguments as nodes, records field by field."""
    made: dict[str, Tensor] = {}
    for name, value in arguments.data.items():
        if isinstance(value, Fields) and value.items and value.call is None:
            for field, inner in value.items:
                made[f"{name}.{field}"] = body.tensor(inner, span)
        else:
            made[name] = body.tensor(value, arguments.spans.get(name, span))
    return made


__all__ = ["Arguments", "Arrow", "apply_block", "call_declaration", "called", "snake", "sort_arguments"]
