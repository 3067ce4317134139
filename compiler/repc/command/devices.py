"""Devices by name."""

from __future__ import annotations

from repc.command.refusal import refuse


def require_device(name: str) -> None:
    """Raises Refusal where torch cannot compute on the device of that name."""
    import torch

    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).strip().split("\n")[0]
        raise refuse("bad-option", None, option="--device", reason=reason, command="train") from error
