"""One folder per run, holding all that is needed to read, repeat and go on with it.

RUN/
  spec.rep          the resolved spec
  lm.py             the generated module, and lm.map.json beside it
  config.json       name, settings, versions, spec hash
  log.csv           one row per logged step
  curves.png        the log as a picture
  checkpoints/      see `checkpoint.py`
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch

from rep_runtime.faults import RuntimeFault
from rep_runtime.training.checkpoint import find_latest
from rep_runtime.training.files import disk_faults, write_atomic
from rep_runtime.training.protocol import Settings

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class RunSpec:
    """Which run this is: where it lies, which spec it trains and the texts to keep with it.

    `spec_hash`: hash of the meaning of the spec (any stable text). `files`: further texts to copy in by plain file
    name (`spec.rep`, the generated module and its map). `config`: what else belongs in `config.json`.
    """

    folder: Path
    name: str
    spec_hash: str
    files: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints"

    @property
    def log(self) -> Path:
        return self.folder / "log.csv"

    @property
    def curves(self) -> Path:
        return self.folder / "curves.png"


def open_folder(run: RunSpec, settings: Settings, resume: bool) -> Path | None:
    """Make the run folder and write its texts; returns the checkpoint to go on from, if any.

    RuntimeFault REP0701 where the folder holds a run already and `resume` was not asked for, or is not a folder.
    """
    if run.folder.exists() and not run.folder.is_dir():
        raise RuntimeFault("REP0701", f"`{run.folder}` is a file, not a run folder", "name another folder")
    latest = find_latest(run.checkpoints)
    if not resume and (latest is not None or run.log.exists()):
        raise RuntimeFault(
            "REP0701", f"`{run.folder}` already holds a run", "resume it (`--resume`), or name another folder"
        )
    if latest is not None:
        # The texts stay those of the run until its checkpoint is known to be of the same spec.
        return latest
    write_texts(run, settings)
    return None


def write_texts(run: RunSpec, settings: Settings) -> None:
    """Write `config.json` and the texts of the run; RuntimeFault REP0704 where that fails."""
    for name in run.files:
        if Path(name).name != name or name in {"", ".", "..", "config.json", "log.csv", "curves.png", "checkpoints"}:
            raise RuntimeFault("REP0701", f"`{name}` is no name for a text in a run folder")
    config = {
        "schema": SCHEMA,
        "name": run.name,
        "spec_hash": run.spec_hash,
        "settings": asdict(settings),
        "torch": torch.__version__,
        **run.config,
    }
    with disk_faults(f"the run folder `{run.folder}`"):
        run.folder.mkdir(parents=True, exist_ok=True)
        for name, text in run.files.items():
            write_atomic(run.folder / name, text.encode())
        write_atomic(run.folder / "config.json", (json.dumps(config, indent=1) + "\n").encode())
