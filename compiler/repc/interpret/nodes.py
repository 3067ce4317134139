"""What each kind of node means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor

from repc.dims import Dim, Symbol
from repc.interpret.control import branch, gradient, loop
from repc.interpret.draws import Draws
from repc.interpret.faults import InterpretFault
from repc.interpret.frame import Frame, Owner, Place
from repc.interpret.memory import History, run_memory
from repc.interpret.named import Named, extents, picked
from repc.interpret.states import keeps_labels
from repc.interpret.values import Value, extra_axes, labels_of, lifted_type, renamed
from repc.ir import Choice, Graph, MemoryRecord, Node, Program, Word
from repc.ops import REGISTRY
from repc.ops.evaluate import evaluate
from repc.ops.ref import number
from repc.types import Type

# Attributes that list every axis of the result, lifted ones too.
LISTED = {"contract": "out", "convolve": "out", "transpose": "order"}


class Evaluator:
    """Evaluates nodes of a program with given slots, cells and draws, and collects what they commit."""

    def __init__(
        self, program: Program, slots: Mapping[str, Tensor], cells: Mapping[str, Tensor], draws: Draws
    ) -> None:
        self.program = program
        self.slots = slots
        self.cells = cells
        self.draws = draws
        self.commits: dict[str, Named] = {}
        self.effects: dict[tuple[str, str], Value] = {}
        self._rules: dict[str, Callable[[Frame, Node], Value]] = {
            "const": self._const,
            "slot": self._slot,
            "read": self._read,
            "draw": self._draw,
            "prim": self._prim,
            "memory": self._memory,
            "apply": self._apply,
            "loop": self._loop,
            "branch": self._branch,
            "grad": self._grad,
            "effect": self._effect,
        }

    def graph(self, frame: Frame, inputs: Mapping[str, Value]) -> dict[str, Value]:
        """Evaluates all nodes of the frame's graph from its inputs by port; the results by name."""
        for node in frame.graph.nodes:
            if node.kind == "input":
                port = node.attrs["port"]
                if port not in inputs:
                    raise InterpretFault(f"{frame.graph.name}.{port}", "this input is missing")
                frame.values[node.name] = inputs[port]
            else:
                frame.keep(node, self._rules[node.kind](frame, node))
        return {name: frame.values[node] for name, node in frame.graph.results}

    def tensor(self, frame: Frame, name: str) -> Named:
        """The value of a node that must be a tensor."""
        value = frame.values[name]
        if not isinstance(value, Named):
            raise InterpretFault(f"{frame.graph.name}.{name}", "a tensor is needed here")
        return value

    def _const(self, frame: Frame, node: Node) -> Value:
        value: Any = node.attrs["value"]
        if isinstance(value, Dim):
            if value.symbols() <= frame.place.sizes.keys():
                exact = value.value(frame.place.sizes)
                return number(float(exact) if isinstance(exact, Fraction) else exact)
            return number(frame.size(value))
        return value if isinstance(value, str) else number(value)

    def _stored(self, frame: Frame, node: Node, path: str, held: Mapping[str, Tensor], what: str) -> Named:
        if path not in held:
            raise InterpretFault(path, f"this {what} has no value")
        tensor = held[path]
        per = frame.place.owner.per
        shape = (*per.values(), *(frame.size(axis.size) for axis in node.type.axes))
        if tuple(tensor.shape) != shape:
            raise InterpretFault(path, f"this {what} has the shape {tuple(tensor.shape)}, not {shape}")
        precise = tensor.to(torch.float64) if tensor.is_floating_point() else tensor
        return Named(precise, (*per, *node.type.labels))

    def _slot(self, frame: Frame, node: Node) -> Value:
        return self._stored(frame, node, frame.path(node.attrs["path"]), self.slots, "slot")

    def _read(self, frame: Frame, node: Node) -> Value:
        pending = self.commits.get(frame.path(node.attrs["cell"])) if node.attrs.get("pending", False) else None
        if pending is not None:
            return pending
        return self._stored(frame, node, frame.path(node.attrs["cell"]), self.cells, "cell")

    def _draw(self, frame: Frame, node: Node) -> Value:
        args = [self.tensor(frame, arg) for arg in node.args]
        lifts = {} if node.attrs.get("once", False) else frame.place.lifts
        sizes: dict[Symbol, int] = {**lifts, **{a.label: frame.size(a.size) for a in node.type.axes}}
        if node.attrs.get("has_eval", False):
            instead = args.pop()
            if not self.draws.training:
                kind = torch.float64 if node.type.kind.name == "float" else instead.data.dtype
                data = instead.over(tuple(sizes)).expand(list(sizes.values())).to(kind)
                return Named(data, tuple(sizes))
        return self.draws.take(frame.path(node.attrs["site"]), node, args, sizes)

    def _prim(self, frame: Frame, node: Node) -> Value:
        operands: list[Any] = [frame.values[arg] for arg in node.args]
        lifted: dict[Symbol, int] = {}
        for arg, operand in zip(node.args, operands, strict=True):
            lifted.update(extra_axes(operand, frame.types[arg]))
        attrs = node.attrs
        if attrs["op"] == "field" and node.args[0] in frame.sites and attrs["name"] in frame.sites[node.args[0]]:
            return frame.sites[node.args[0]][attrs["name"]]
        if attrs["op"] == "field" and isinstance(operands[0], dict):
            # States are values too, and no op but this one takes a record.
            return operands[0][attrs["name"]]  # type: ignore[no-any-return]
        listed = LISTED.get(attrs["op"])
        if listed is not None:
            attrs = attrs.with_(**{listed: (*lifted, *attrs[listed])})
        made: Any = evaluate(REGISTRY[attrs["op"]], operands, attrs, frame.size, lifted_type(node.type, lifted))
        return made  # type: ignore[no-any-return]

    def _memory(self, frame: Frame, node: Node) -> Value:
        ports: tuple[str, ...] = node.attrs["ports"]
        values = dict(zip(ports, (frame.values[arg] for arg in node.args), strict=True))
        before = next((value for value in values.values() if isinstance(value, History)), None)
        inputs = {port: value for port, value in values.items() if isinstance(value, Named)}
        record = sized(node.attrs["record"], frame)
        stepping = node.attrs.get("mode") == "step"
        if stepping:
            timed = node.attrs["timed"]
            inputs = {port: _with_time(value, record) if port in timed else value for port, value in inputs.items()}

        def apply_graph(word: Word, given: Mapping[str, Named]) -> Named:
            callee = self.program.graphs[str(word.get("graph"))]
            ports = [callee.node(name).attrs["port"] for name in callee.inputs]
            block = str(word.get("block", ""))
            made = self.applied(frame, callee, block, dict(zip(ports, given.values(), strict=True)))
            (value,) = made.values()
            assert isinstance(value, Named), "a graph that a memory names answers with one tensor"
            return value

        out, after = run_memory(record, inputs, apply_graph, before)
        if stepping:
            out = picked(out, record.sequence, 0)
        if node.type.kind.name != "record":
            return out
        return {name: after if inner.kind.name == "state" else out for name, inner in node.type.fields}

    def applied(
        self,
        frame: Frame,
        callee: Graph,
        block: str,
        inputs: Mapping[str, Value],
        labels: Mapping[Symbol, Symbol] | None = None,
        sizes: Mapping[Symbol, int] | None = None,
        blocks: Mapping[str, Owner] | None = None,
    ) -> dict[str, Value]:
        """Results of a graph applied to values in the caller's labels, in the caller's labels again.

        Axes of an argument that its port does not name are lifted. They get labels of their own inside, so that no
        name of the callee can meet them.
        """
        own = labels or {}
        place = frame.place
        lifts: dict[Symbol, int] = {}
        known = {**self.program.values, **place.sizes}
        ported: dict[str, tuple[Value, dict[Symbol, Symbol] | None]] = {}
        for node in callee.nodes:
            if node.kind == "input" and node.attrs["port"] in inputs:
                value = inputs[node.attrs["port"]]
                outer_of = {label: own.get(label, label) for label in labels_of(node.type)}
                inward = {caller: label for label, caller in outer_of.items()}
                if keeps_labels(node.attrs["port"], value):
                    ported[node.attrs["port"]] = (value, None)
                    continue
                ported[node.attrs["port"]] = (value, inward)
                lifts.update(extra_axes(renamed(value, inward), node.type))
                known.update(_arrived(value, outer_of, node.type))
        owner = frame.block(block) if block else place.owner
        passed = blocks or {}
        depth = place.depth + 1
        outer = (*lifts, *owner.per, *(label for other in passed.values() for label in other.per))
        hidden = {label: Symbol(label.name, f"lifted {depth} {label.scope}") for label in outer}
        known.update(sizes or {})
        inner_place = Place(
            owner.relabelled(hidden),
            known,
            {hidden[label]: size for label, size in lifts.items()},
            {name: other.relabelled(hidden) for name, other in passed.items()},
            depth,
        )
        inner = Frame(self.program, callee, inner_place)
        given = {
            port: value if new is None else renamed(value, {**hidden, **new}) for port, (value, new) in ported.items()
        }
        made = self.graph(inner, given)
        for name, node_name in callee.sites:
            if node_name in inner.values:
                made[f"@{name}"] = inner.values[node_name]
        outward = {**own, **{new: old for old, new in hidden.items()}}
        return {name: value if keeps_labels(name, value) else renamed(value, outward) for name, value in made.items()}

    def _apply(self, frame: Frame, node: Node) -> Value:
        attrs = node.attrs
        callee = self.program.graphs[attrs["graph"]]
        made = self.applied(
            frame,
            callee,
            attrs.get("block", ""),
            dict(zip(attrs["ports"], (frame.values[arg] for arg in node.args), strict=True)),
            dict(attrs.get("labels", ())),
            {symbol: frame.size(Dim.of(size)) for symbol, size in attrs.get("sizes", ())},
            {own: frame.block(path) for own, path in attrs.get("blocks", ())},
        )
        results = {name: value for name, value in made.items() if not name.startswith("@")}
        sites = {f"@{site}": made[f"@{site}"] for site in attrs.get("sites", ())}
        if not sites and tuple(results) == ("",):
            return results[""]
        return {**results, **sites}

    def _loop(self, frame: Frame, node: Node) -> Value:
        return loop(self, frame, node)

    def _branch(self, frame: Frame, node: Node) -> Value:
        return branch(self, frame, node)

    def _grad(self, frame: Frame, node: Node) -> Value:
        return gradient(self, frame, node)

    def _effect(self, frame: Frame, node: Node) -> Value:
        action, target = node.attrs["action"], node.attrs["target"]
        value = frame.values[node.args[0]]
        if action == "commit":
            path = frame.path(target)
            if path in self.commits and not node.attrs.get("fold", False):
                raise InterpretFault(path, "this cell is written twice")
            self.commits[path] = self.tensor(frame, node.args[0])
        else:
            self.effects[(action, target)] = value
        return value


