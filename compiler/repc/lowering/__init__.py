"""From a checked program to a Python module: a plan that decides everything, then templates."""

from repc.lowering.plan import Options, plan
from repc.lowering.records import Plan
from repc.lowering.render import Rendered, render

__all__ = ["Options", "Plan", "Rendered", "plan", "render"]
