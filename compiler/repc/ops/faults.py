"""What a type rule refuses: a name of the diagnostics catalogue and its values, without text."""

from __future__ import annotations


class OpFault(Exception):
    """Operands or attributes that an op does not take. `name` is an entry of the diagnostics catalogue."""

    def __init__(self, name: str, values: dict[str, object]) -> None:
        super().__init__(name, values)
        self.name = name
        self.values = values
