"""A whole program: graphs, the step of each `train`, and what is known of sizes."""

from __future__ import annotations

from collections.abc import Mapping

from rep_grammar.record import Record
from rep_grammar.spans import Span
from repc.dims import Dim, Facts, Symbol
from repc.ir.graph import Cell, Graph, Origin
from repc.types import Type


class Word(Record):
    """A value of a closed union: `adamw(rate: cosine(1e-3, warmup: 100))`, `normal(0, 1)`, `decay(a)`.

    `args`: (name, value) pairs with every default filled in; a value is a number, a text, a bool, a `Dim`, a
    `Symbol`,
    another word, a tuple of those, or a `Ref`.
    """

    name: str
    args: tuple[tuple[str, object], ...] = ()

    def get(self, name: str, default: object = None) -> object:
        """The argument of that name."""
        for own, value in self.args:
            if own == name:
                return value
        return default

    def __str__(self) -> str:
        if not self.args:
            return self.name
        return f"{self.name}({', '.join(f'{name}: {value}' for name, value in self.args)})"


class Ref(Record):
    """A node of the graph in which a word stands."""

    node: str

    def __str__(self) -> str:
        return f"%{self.node}"


class Choice(Record):
    """One field of a memory, resolved: its value and where it came from (`written`, `default` or `derived`)."""

    value: Word
    origin: str
    span: Span | None = None


class MemoryRecord(Record):
    """A memory with all fields resolved (DESIGN section 3, LANGUAGE.md 7.1).

    `sequence`: label of the axis along which pairs arrive. `key`, `value_axis`: labels of the axes of a key and of
    a value.
    `roles`: which input plays q, k and v. Fields: weights regressor features loss regularizer optimizer per retain
    order read
    bonus normalize scale keys target init. A coefficient inside a word is a number or the *name of an input port*
    as `Ref`.
    """

    sequence: Symbol
    source: Symbol
    key: tuple[Symbol, ...]
    value_axis: tuple[Symbol, ...]
    roles: tuple[tuple[str, str], ...]
    fields: tuple[tuple[str, Choice], ...]

    def field(self, name: str) -> Word:
        """The resolved value of a field."""
        for own, choice in self.fields:
            if own == name:
                return choice.value
        raise KeyError(name)

    def role(self, name: str) -> str:
        """The input port that plays `q`, `k` or `v`."""
        return dict(self.roles)[name]


class SourceUse(Record):
    """`data text = bytes(length: 256)`: a source of a train.

    `word`: a runtime source and its arguments; or `graph`: key of a `data` declaration's graph. `fields`: (name,
    type) with the batch axis in it, but for those that all samples share; a source with one field is that value.
    `batch`: the batch axis's symbol. `sizes`: what the declaration's own sizes are here. `options`: `size` (samples of
    the training split), `held_out`, `fixed`, `batch`, `id`, `table`. `inner`: the sources that its body draws from.
    """

    name: str
    word: Word | None
    graph: str
    fields: tuple[tuple[str, Type], ...]
    batch: Symbol
    origin: Origin
    sizes: tuple[tuple[Symbol, Dim], ...] = ()
    options: tuple[tuple[str, object], ...] = ()
    inner: tuple[SourceUse, ...] = ()


class Term(Record):
    """`minimize name = e`, as a node of the step's graph."""

    name: str
    sign: str
    node: str
    origin: Origin


class OptimizerUse(Record):
    """An optimizer, the block paths it owns (() = all that is not frozen) and the player it belongs to."""

    rule: Word
    over: tuple[str, ...]
    origin: Origin


class PlayerUse(Record):
    """A player of the step (6.5)."""

    name: str
    terms: tuple[Term, ...]
    optimizers: tuple[OptimizerUse, ...]
    every: int = 1


class MeasureUse(Record):
    """A measured quantity: a node of the step's graph; `across` is (source name, split) or ()."""

    name: str
    node: str
    every: int
    across: tuple[str, ...]
    origin: Origin


class Commit(Record):
    """`cell := e`, deferred to phase 7; `every`: only on steps divisible by it."""

    cell: str
    node: str
    origin: Origin
    every: int = 1


class Target(Record):
    """A block whose slots are cells: `target f' = ema(f, rate: r)`."""

    name: str
    of: str
    treatment: Word
    origin: Origin


class Step(Record):
    """One `train` block: its graph (inputs are `source.field`), blocks, and what happens in each phase (6.4).

    `stages`: run in order, those whose `when` is `start` before the step's own turns, the others after them. `fills`:
    stores of samples and the sources that they take, at the end of the step. `stores`: all of the train's.
    """

    name: str
    graph: Graph
    sources: tuple[SourceUse, ...]
    players: tuple[PlayerUse, ...]
    measures: tuple[MeasureUse, ...]
    settings: tuple[tuple[str, object], ...]
    origin: Origin
    commits: tuple[Commit, ...] = ()
    targets: tuple[Target, ...] = ()
    frozen: tuple[tuple[str, int], ...] = ()
    stages: tuple[Step, ...] = ()
    doc: str = ""
    fills: tuple[tuple[str, SourceUse], ...] = ()
    stores: tuple[SourceUse, ...] = ()
    when: str = ""

    @property
    def shared(self) -> tuple[str, ...]:
        """Ports of the fields that all samples of a source share: they lack the axis of the samples."""
        return tuple(
            f"{use.name}.{field}" for use in self.sources for field, kind in use.fields if kind.axis(use.batch) is None
        )


class Program(Record):
    """Everything a text means.

    `graphs`: by key. `entries`: declaration name -> key of its graph with its own defaults. `values`: known sizes.
    `axes`: kind of
    each file-level dim. `steps`: by train name.
    """

    graphs: Mapping[str, Graph]
    entries: Mapping[str, str]
    steps: Mapping[str, Step]
    values: Mapping[Symbol, int]
    formulas: Mapping[Symbol, Dim]
    facts: Facts
    cells: tuple[Cell, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()
