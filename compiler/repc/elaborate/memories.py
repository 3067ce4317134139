"""A memory's body: fields, coefficients and the one node that they make (DESIGN 3, LANGUAGE.md 7)."""

from __future__ import annotations

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import Dim, Symbol
from repc.elaborate.body import Body
from repc.elaborate.definitions import required
from repc.elaborate.expressions import evaluate
from repc.elaborate.memory_losses import written_loss
from repc.elaborate.signature import Signature
from repc.elaborate.stop import stop
from repc.elaborate.values import BlockValue, Callee, Function, Static, Tensor
from repc.elaborate.vocabulary import coefficient, field_word
from repc.ir import Attrs, Choice, MemoryRecord, Ref, Word
from repc.types import FLOAT, Axis, Type
from repc.words.memories import MEMORY_FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.values import Value
    from repc.words.memories import MemoryField

FIELDS = {field.name: field for field in MEMORY_FIELDS}
KERNELS = {"local_constant", "local_linear", "local_polynomial"}


def memory_body(body: Body, node: tree.Declaration, sig: Signature) -> None:
    """Resolve all fields, then make the memory node the body's result."""
    written = read_fields(body, node)
    roles = role_names(node, sig)
    q, k, v = (body.scope.find(name) for name in roles)
    if not (isinstance(q, Tensor) and isinstance(k, Tensor) and isinstance(v, Tensor)):
        raise stop(
            "memory-roles",
            node.name.span,
            name=node.name.text,
            role="q, k or v",
            shape="an axis of pairs and one of entries",
        )
    q, alone = standing(body, q, k, v, node)
    q, k, v = prepare(body, written, q, k, v, node)
    sequence, source = sequence_of(q, k, v, node)
    key = tuple(label for label in k.type.labels if label != source.label)
    value_axis = tuple(label for label in v.type.labels if label != source.label)
    choices = tuple((field.name, choice(body, field, written, key)) for field in MEMORY_FIELDS)
    choices = started(body, choices, k, v, source, node)
    causal = any(claim.name.text == "causal" for claim in node.claims)
    choices = visible(choices, causal, sequence, source)
    ports, names, args = inputs(body, choices, (q, k, v))
    record = MemoryRecord(
        sequence=sequence.label,
        source=source.label,
        key=key,
        value_axis=value_axis,
        roles=(("q", "q"), ("k", "k"), ("v", "v")),
        fields=renamed(choices, ports),
    )
    axes = tuple(axis for axis in q.type.axes if axis.label not in key) + tuple(
        axis for axis in v.type.axes if axis.label in value_axis
    )
    attrs = Attrs(record=record, ports=names)
    made = body.add("memory", tuple(args), attrs, Type(axes, FLOAT), node.name.span)
    body.result = made if alone is None else body.prim("pick", [made], node.name.span, axis=alone, at=Dim.of(0))
    body.sites["state"] = made.node


def standing(body: Body, q: Tensor, k: Tensor, v: Tensor, node: tree.Declaration) -> tuple[Tensor, Symbol | None]:
    """A single query gets an axis of its own, one long, which the result loses again."""
    shared = [axis for axis in k.type.axes if v.type.axis(axis.label) is not None]
    if len(shared) != 1 or any(k.type.axis(axis.label) is None or axis in shared for axis in q.type.axes):
        return q, None
    label = body.fresh("query")
    return body.prim("expand", [q], node.name.span, axes=(Axis(label, Dim.of(1), "plain", label),)), label


def read_fields(body: Body, node: tree.Declaration) -> dict[str, tuple[tree.Expr, object, str]]:
    """Fields as written in the body, those of `with` over them."""
    written: dict[str, tuple[tree.Expr, object, str]] = {}
    for statement in node.body.stmts:
        name = field_name(statement)
        if name is not None:
            if name in written:
                raise stop("duplicate-field", statement.span, name=name)
            written[name] = (field_value(statement), body.scope, "written")
        elif isinstance(statement, tree.RequireStmt):
            required(body, statement.value)
        elif isinstance(statement, tree.RoleStmt | tree.DefItem | tree.DimsItem | tree.ConstItem | tree.Bind):
            from repc.elaborate.statements import run

            run(body, statement)
        else:
            known = sorted(FIELDS)
            target = getattr(statement, "target", None)
            name = target.text if isinstance(target, tree.Name) else "this"
            from repc.elaborate.shapes import closest

            raise stop("unknown-memory-field", statement.span, suggestion=closest(name, known), name=name, known=known)
    for path, (value, scope) in body.overrides.items():
        if path in FIELDS:
            written[path] = (value, scope, "derived")
    return written


