"""What all statements of one class or function share: the names of its parts, its sizes, its imports."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from rep_grammar.record import Record
from repc.dims import Dim, Symbol
from repc.ir import Graph, Program
from repc.lowering.expression import Code, call, expr, literal
from repc.lowering.owned import owned
from repc.lowering.sizes import RunTimeSizes
from repc.lowering.statements import Variables
from repc.lowering.texts import Texts
from repc.lowering.values import NONE


class Signature(Record):
    """How other code calls a graph: a class's `forward`, or a function.

    `name`: of the class or function. `module`: whether it is a class. `ports`: data inputs by position, `keywords`:
    (port, parameter) of supplied slots and captured values that go by name. `sizes`: symbols that its constructor (a
    function: the call) takes, with their parameter names. `results`: fields of the result in order, () where it is one
    tensor. `draws`, `sites`, `blocks`: whether it takes draws, a dictionary of sites, and blocks of its caller.
    `seeded`: whether its constructor takes a seed, None leaving the initial values to the owner.
    `per`: whether it takes the sizes of axes that every slot has in front. `result`: the class of named results;
    `turn`: it is the body of a loop, whose results are a plain tuple. `state`: of a step graph, the class of its state;
    `capacity`: whether that must be told how many positions it may hold. `writes`: whether it, or what it calls, gives
    cells new values. `lead`: it draws and has no inputs, so that it must be told the sizes of the carried axes.
    """

    name: str
    module: bool
    ports: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...] = ()
    sizes: tuple[tuple[Symbol, str], ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    draws: bool = False
    sites: tuple[str, ...] = ()
    blocks: tuple[tuple[str, str], ...] = ()
    seeded: bool = False
    per: bool = False
    result: str = ""
    turn: bool = False
    state: str = ""
    capacity: bool = False
    writes: bool = False
    lead: bool = False


class Imports:
    """Names imported from `rep_runtime`, as they are needed."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], None] = {}

    @property
    def names(self) -> list[str]:
        """Everything imported so far."""
        return [name for _, name in self.found]

    def __call__(self, module: str, function: str) -> str:
        self.found.setdefault((f"rep_runtime.{module}", function))
        return function


class Context(Record):
    """What all classes of a module share while they are planned.

    `signatures`: of every graph. `leads`: leading dims of the inputs of every graph. `reserved`: names of the module's
    own, which no local variable may take. `algorithm`: of every memory whose class has one of that name.
    """

    program: Program
    signatures: dict[str, Signature]
    leads: Mapping[str, Mapping[str, str]]
    imports: Imports
    texts: Texts
    reserved: frozenset[str]
    algorithm: str = ""


class Owner:
    """The class or function under construction.

    `attributes`: block paths, slots and cells -> code that reads them. `slots`: leading dims of parameters (a `per`
    block's have some).
    """

    def __init__(
        self,
        context: Context,
        graph: Graph,
        sizes: RunTimeSizes,
        attributes: Mapping[str, Code],
        slots: str = NONE,
    ) -> None:
        self.context = context
        self.program = context.program
        self.signatures = context.signatures
        self.imports = context.imports
        self.leads = context.leads
        self.graph = graph
        self.sizes = sizes
        self.attributes = dict(attributes)
        self.slots = slots
        self.blocks = owned(context.program, graph).blocks
        self.variables = Variables()
        self.device: Code | None = None
        self.dtype: Code | None = None
        self.lead_of: list[tuple[str, int]] = []
        self.lead_whole = True
        self.lead_given: Code | None = None

    def attribute(self, path: str) -> Code:
        """The code that reads a block, slot or cell of this class."""
        return self.attributes[path]

    def lead_shape(self) -> Code:
        """Sizes of the axes that callers carry along."""
        if self.lead_given is not None:
            return self.lead_given
        shapes = [
            expr("{x}.shape", x=variable) if not count else expr("{x}.shape[:{n}]", x=variable, n=literal(-count))
            for variable, count in self.lead_of
        ]
        return shapes[0] if len(shapes) == 1 or self.lead_whole else call("torch.broadcast_shapes", *shapes)

    def size_text(self, dim: Dim) -> str:
        """A size as text, for templates of ops."""
        return ast.unparse(self.sizes.size(dim))

    def device_code(self) -> Code:
        """Where new tensors go: beside the inputs."""
        return expr('torch.device("cpu")') if self.device is None else self.device

    def dtype_code(self) -> Code:
        """The dtype of the run's floats."""
        return expr("torch.get_default_dtype()") if self.dtype is None else self.dtype
