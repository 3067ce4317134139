"""What a memory cannot mean."""

from __future__ import annotations


class MemoryFault(ValueError):
    """Choices of a memory that have no meaning together."""
