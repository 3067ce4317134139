"""Which axis of the caller stands for which axis of the callee; what is left is lifted (LANGUAGE.md 1.5-1.8)."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar import tree
from rep_grammar.spans import Span
from repc.dims import AtLeast, Dim, Divides, Equal, Symbol
from repc.elaborate.absent import carried
from repc.elaborate.instances import symbol_scope
from repc.elaborate.stop import stop
from repc.elaborate.values import Arrow, Axes, BlockValue, Callee, Fields, Static, Tensor
from repc.ir import Attrs, Node
from repc.types import Axis, Kind, Refinement, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.elaborate.body import Body
    from repc.elaborate.instances import Instance
    from repc.elaborate.signature import Signature
    from repc.elaborate.values import Value


class Binding:
    """What a call says about the callee's axes, before and after its graph is known."""

    def __init__(
        self,
        body: Body,
        callee: Callee,
        sig: Signature,
        written: Mapping[str, Value],
        data: Mapping[str, Tensor],
        spans: Mapping[str, Span],
        span: Span,
        per: tuple[Axis, ...] = (),
    ) -> None:
        self.body = body
        self.callee = callee
        self.sig = sig
        self.data = data
        self.spans = spans
        self.span = span
        self.per = {axis.label for axis in per}
        self.lists: dict[str, tuple[Axis, ...]] = {}
        self.numbers: dict[str, Dim] = {}
        self.axes: dict[Symbol, Axis] = {}
        self.sizes: dict[Symbol, Dim] = {}
        self.spaces: dict[Symbol, Symbol] = {}
        self.counted: set[Symbol] = set()
        for name, value in written.items():
            self.write(name, value)

    def write(self, name: str, value: Value) -> None:
        """A written binding: `over: K`, `D -> [H, K]`, `Feature: K`, `N: 8`."""
        parameter = self.sig.get(name)
        target: tuple[str, str] | str | None = name
        if parameter is not None and parameter.role == "axes":
            target = self.sig.list_for(parameter)
        if isinstance(value, Arrow) and isinstance(target, tuple):
            for own, side in zip(target, (value.left, value.right), strict=True):
                self.lists[own] = self.as_axes(side)
        elif isinstance(target, str):
            if isinstance(value, Axes):
                self.lists[target] = value.axes
            elif isinstance(value, Static) and isinstance(value.value, int | Dim):
                self.numbers[target] = Dim.of(value.value)
            else:
                raise stop("axis-expected", self.spans.get(name, self.span))
        else:
            raise stop("axis-expected", self.spans.get(name, self.span))

    def as_axes(self, value: Value) -> tuple[Axis, ...]:
        if isinstance(value, Axes):
            return value.axes
        raise stop("axis-expected", self.span)

    def arities(self) -> dict[str, int]:
        """How many axes each variadic list stands for."""
        for name in self.sig.variadic:
            if name not in self.lists:
                self.lists[name] = self.found(name)
            else:
                self.lists[name] = tuple(self.as_given(name, axis) for axis in self.lists[name])
        return {name: len(self.lists[name]) for name in self.sig.variadic}

    def as_given(self, name: str, axis: Axis) -> Axis:
        """A written axis names one of the argument: a slice of it keeps the name and has its own size (4.5)."""
        for parameter in self.sig.of_role("data"):
            value = self.data.get(parameter.name)
            if value is None or parameter.node.type is None or not lists(parameter.node.type, name):
                continue
            given = value.type.axis(axis.label)
            if given is not None:
                return given
        return axis

    def found(self, name: str) -> tuple[Axis, ...]:
        """An unwritten list: for one that `over` names, the only feature axis; else every axis not named beside it."""
        kinds = dict(self.sig.formals)
        aliased = any(self.sig.list_for(p) == name for p in self.sig.of_role("axes"))
        for parameter in self.sig.of_role("data"):
            type_ = parameter.node.type
            value = self.data.get(parameter.name)
            if type_ is None or value is None:
                continue
            if not lists(type_, name):
                continue
            items = [i for i in tree.walk(type_) if isinstance(i, tree.AxisItem)]
            fixed = {i.size.text for i in items if not i.variadic and isinstance(i.size, tree.Name)}
            taken = {axis.label for lists in self.lists.values() for axis in lists}
            free = [
                a for a in value.type.axes if a.label not in taken and str(a.label) not in fixed and not self.hidden(a)
            ]
            for formal in fixed - {str(axis.label) for axis in value.type.axes} - self.lists.keys():
                # A formal beside the list takes the only axis of its kind (1.7), the list what is left.
                same = [axis for axis in free if axis.kind == kinds.get(formal)]
                if len(same) == 1:
                    free.remove(same[0])
            if not aliased:
                return tuple(free)
            wanted = kinds.get(name) or "feature"
            chosen = [axis for axis in free if axis.kind == wanted]
            if len(chosen) != 1:
                raise stop(
                    "ambiguous-axis", self.spans.get(parameter.name, self.span), callee=self.callee.title, formal=name,
                    candidates=[str(a.label) for a in (chosen or free)] or ["none"], type=value.type,
                )  # fmt: skip
            return (chosen[0],)
        return ()

    def hidden(self, axis: Axis) -> bool:
        """Whether an axis is no candidate: an index of the caller, or one along which the block has slots (3.6)."""
        from repc.elaborate.expressions import is_index

        return axis.label in self.per or is_index(self.body, axis.label)

    # ---- once the graph is known

    def open(self, made: Instance) -> None:
        """Written bindings as axes of the graph's formals."""
        owner = symbol_scope(self.callee)
        for name, axes in self.lists.items():
            many = len(axes) != 1
            for i, axis in enumerate(axes):
                symbol = Symbol(f"{name}{i + 1}" if many else name, owner)
                if name not in self.sig.variadic and name not in dict(self.sig.formals):
                    symbol = self.file_symbol(name)
                self.tie(symbol, axis)
        for name, size in self.numbers.items():
            self.sizes[self.file_symbol(name) if name not in dict(self.sig.formals) else Symbol(name, owner)] = size

    def file_symbol(self, name: str) -> Symbol:
        from repc.names.entries import DimEntry

        entry = self.body.context.module(self.callee.module).find(name)
        if isinstance(entry, DimEntry):
            return entry.symbol
        return Symbol(name, symbol_scope(self.callee))

    def tie(self, formal: Symbol, axis: Axis) -> None:
        """One formal is one axis of the caller."""
        self.axes[formal] = axis
        if formal not in self.sizes:
            self.sizes[formal] = axis.size

    def by_kind(self, pairs: list[tuple[Kind, Kind]]) -> None:
        """An index says which axis it counts: `label: [] of Class` given an index of V makes Class the axis V."""
        for expected, given in pairs:
            if expected.space is None or given.space is None or expected.space in self.axes:
                continue
            if expected.size is None or expected.size.symbol != expected.space or not self.open_size(expected.space):
                continue
            counted = [axis for value in self.data.values() for axis in value.type.axes if axis.space == given.space]
            own = [axis for axis in counted if axis.label == given.space]
            if counted:
                self.tie(expected.space, (own or counted)[0])
                self.counted.add(expected.space)
            elif (named := self.axis_of(given.space)) is not None:
                self.tie(expected.space, named)
            if expected.space not in self.axes and given.size is not None:
                self.sizes.setdefault(expected.space, given.size)
                self.spaces[expected.space] = given.space

    def axis_of(self, space: Symbol) -> Axis | None:
        """The axis that a space was born with, where the caller can name it."""
        found = self.body.scope.find_axes(space.name) or ()
        known = [*found, *self.body.context.axes.values()]
        return next((axis for axis in known if axis.label == space == axis.space), None)

    def open_size(self, symbol: Symbol) -> bool:
        return symbol not in self.body.context.values and symbol not in self.sizes

    def match(
        self, port: str, expected: Type, given: Type, span: Span, others: list[tuple[Type, Type]]
    ) -> list[tuple[Symbol, Symbol]]:
        """Pairs (callee label, caller label) for one argument."""
        pairs: list[tuple[Symbol, Symbol]] = []
        taken: set[Symbol] = set()
        waiting: list[Axis] = []
        for axis in expected.axes:
            found = self.direct(axis, given, taken)
            if found is None:
                waiting.append(axis)
                continue
            taken.add(found.label)
            pairs.append((axis.label, found.label))
            self.settle(axis, found, span, port)
        # An axis that asks for a kind is found before one that takes what is left.
        waiting.sort(key=lambda axis: axis.kind == "plain")
        for place, axis in enumerate(waiting):
            beside = sum(other.kind == axis.kind for other in waiting[place:])
            found = self.only(axis, given, taken, span, port, others, beside)
            taken.add(found.label)
            pairs.append((axis.label, found.label))
            self.settle(axis, found, span, port)
        return pairs

    def direct(self, axis: Axis, given: Type, taken: set[Symbol]) -> Axis | None:
        """Rules 1 and 2: written, or the same symbol, or for imported declarations the same spelling."""
        if axis.label in self.axes:
            bound = given.axis(self.axes[axis.label].label)
            return bound if bound is not None and bound.label not in taken else None
        own = given.axis(axis.label)
        if own is not None and own.label not in taken:
            return own
        for candidate in given.axes:
            if candidate.label in taken or str(candidate.label) != str(axis.label):
                continue
            if axis.label.scope != candidate.label.scope and self.callee.module != self.body.module.key:
                return candidate
            if axis.label != axis.space and candidate.space == axis.space:
                return candidate
        return None

    def only(
        self, axis: Axis, given: Type, taken: set[Symbol], span: Span, port: str, others: list[tuple[Type, Type]],
        waiting: int = 1,
    ) -> Axis:  # fmt: skip
        """Rule 3: the only unbound axis of that kind in every argument that mentions the formal.

        `waiting`: formals of its kind that are still free; as many grid axes are bound to them in written order.
        """
        if axis.label in self.axes:
            raise stop(
                "missing-axis", span, callee=self.callee.title, port=port, axis=self.axes[axis.label].label,
                formal=axis.label, type=given,
            )  # fmt: skip
        free = [a for a in given.axes if a.label not in taken and not self.hidden(a)]
        beside = [given for declared, given in others if declared.axis(axis.label) is not None]
        free = [a for a in free if all(other.axis(a.label) is not None for other in beside)]
        # An axis that an index counts may be the one that it has: `[N] of N`. Beside that, two formals are one axis
        # only where no other is left for the second.
        bound = {axis.label for formal, axis in self.axes.items() if formal not in self.counted}
        unbound = [a for a in free if a.label not in bound]
        free = unbound if any(axis.kind in {a.kind, "plain"} for a in unbound) else free
        if axis.label != axis.space:
            # Copies of one space that are named otherwise bind in written order (1.7).
            copies = [a for a in given.axes if a.label not in taken and a.space == axis.space and not self.hidden(a)]
            if copies:
                return copies[0]
        if not self.is_formal(axis):
            free = []
        # What couples samples says so (1.5): a formal without a kind takes the batch where nothing else is left.
        rest = [a for a in free if a.kind != "batch"] or free
        same = [a for a in free if a.kind == axis.kind] or (rest if axis.kind == "plain" else [])
        if len(same) == 1 or (axis.kind == "grid" and len(same) == waiting):
            return same[0]
        if len(same) > 1:
            raise stop(
                "ambiguous-axis", span, callee=self.callee.title, formal=axis.label,
                candidates=[str(a.label) for a in same], type=given,
            )  # fmt: skip
        raise stop(
            "missing-axis", span, callee=self.callee.title, port=port, axis=axis.label, formal=axis.label, type=given
        )

    def is_formal(self, axis: Axis) -> bool:
        """A dim with a value is a constant of its file; everything else is bound by callers."""
        size = axis.size.symbol
        if size is None:
            return any(symbol not in self.body.context.values for symbol in axis.size.symbols())
        return size not in self.body.context.values

    def settle(self, axis: Axis, found: Axis, span: Span, port: str) -> None:
        """Sizes must agree; a formal takes the size it meets first."""
        self.axes.setdefault(axis.label, found)
        symbol = axis.size.symbol
        if symbol is not None and symbol not in self.sizes and symbol not in self.body.context.values:
            self.sizes[symbol] = found.size
            return
        expected = axis.size.subst(self.sizes)
        unknown = [s for s in axis.size.symbols() if s not in self.sizes and s not in self.body.context.values]
        if len(unknown) == 1 and not self.body.facts.equal(expected, found.size):
            from repc.dims import Equation, solve

            solution = solve([Equation(expected, found.size, span)], unknown, self.body.facts)
            self.sizes.update(solution.bindings)
            expected = axis.size.subst(self.sizes)
        if not self.body.facts.equal(expected, found.size):
            raise stop(
                "sizes-differ", span, callee=self.callee.title, port=port, axis=found.label, expected=expected,
                found=found.size, bindings=self.table(),
            )  # fmt: skip

    def table(self) -> list[str]:
        """What every formal is bound to, for messages."""
        return [f"{formal} = {axis}" for formal, axis in self.axes.items()]