def field_name(statement: tree.Node) -> str | None:
    """The field that a statement sets."""
    if isinstance(statement, tree.OptimizerStmt):
        return "optimizer"
    if isinstance(statement, tree.Annotated) and statement.value is None:
        base = statement.target.base if isinstance(statement.target, tree.Index) else statement.target
        if isinstance(base, tree.Name) and base.text in FIELDS:
            return base.text
    return None


def field_value(statement: tree.Node) -> tree.Expr:
    if isinstance(statement, tree.OptimizerStmt):
        return statement.value
    assert isinstance(statement, tree.Annotated)
    if isinstance(statement.target, tree.Index):
        return tree.Index(statement.span, statement.type, statement.target.subs)
    return statement.type


def role_names(node: tree.Declaration, sig: Signature) -> tuple[str, str, str]:
    """The inputs that play q, k and v: by name, else the first three."""
    data = [parameter.name for parameter in sig.of_role("data")]
    if all(name in data for name in ("q", "k", "v")):
        return "q", "k", "v"
    if len(data) < 3:
        raise stop(
            "memory-roles",
            node.name.span,
            name=node.name.text,
            role="q, k or v",
            shape="an axis of pairs and one of entries",
        )
    return data[0], data[1], data[2]


def prepare(
    body: Body,
    written: dict[str, tuple[tree.Expr, object, str]],
    q: Tensor,
    k: Tensor,
    v: Tensor,
    node: tree.Declaration,
) -> tuple[Tensor, Tensor, Tensor]:
    """Feature maps, key normalisation and the target are ordinary values before the memory."""
    if "features" in written:
        q, k = (featured(body, written["features"], value, node) for value in (q, k))
    if "keys" in written:
        expr = written["keys"][0]
        word = field_word(body, FIELDS["keys"].families, expr)
        if word.name in {"l2norm", "l1norm"}:
            eps = word.get("eps")
            settings = {"eps": eps} if isinstance(eps, float) else {}
            source = sequence_of(q, k, v, node)
            q, k = (
                body.prim(
                    word.name,
                    [value],
                    expr.span,
                    over=tuple(a for a in value.type.labels if a != own.label),
                    **settings,
                )
                for value, own in ((q, source[0]), (k, source[1]))
            )
    if "target" in written:
        v = body.tensor(in_scope(body, written["target"]), written["target"][0].span)
    return q, k, v


def in_scope(body: Body, field: tuple[tree.Expr, object, str]) -> Value:
    """A field of the body is read here; one of `with` in the scope where it was written, beside the inputs."""
    expr, _scope, origin = field
    if origin == "written":
        return evaluate(body, expr)
    before = body.scope
    try:
        try_own = body.scope
        body.scope = try_own
        return evaluate(body, expr)
    finally:
        body.scope = before


