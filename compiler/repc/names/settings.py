"""Settings of a train given from outside: `Bytes.steps=100` stands in its body as if it were written there."""

from __future__ import annotations

from rep_grammar import tree as t

SETTINGS = ("steps", "batch", "seed", "optimizer", "accumulate", "simultaneous", "keep")
"""What a train or a stage has beside its own names."""


def with_setting(block: t.Block, path: tuple[str, ...], value: t.Expr) -> t.Block | None:
    """The body with another value for a setting, `steps` or `warm.steps` of a stage; None where `path` is none."""
    name, *rest = path
    if rest:
        return _in_stage(block, name, tuple(rest), value)
    if name not in SETTINGS:
        return None
    made = tuple(_replaced(statement, name, value) for statement in block.stmts)
    if made == block.stmts:
        made = (*made, _written(name, value))
    return t.Block(block.span, made)


def _in_stage(block: t.Block, name: str, rest: tuple[str, ...], value: t.Expr) -> t.Block | None:
    for number, statement in enumerate(block.stmts):
        if isinstance(statement, t.StageStmt) and statement.name.text == name:
            body = with_setting(statement.body, rest, value)
            if body is None:
                return None
            stage = t.StageStmt(statement.span, statement.name, body)
            return t.Block(block.span, (*block.stmts[:number], stage, *block.stmts[number + 1 :]))
    return None


def _replaced(statement: t.Stmt, name: str, value: t.Expr) -> t.Stmt:
    if isinstance(statement, t.OptimizerStmt):
        # One that names what it moves is another setting than the train's own.
        own = name == "optimizer" and not statement.targets
        return t.OptimizerStmt(statement.span, (), value) if own else statement
    if (
        isinstance(statement, t.Annotated)
        and statement.value is None
        and isinstance(statement.target, t.Name)
        and statement.target.text == name
    ):
        return t.Annotated(statement.span, statement.target, value, None)
    return statement


def _written(name: str, value: t.Expr) -> t.Stmt:
    if name == "optimizer":
        return t.OptimizerStmt(value.span, (), value)
    return t.Annotated(value.span, t.Name(value.span, name), value, None)