def lists(type_: tree.Expr, name: str) -> bool:
    """Whether a written type has the axis list `..name`."""
    items = (item for item in tree.walk(type_) if isinstance(item, tree.AxisItem) and item.variadic)
    return any(isinstance(item.size, tree.Name) and item.size.text == name for item in items)


def bind_axes(
    body: Body, block: BlockValue, made: Instance, binding: Binding, data: Mapping[str, Tensor], span: Span
) -> Value:
    """The `apply` node: arguments matched, facts of the callee checked, the result in the caller's names."""
    ports, lift = matched(body, block, made, binding, data, span)
    check_facts(body, block, made.graph.facts, binding, span)
    args = [data[node.attrs["port"]] for node in ports]
    result = carried(body, result_value(body, block, made, binding, lift, args, ports, span), args, lift, span)
    if block not in body.blocks and not block.outer:
        body.blocks.append(block)
    block.sizes.update(binding.sizes)
    block.labels.update({formal: axis.label for formal, axis in binding.axes.items()})
    return result


def matched(
    body: Body, block: BlockValue, made: Instance, binding: Binding, data: Mapping[str, Tensor], span: Span
) -> tuple[list[Node], tuple[Axis, ...]]:
    """Every given argument against its parameter: the ports that get one, and the lifted axes."""
    graph = made.graph
    nodes = graph.by_name()
    inputs = [nodes[name] for name in graph.inputs]
    binding.open(made)
    number_sizes(body, block, binding)
    ports = [node for node in inputs if node.attrs["port"] in data]
    binding.by_kind([(node.type.kind, data[node.attrs["port"]].type.kind) for node in ports])
    bound: set[Symbol] = set()
    lifted_of: list[tuple[str, tuple[Axis, ...]]] = []
    for node in ports:
        value = data[node.attrs["port"]]
        where = binding.spans.get(node.attrs["port"].removeprefix("slot:"), span)
        others = [(o.type, data[o.attrs["port"]].type) for o in ports if o is not node]
        pairs = binding.match(node.attrs["port"], node.type, value.type, where, others)
        check_kind(body, node, value, where)
        mine = {caller for _, caller in pairs}
        bound |= mine
        lifted_of.append((node.attrs["port"], tuple(a for a in value.type.axes if a.label not in mine)))
    return ports, lifted(body, block, lifted_of, bound, span)


