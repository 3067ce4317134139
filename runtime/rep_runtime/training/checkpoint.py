"""Checkpoints: one folder each, swapped in whole, readable by anything that reads safetensors and JSON.

    checkpoints/
      checkpoint-000200/weights.safetensors     parameters and cells by path
                        optimizer.safetensors   moments
                        state.json              schema version, step, seed, spec hash, paths and shapes, plain numbers
      latest                                    the name of the newest whole folder

Random numbers are keyed by (seed, path, step), so `step` and `seed` are all there is to restore of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from rep_runtime.faults import RuntimeFault
from rep_runtime.training.files import disk_faults, remove_folder, write_atomic, write_folder_atomic
from rep_runtime.training.tensors import Owned, Scalars, moments, restore_moments

SCHEMA = 1
KEPT = 2
_WEIGHTS, _MOMENTS, _STATE, _LATEST = "weights.safetensors", "optimizer.safetensors", "state.json", "latest"
_LISTED = 8


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a checkpoint folder holds, read back."""

    folder: Path
    step: int
    seed: int
    spec_hash: str
    weights: Mapping[str, Tensor]
    moments: Mapping[str, Tensor]
    scalars: Scalars


def _plain(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Copies that share no storage (a shared tensor appears under each of its paths) on the CPU."""
    return {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in tensors.items()}


def _shape(tensor: Tensor) -> str:
    return f"[{', '.join(map(str, tensor.shape))}] {str(tensor.dtype).removeprefix('torch.')}"


def save(root: Path, model: nn.Module, owned: Owned, *, step: int, seed: int, spec_hash: str, keep: int = KEPT) -> Path:
    """Write the checkpoint of `step` under `root` and remove all but the newest `keep`; returns its folder.

    RuntimeFault REP0704 where it cannot be written; the previous checkpoints are then untouched.
    """
    from safetensors.torch import save as pack

    tensors, scalars = moments(owned)
    weights = model.state_dict()
    header = {
        "schema": SCHEMA,
        "step": step,
        "seed": seed,
        "random": "keyed by (seed, path, application, step)",
        "spec_hash": spec_hash,
        "torch": torch.__version__,
        "paths": {path: _shape(tensor) for path, tensor in weights.items()},
        "numbers": scalars,
    }
    contents = {
        _WEIGHTS: pack(_plain(weights), {"format": "pt", "spec_hash": spec_hash}),
        _MOMENTS: pack(_plain(tensors), {"format": "pt"}),
        _STATE: (json.dumps(header, indent=1) + "\n").encode(),
    }
    folder = root / f"checkpoint-{step:06d}"
    safe = find_latest(root)
    told = f"the checkpoint `{safe}` is whole" if safe else "there is no earlier checkpoint"
    with disk_faults(f"the checkpoint of step {step}", told):
        root.mkdir(parents=True, exist_ok=True)
        for unfinished in root.glob(".checkpoint-*"):
            remove_folder(unfinished)
        write_folder_atomic(folder, contents)
        write_atomic(root / _LATEST, folder.name.encode() + b"\n")
        # Those of later steps belong to a run that was rewound: they are no continuation of this one.
        earlier = [old for old in _whole(root) if _step_of(old) <= step]
        for old in _whole(root):
            if old not in earlier[-keep:]:
                remove_folder(old)
    return folder


def _step_of(folder: Path) -> int:
    return int(folder.name.split("-")[1])


def _whole(root: Path) -> list[Path]:
    """Checkpoint folders under `root`, oldest first; a folder gets its name only when it is complete."""
    found = [path for path in root.glob("checkpoint-*") if path.name.split("-")[1].isdigit()]
    return sorted(found, key=_step_of)


def find_latest(root: Path) -> Path | None:
    """The newest whole checkpoint under `root`, or None. The pointer decides where it is valid."""
    try:
        named = root / (root / _LATEST).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        named = root
    if named != root and named.parent == root and (named / _STATE).is_file():
        return named
    whole = _whole(root)
    return whole[-1] if whole else None


def read(folder: Path) -> Checkpoint:
    """Read a checkpoint folder (or the newest one of a `checkpoints` or run folder); REP0703 where it is damaged."""
    from safetensors import SafetensorError
    from safetensors.torch import load as unpack

    place = folder
    if not (folder / _STATE).is_file():
        place = find_latest(folder) or find_latest(folder / "checkpoints") or folder
    try:
        header = json.loads((place / _STATE).read_text(encoding="utf-8"))
        if header["schema"] != SCHEMA:
            raise RuntimeFault(
                "REP0703",
                f"the checkpoint `{place}` has schema version {header['schema']}, this runtime reads {SCHEMA}",
                "use the version of repc that wrote it",
            )
        weights = unpack((place / _WEIGHTS).read_bytes())
        held = unpack((place / _MOMENTS).read_bytes())
        return Checkpoint(
            place, int(header["step"]), int(header["seed"]), str(header["spec_hash"]), weights, held, header["numbers"]
        )
    except FileNotFoundError as error:
        missing = Path(error.filename or place).name
        raise RuntimeFault(
            "REP0703", f"`{place}` holds no checkpoint: `{missing}` is missing", "name a run folder or a checkpoint"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SafetensorError) as error:
        raise RuntimeFault(
            "REP0703", f"the checkpoint `{place}` is damaged ({error})", "resume from an older one"
        ) from error


def differences(model: nn.Module, checkpoint: Checkpoint) -> list[str]:
    """How the model's paths, shapes and dtypes differ from the checkpoint's, one line each."""
    mine, theirs = model.state_dict(), checkpoint.weights
    lines = [f"`{path}` is {_shape(mine[path])}, not in the checkpoint" for path in mine if path not in theirs]
    lines += [f"`{path}` is {_shape(theirs[path])} in the checkpoint alone" for path in theirs if path not in mine]
    for path in mine:
        if path in theirs and _shape(mine[path]) != _shape(theirs[path]):
            lines.append(f"`{path}` is {_shape(mine[path])} here, {_shape(theirs[path])} in the checkpoint")
    return lines


def require_same(model: nn.Module, checkpoint: Checkpoint, spec_hash: str) -> None:
    """RuntimeFault REP0702 where the checkpoint belongs to another spec, naming the parameters that differ."""
    lines = differences(model, checkpoint)
    if not lines and checkpoint.spec_hash == spec_hash:
        return
    if lines:
        more = [f"and {len(lines) - _LISTED} more"] if len(lines) > _LISTED else []
        told = "\n".join(f"  {line}" for line in lines[:_LISTED] + more)
        detail = f"{len(lines)} parameters or cells differ:\n{told}"
    else:
        detail = (
            "all parameters have the same paths and shapes, so what differs is how they are used or trained "
            f"(spec {spec_hash[:12]} here, {checkpoint.spec_hash[:12]} in the checkpoint)"
        )
    raise RuntimeFault(
        "REP0702",
        f"the checkpoint `{checkpoint.folder}` is of another spec: {detail}",
        "train the changed spec in a new run folder; the run folder holds the text that the checkpoint belongs to",
    )


def load_weights(model: nn.Module, checkpoint: Checkpoint, spec_hash: str) -> None:
    """Put a checkpoint's parameters and cells into the model of the same spec (REP0702 otherwise)."""
    require_same(model, checkpoint, spec_hash)
    model.load_state_dict(dict(checkpoint.weights), strict=True)


def load_all(model: nn.Module, owned: Owned, checkpoint: Checkpoint, spec_hash: str) -> None:
    """`load_weights` and the optimizers' moments."""
    load_weights(model, checkpoint, spec_hash)
    restore_moments(owned, checkpoint.moments, checkpoint.scalars)