def featured(body: Body, field: tuple[tree.Expr, object, str], value: Tensor, node: tree.Declaration) -> Tensor:
    """A feature map applied to queries and keys alike: one block for both."""
    expr = field[0]
    made = named_features(body, expr, value)
    if made is not None:
        return made
    phi = in_scope(body, field)
    call = tree.Call(expr.span, expr, (tree.Arg(expr.span, None, tree.Name(expr.span, "q")),))
    from repc.elaborate.calls import apply_block, block_at, sort_arguments
    from repc.elaborate.functions import inlined
    from repc.elaborate.instances import declaration
    from repc.elaborate.signature import signature

    if isinstance(phi, Function):
        hidden = tree.Name(expr.span, " features")
        body.scope.bind(hidden.text, value, expr.span)
        return body.tensor(
            inlined(body, phi, tree.Call(expr.span, expr, (tree.Arg(expr.span, None, hidden),))), expr.span
        )
    if isinstance(phi, Callee | BlockValue):
        callee = phi if isinstance(phi, Callee) else phi.callee
        module, text = declaration(body.context, callee)
        sig = signature(body.context, module, text)
        arguments = sort_arguments(body, callee, sig, tree.Call(expr.span, expr, ()))
        block = block_at(body, callee, call, arguments) if isinstance(phi, Callee) else phi
        arguments.data[sig.of_role("data")[0].name] = value
        return body.tensor(apply_block(body, block, sig, arguments, expr.span), expr.span)
    raise stop("feature-map-expected", expr.span, name=node.name.text)


def named_features(body: Body, expr: tree.Expr, value: Tensor) -> Tensor | None:
    """Point-wise feature maps that have a word."""
    if not isinstance(expr, tree.Name) or body.scope.find(expr.text) is not None:
        return None
    if expr.text == "identity":
        return value
    if expr.text == "relu":
        return body.prim("relu", [value], expr.span)
    if expr.text == "elu1":
        return body.prim("add", [body.prim("elu", [value], expr.span), Static(1.0)], expr.span)
    return None


def sequence_of(q: Tensor, k: Tensor, v: Tensor, node: tree.Declaration) -> tuple[Axis, Axis]:
    """The axis along which pairs arrive, and that of the queries: one, unless the memory is across."""
    shared = [axis for axis in k.type.axes if v.type.axis(axis.label) is not None]
    both = [axis for axis in shared if q.type.axis(axis.label) is not None]
    first = next((axis for axis in both if axis.kind == "seq"), None)
    own = [axis for axis in q.type.axes if k.type.axis(axis.label) is None]
    across = [axis for axis in shared if axis not in both]
    if first is None and len(across) == 1 and len(own) == 1:
        return own[0], across[0]
    if both:
        return first or both[0], first or both[0]
    raise stop("memory-sequence", node.name.span, name=node.name.text)


def choice(
    body: Body, field: MemoryField, written: dict[str, tuple[tree.Expr, object, str]], key: tuple[Symbol, ...]
) -> Choice:
    """A field with its value and where it came from."""
    if field.name not in written:
        return Choice(default(body, field, written, key), "default")
    expr, scope, origin = written[field.name]
    if field.name in {"features", "keys", "target"}:
        return Choice(Word("applied"), origin, expr.span)
    if isinstance(expr, tree.Index):
        return Choice(formula(body, expr), origin, expr.span)
    word = worded(body, field, expr, scope)
    return Choice(word, origin, expr.span)


def default(
    body: Body, field: MemoryField, written: dict[str, tuple[tree.Expr, object, str]], key: tuple[Symbol, ...]
) -> Word:
    """The default; a kernel regressor scales its query by 1 / sqrt(K)."""
    if field.name == "scale" and "regressor" in written:
        regressor = field_word(body, FIELDS["regressor"].families, written["regressor"][0])
        if regressor.name in KERNELS:
            return Word("rsqrt", (("size", key_size(body, key)),))
    if field.default.replace(".", "").isdigit():
        return Word("constant", (("value", int(field.default)),))
    if field.name in {"features", "keys", "target"}:
        return Word("applied")
    return Word(field.default)


def key_size(body: Body, key: tuple[Symbol, ...]) -> Dim:
    size = Dim.of(1)
    for node in body.nodes.values():
        if node.kind == "input" and all(node.type.axis(label) is not None for label in key):
            for label in key:
                axis = node.type.axis(label)
                assert axis is not None
                size = size * axis.size
            return size
    return size


