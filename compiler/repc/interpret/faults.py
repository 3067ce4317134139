"""What stops the interpreter: a program or inputs that it cannot give a value to."""

from __future__ import annotations


class InterpretFault(Exception):
    """Inputs that do not fit the graph, or a value that is missing. `where`: the node or input, `text`: why."""

    def __init__(self, where: str, text: str) -> None:
        super().__init__(f"{where}: {text}")
        self.where = where
        self.text = text
