"""A workspace elaborated: every declaration of the entry file, and every train."""

from __future__ import annotations

from rep_grammar import tree
from repc.diagnostics import Fault
from repc.dims import Facts, Symbol
from repc.elaborate.context import Context
from repc.elaborate.instances import Request, callee_of, declaration, instance, symbol_scope
from repc.elaborate.scope import Scope
from repc.elaborate.signature import DEFERRED, signature
from repc.elaborate.stop import Stop, stop
from repc.ir import Origin, Program
from repc.names.entries import DeclarationEntry, DimEntry, TrainEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from repc.names import Workspace
    from repc.names.module import Module


def elaborate(workspace: Workspace, only: str | None = None) -> tuple[Program, list[Fault]]:
    """The program of the entry file, and everything that is wrong with it.

    `only`: name of one declaration or train; the others are left out. Declarations whose block arguments have no
    default are checked where they are used.
    """
    context = Context(workspace)
    entries: dict[str, str] = {}
    module = workspace.entry
    context.facts(module)
    for _, name in [place for place in workspace.order if place[0] == module.key]:
        entry = module.find(name)
        if only is not None and name != only:
            continue
        try:
            if isinstance(entry, DeclarationEntry):
                key = entry_graph(context, entry)
                if key:
                    entries[name] = key
            elif isinstance(entry, TrainEntry):
                from repc.elaborate.trains import elaborate_train

                step = elaborate_train(context, entry)
                if step is not None:
                    context.steps[name] = step
        except Stop as stopped:
            context.report(stopped.fault)
        except RecursionError:
            if entry is not None:
                context.report(stop("nested-too-deep", entry.span, name=name).fault)
    requirements(context, module, only)
    formulas = dict(context.formulas)
    facts = context.facts(module)
    program = Program(
        graphs=dict(context.graphs),
        entries=entries,
        steps=dict(context.steps),
        values=dict(context.values),
        formulas=formulas,
        facts=facts,
    )
    return program, context.faults


def requirements(context: Context, module: Module, only: str | None) -> None:
    """What a file requires of its dims, and of the parameters and costs of its declarations."""
    from repc.elaborate.body import Body
    from repc.elaborate.definitions import required

    for item in module.file.items:
        if not isinstance(item, tree.RequireStmt) or only is not None:
            continue
        body = Body(context, module, "the file", Origin(item.span))
        body.scope = Scope(context.file_scope(module.key))
        try:
            required(body, item.value)
        except Stop as stopped:
            context.report(stopped.fault)


def entry_graph(context: Context, entry: DeclarationEntry) -> str:
    """The graph of a declaration with its own defaults; "" where it needs an argument."""
    from repc.elaborate.body import Body

    probe = Body(context, context.module(entry.module), "", Origin(entry.span))
    callee = callee_of(probe, entry)
    module, node = declaration(context, callee)
    sig = signature(context, module, node)
    given = {path for path, _, _ in callee.overrides}
    for parameter in sig.parameters:
        free = parameter.node.default is None and parameter.name not in given
        if parameter.role in {"block", *DEFERRED} and free:
            return ""
    request = Request(callee)
    for parameter in sig.parameters:
        if parameter.role in {"number", "setting"} and parameter.node.default is None and parameter.name not in given:
            if parameter.role == "number":
                request.numbers[parameter.name] = None
            else:
                return ""
    # Without any data it would be a block, not an application (3.3): where all of it is optional the first is given.
    data = sig.of_role("data")
    request.present = {data[0].name} if data and all(one.node.default is not None for one in data) else set()
    return instance(context, request, Origin(entry.span)).graph.name


__all__ = ["DimEntry", "Facts", "Symbol", "elaborate", "symbol_scope"]
