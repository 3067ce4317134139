"""Analyses of a program: what can be proved before anything runs. They read graphs and change nothing."""

from repc.checks.claims import check

__all__ = ["check"]
