"""Finite groups and monoids as tables."""

from repc.groups.finite import Monoid, cyclic, dihedral, order_of, symmetric, words
from repc.groups.quaternions import LEFT, RIGHT_UNITS

__all__ = ["LEFT", "RIGHT_UNITS", "Monoid", "cyclic", "dihedral", "order_of", "symmetric", "words"]
