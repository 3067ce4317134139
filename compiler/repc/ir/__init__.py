"""The core calculus: typed dataflow graphs with named axes."""

from repc.ir.attributes import Attrs
from repc.ir.graph import Block, BlockParameter, Cell, ClaimNote, Graph, Node, Origin
from repc.ir.program import (
    Choice,
    Commit,
    MeasureUse,
    MemoryRecord,
    OptimizerUse,
    PlayerUse,
    Program,
    Ref,
    SourceUse,
    Step,
    Target,
    Term,
    Word,
)

__all__ = [
    "Attrs",
    "Block",
    "BlockParameter",
    "Cell",
    "Choice",
    "ClaimNote",
    "Commit",
    "Graph",
    "MeasureUse",
    "MemoryRecord",
    "Node",
    "OptimizerUse",
    "Origin",
    "PlayerUse",
    "Program",
    "Ref",
    "SourceUse",
    "Step",
    "Target",
    "Term",
    "Word",
]