def number_sizes(body: Body, block: BlockValue, binding: Binding) -> None:
    """Whole configuration numbers are sizes of the callee."""
    owner = symbol_scope(block.callee)
    for name, value in block.config.items():
        if isinstance(value, Static) and isinstance(value.value, int | Dim) and not isinstance(value.value, bool):
            binding.sizes[Symbol(name, owner)] = Dim.of(value.value)


def check_kind(body: Body, node: Node, value: Tensor, span: Span) -> None:
    """No silent conversion, and refinements that are needed must be known (1.10)."""
    given = value.type
    expected, found = node.type.kind, given.kind
    fits = expected.name == found.name or (found.name == "number" and expected.name in {"float", "int"})
    if expected.name == "int" and found.name == "index":
        fits = True
    if not fits:
        raise stop("kind-mismatch", span, wanted=expected, found=found)
    needed = node.type.refine
    if needed is None or found.name == "number":
        return
    if needed.name == "interval" and not implied(needed, known_range(body, value)):
        raise stop(
            "refinement-not-proved", span, port=node.attrs["port"], needed=needed, found=given.refine or "nothing"
        )


def known_range(body: Body, value: Tensor) -> Refinement | None:
    """What is known of a value: its refinement, or the number that it is everywhere."""
    if value.type.refine is not None:
        return value.type.refine
    node = body.nodes.get(value.node)
    while node is not None and node.kind == "prim" and node.attrs["op"] in {"float", "expand", "relabel", "transpose"}:
        node = body.nodes.get(node.args[0])
    number = node.attrs["value"] if node is not None and node.kind == "const" else None
    if isinstance(number, int | float) and not isinstance(number, bool):
        return Refinement("interval", float(number), float(number), False, False)
    return None


