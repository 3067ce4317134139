"""The reference interpreter: what a program means, in float64."""

from repc.interpret.draws import Draws
from repc.interpret.faults import InterpretFault
from repc.interpret.interpreter import Interpreter, Run
from repc.interpret.memory import History, MemoryFault, run_memory
from repc.interpret.named import Named
from repc.interpret.slots import SlotPlace, init_slots, slots_of

__all__ = [
    "Draws",
    "History",
    "InterpretFault",
    "Interpreter",
    "MemoryFault",
    "Named",
    "Run",
    "SlotPlace",
    "init_slots",
    "run_memory",
    "slots_of",
]
