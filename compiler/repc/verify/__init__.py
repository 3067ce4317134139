"""Compares what a program means, by the interpreter in float64, with what was generated from it."""

from repc.verify.report import Report, Row
from repc.verify.run import verify

__all__ = ["Report", "Row", "verify"]