def implied(needed: Refinement, known: Refinement | None) -> bool:
    """Whether what is known of a value suffices."""
    if known is None:
        return False
    if known.name == "interval":
        return known.within(needed)
    if known.name == "simplex":
        return Refinement("interval", 0.0, 1.0, False, False).within(needed)
    return known.name in {"sphere", "ball"} and Refinement("interval", -1.0, 1.0, False, False).within(needed)


def lifted(
    body: Body, block: BlockValue, lifted_of: list[tuple[str, tuple[Axis, ...]]], bound: set[Symbol], span: Span
) -> tuple[Axis, ...]:
    """The lifted axes, in order of first appearance; those of the arguments form a chain (1.6)."""
    from repc.elaborate.expressions import is_index

    order: list[Axis] = list(block.per)
    for _, axes in lifted_of:
        for axis in axes:
            if axis.label in bound:
                raise stop("axis-bound-and-lifted", span, axis=axis.label, callee=block.callee.title)
            if not any(axis.label == other.label for other in order):
                order.append(axis)
    sets = [{axis.label for axis in axes if not is_index(body, axis.label)} for _, axes in lifted_of]
    largest = max(sets, key=len, default=set())
    for (port, _), own in zip(lifted_of, sets, strict=True):
        if not own <= largest:
            raise stop(
                "arguments-do-not-nest", span, callee=block.callee.title, port=port,
                left=sorted(map(str, own)), right=sorted(map(str, largest)),
            )  # fmt: skip
    return tuple(order)


