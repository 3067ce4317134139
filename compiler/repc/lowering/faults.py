"""What lowering cannot do, as facts: an entry of the diagnostics catalogue and its values, without text."""

from __future__ import annotations

from collections.abc import Mapping

from repc.ir import Origin


class LoweringFault(Exception):
    """A construct without a lowering. `name`: entry of the catalogue; `origin`: where it stands."""

    def __init__(self, name: str, origin: Origin, values: Mapping[str, object]) -> None:
        super().__init__(name)
        self.name = name
        self.origin = origin
        self.values = dict(values)