def _arrived(value: Value, outer: Mapping[Symbol, Symbol], type: Type) -> dict[Symbol, int]:
    """Sizes that an argument brings: of the axes whose size is one symbol."""
    if not isinstance(value, Named):
        return {}
    actual = extents(value)
    found: dict[Symbol, int] = {}
    for axis in type.axes:
        symbol, caller = axis.size.symbol, outer[axis.label]
        if symbol is not None and caller in actual:
            found[symbol] = actual[caller]
    return found


def _with_time(value: Named, record: MemoryRecord) -> Named:
    """One entry of the sequence, as a sequence of one."""
    return Named(value.data.unsqueeze(0), (record.sequence, *value.labels))


def sized(record: MemoryRecord, frame: Frame) -> MemoryRecord:
    """The record with every size in its words as a number."""

    def resolved(value: object) -> object:
        if isinstance(value, Dim):
            return frame.size(value)
        if isinstance(value, Word):
            return Word(value.name, tuple((name, resolved(inner)) for name, inner in value.args))
        if isinstance(value, tuple):
            return tuple(map(resolved, value))
        return value

    fields: list[tuple[str, Choice]] = []
    for name, choice in record.fields:
        word = resolved(choice.value)
        assert isinstance(word, Word), "a word stays a word"
        fields.append((name, Choice(word, choice.origin, choice.span)))
    return MemoryRecord(record.sequence, record.source, record.key, record.value_axis, record.roles, tuple(fields))