def check_facts(body: Body, block: BlockValue, facts: object, binding: Binding, span: Span) -> None:
    """Facts that the callee needs hold for the caller's sizes: proved, else assumed of the caller, never refuted."""
    for fact in facts:  # type: ignore[attr-defined]
        if isinstance(fact, Divides):
            body.divides(fact.by.subst(binding.sizes), fact.of.subst(binding.sizes), span)
        elif isinstance(fact, AtLeast):
            left, right = fact.left.subst(binding.sizes), fact.right.subst(binding.sizes)
            verdict = body.facts.at_least(left, right)
            if verdict is False:
                raise stop("requirement-broken", span, fact=f"{left} >= {right}", callee=block.callee.title)
            if verdict is None:
                body.facts = body.facts.with_(AtLeast(left, right, span))
        elif isinstance(fact, Equal):
            left, right = fact.left.subst(binding.sizes), fact.right.subst(binding.sizes)
            if not body.facts.equal(left, right):
                body.facts = body.facts.with_(Equal(left, right, span))


def result_value(
    body: Body,
    block: BlockValue,
    made: Instance,
    binding: Binding,
    lift: tuple[Axis, ...],
    args: list[Tensor],
    ports: list[Node],
    span: Span,
) -> Value:
    """The application and what it returns."""
    graph = made.graph
    nodes = graph.by_name()
    results = [(name, renamed(body, binding, nodes[node].type, lift, span)) for name, node in graph.results]
    plain = len(results) == 1 and results[0][0] == ""
    type_ = results[0][1] if plain else Type((), Kind("record"), None, tuple(results))
    named = {formal: axis.label for formal, axis in binding.axes.items()}
    for (_, node), (_, made_type) in zip(graph.results, results, strict=True):
        # Labels that the callee made for its result have names here too.
        for own, new in zip(nodes[node].type.axes, made_type.axes[len(lift) :], strict=True):
            named.setdefault(own.label, new.label)
    labels = tuple(sorted(named.items()))
    sizes = tuple(sorted(binding.sizes.items(), key=lambda pair: pair[0]))
    attrs = Attrs(
        graph=graph.name,
        block=block,
        ports=tuple(node.attrs["port"] for node in ports),
        labels=labels,
        sizes=sizes,
        lift=tuple(axis.label for axis in lift),
        sites=(),
        blocks=block_arguments(block),
    )
    call = body.add("apply", tuple(arg.node for arg in args), attrs, type_, span)
    if plain:
        return call
    fields = tuple((name, body.prim("field", [call], span, name=name)) for name, _ in results)
    return Fields(fields, call)


