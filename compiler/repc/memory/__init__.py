"""Normal forms of memories: what a memory is, whatever it is called, and how it is computed."""

from repc.memory.algorithms import Algorithm, algorithms_of, chosen
from repc.memory.coefficients import Coefficient, Implicit, Number, Port, Product, Root
from repc.memory.forms import Dense, General, Gram, LocalConstant, NormalForm, RankOne, Reading, ScalarAffine, Stream
from repc.memory.normal import normalize

__all__ = [
    "Algorithm",
    "Coefficient",
    "Dense",
    "General",
    "Gram",
    "Implicit",
    "LocalConstant",
    "NormalForm",
    "Number",
    "Port",
    "Product",
    "RankOne",
    "Reading",
    "Root",
    "ScalarAffine",
    "Stream",
    "algorithms_of",
    "chosen",
    "normalize",
]
