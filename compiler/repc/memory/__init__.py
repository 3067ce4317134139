"""Normal forms of memories: what a memory is, whatever it is called, and how it is computed."""

from repc.memory.algorithms import Algorithm, algorithms_of, chosen
from repc.memory.coefficients import Coefficient, Implicit, Number, Port, Product
from repc.memory.forms import General, LocalConstant, NormalForm, Preparation, RankOne, Reading, ScalarAffine
from repc.memory.normal import normalize

__all__ = [
    "Algorithm",
    "Coefficient",
    "General",
    "Implicit",
    "LocalConstant",
    "NormalForm",
    "Number",
    "Port",
    "Preparation",
    "Product",
    "RankOne",
    "Reading",
    "ScalarAffine",
    "algorithms_of",
    "chosen",
    "normalize",
]