def block_arguments(block: BlockValue) -> tuple[tuple[str, BlockValue], ...]:
    """Blocks passed as arguments, by the callee's parameter."""
    return tuple((name, value) for name, value in sorted(block.config.items()) if isinstance(value, BlockValue))


def renamed(body: Body, binding: Binding, type_: Type, lift: tuple[Axis, ...], span: Span) -> Type:
    """A callee's type in the caller's names, lifted axes first."""
    axes: list[Axis] = list(lift)
    for axis in type_.axes:
        caller = binding.axes.get(axis.label)
        size = axis.size.subst(binding.sizes)
        if caller is not None and body.facts.equal(caller.size, size):
            new = caller
        else:
            label = caller.label if caller is not None else axis.label
            if axis.label.scope not in {"", body.key} and caller is None and axis.label not in body.context.values:
                label = foreign(body, axis.label)
            space = binding.axes[axis.space].space if axis.space in binding.axes else axis.space
            new = Axis(label, size, axis.kind, space, axis.ragged)
        if any(new.label == other.label for other in axes):
            new = Axis(body.own(str(axis.label)), new.size, new.kind, new.space, new.ragged)
        if any(new.label == other.label for other in axes):
            new = Axis(body.fresh(str(axis.label)), new.size, new.kind, new.space, new.ragged)
        axes.append(new)
    spaces = {formal: axis.space for formal, axis in binding.axes.items()}
    moved = Type((), type_.kind, type_.refine).subst({f: a.label for f, a in binding.axes.items()}, binding.sizes)
    kind = moved.kind
    if kind.space is not None and type_.kind.space in spaces:
        kind = Kind(kind.name, spaces[type_.kind.space], kind.size, kind.of)
    fields = tuple((name, renamed(body, binding, inner, lift, span)) for name, inner in type_.fields)
    return Type(tuple(axes), kind, moved.refine, fields)


def foreign(body: Body, label: Symbol) -> Symbol:
    """A label made inside a callee, as a label of this body."""
    from repc.elaborate.shapes import known

    found = known(body, tree.Name(body.origin.span, label.name))
    if found is not None and len(found) == 1 and label.name[:1].isupper() and not label.scope.endswith(label.name):
        return label
    return body.own(label.name)
