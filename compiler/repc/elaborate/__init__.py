"""Elaboration: from a workspace of resolved files to graphs of the core calculus."""

from repc.elaborate.program import elaborate

__all__ = ["elaborate"]