def worded(body: Body, field: MemoryField, expr: tree.Expr, scope: object) -> Word:
    """A word of the field's families, a number, or an expression of the memory's inputs."""
    if isinstance(expr, tree.Number):
        return Word("constant", (("value", expr.value),))
    name = expr.func if isinstance(expr, tree.Call) else expr
    from repc.words import find

    if (
        isinstance(name, tree.Name)
        and find(name.text, *field.families) is not None
        and body.scope.find(name.text) is None
    ):
        return field_word(body, field.families, expr)
    if field.name == "loss":
        loss = written_loss(body, expr)
        if loss is not None:
            return loss
    if field.free or field.name in {"per", "scale"}:
        value = evaluate(body, expr)
        made = coefficient(body, value, expr.span)
        return Word("value", (("value", made),)) if isinstance(made, Ref) else Word("constant", (("value", made),))
    return field_word(body, field.families, expr)


def started(
    body: Body, choices: tuple[tuple[str, Choice], ...], k: Tensor, v: Tensor, source: Axis, node: tree.Declaration
) -> tuple[tuple[str, Choice], ...]:
    """A learned state gets its slots; a fitted network, which learns nothing from zeros, is always learned."""
    from repc.elaborate.memory_start import learned

    found = dict(choices)
    init, regressor = found["init"], found["regressor"].value
    if init.value.name != "learned" and not (regressor.name == "mlp" and init.origin == "default"):
        return choices
    key, values = (tuple(axis for axis in x.type.axes if axis.label != source.label) for x in (k, v))
    made = learned(body, regressor, key, values, init.span or node.name.span)
    return tuple((name, Choice(made, init.origin, init.span) if name == "init" else old) for name, old in choices)


def formula(body: Body, expr: tree.Index) -> Word:
    """`weights[t in T, s in S]: e`: a weight for every query and pair."""
    from repc.elaborate.definitions import indexed

    target = tree.Index(expr.span, tree.Name(expr.span, "weights"), expr.subs)
    made = indexed(body, target, expr.base)
    return Word("matrix", (("value", Ref(made.node)),))


def visible(
    choices: tuple[tuple[str, Choice], ...], causal: bool, query: Axis, source: Axis
) -> tuple[tuple[str, Choice], ...]:
    """Across two axes there is no order: every pair is visible."""
    if query.label == source.label:
        return choices
    made = []
    for name, choice_ in choices:
        if name == "weights" and choice_.value.name == "uniform":
            made.append((name, Choice(Word("full"), choice_.origin, choice_.span)))
        else:
            made.append((name, choice_))
    return tuple(made)


def inputs(
    body: Body, choices: tuple[tuple[str, Choice], ...], qkv: tuple[Tensor, ...]
) -> tuple[dict[str, str], tuple[str, ...], list[str]]:
    """What the memory reads: ports by node for coefficients, then all ports and their nodes, q, k and v first."""
    args = [tensor.node for tensor in qkv]
    names = ["q", "k", "v"]
    ports: dict[str, str] = {}
    for _, choice_ in choices:
        for node in refs(choice_.value):
            if node in ports:
                continue
            own = body.nodes[node]
            port = str(own.attrs["port"]) if own.kind == "input" else f"c{len(names) - 2}"
            ports[node] = port if port not in names else f"c{len(names) - 2}"
            args.append(node)
            names.append(ports[node])
    return ports, tuple(names), args


def refs(word: Word) -> list[str]:
    """Nodes that a word mentions."""
    found: list[str] = []
    for _, value in word.args:
        if isinstance(value, Ref):
            found.append(value.node)
        elif isinstance(value, Word):
            found.extend(refs(value))
    return found


def renamed(choices: tuple[tuple[str, Choice], ...], ports: dict[str, str]) -> tuple[tuple[str, Choice], ...]:
    """Refs as ports of the memory."""
    return tuple((name, Choice(swap(c.value, ports), c.origin, c.span)) for name, c in choices)


def swap(word: Word, ports: dict[str, str]) -> Word:
    made: list[tuple[str, object]] = []
    for name, value in word.args:
        if isinstance(value, Ref):
            made.append((name, Ref(ports[value.node])))
        else:
            made.append((name, swap(value, ports) if isinstance(value, Word) else value))
    return Word(word.name, tuple(made))


__all__ = ["Span", "memory_body"]
