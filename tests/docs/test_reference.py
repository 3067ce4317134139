"""The reference pages say what the declarations in the compiler say today."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("build_reference", ROOT / "docs" / "build_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stale = [
        name
        for name, text in module.pages().items()
        if not (module.FOLDER / name).exists() or (module.FOLDER / name).read_text(encoding="utf-8") != text
    ]
    assert not stale, "run `python docs/build_reference.py`"
