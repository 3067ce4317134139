"""The wheel works by itself: installed into a clean environment and used from another folder."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD_INPUTS = ("pyproject.toml", "LICENSE", "README.md")
SOURCES = ("grammar", "compiler", "runtime")


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # A copy, so that the build leaves nothing in the working tree.
    source = tmp_path_factory.mktemp("source")
    for name in BUILD_INPUTS:
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, source / name)
    for name in SOURCES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "-w", out, cwd=source)
    (found,) = out.glob("*.whl")
    return found


def test_wheel_holds_the_data_files(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    wanted = {
        str(file.relative_to(ROOT / top).as_posix())
        for top in SOURCES
        for suffix in ("*.py", "*.lark", "*.j2", "*.rep", "py.typed")
        for file in (ROOT / top).rglob(suffix)
    }
    assert wanted
    assert wanted <= inside


def test_installed_wheel_checks_a_spec_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    run(sys.executable, "-m", "pip", f"--python={python}", "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    # The dependencies are those of the running environment: the test is about our own files.
    outer = Path(sysconfig.get_path("purelib"))
    (site / "outer.pth").write_text(f"{outer}\n", encoding="utf-8")

    folder = tmp_path / "elsewhere"
    folder.mkdir()
    spec = folder / "one.rep"
    spec.write_text(
        "rep 1\nuse std.nn (linear)\ndim B: batch, D = 4\n"
        "encoder One(x: [D]) -> [D] {\n  return linear(x, D -> D)\n}\n",
        encoding="utf-8",
    )
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    env["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    run(scripts / "repc", "check", spec, cwd=folder, env=env)
    where = run(python, "-c", "import rep_runtime, repc; print(rep_runtime.__file__)", cwd=folder, env=env)
    assert Path(where.strip()).is_relative_to(site)
