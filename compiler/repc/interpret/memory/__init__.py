"""The reference semantics of memories (DESIGN section 3): generated from the record, slow, obvious, float64."""

from repc.interpret.memory.fault import MemoryFault
from repc.interpret.memory.run import History, run_memory

__all__ = ["History", "MemoryFault", "run_memory"]
