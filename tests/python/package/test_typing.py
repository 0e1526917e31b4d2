"""Types as editors see them: those of an installed package with `py.typed`, in strict mode."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import dovetail as dt
import dovetail.numpy as dnp

PROGRAM = Path(__file__).with_name("typed") / "program.py"


def installed(repository: Path, folder: Path) -> None:
    """Makes a project with an environment in which Dovetail is installed."""
    packages = folder / "env" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "dovetail").symlink_to(repository / "python" / "dovetail")
    settings = {
        "include": ["program.py"],
        "venvPath": str(folder),
        "venv": "env",
        "extraPaths": [sysconfig.get_path("purelib")],
        "pythonVersion": "3.11",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))


def pyright(folder: Path) -> list[tuple[int, str]]:
    """The lines and rules of what pyright reports."""
    command = Path(sys.executable).with_name("pyright")
    done = subprocess.run([command, "--outputjson"], cwd=folder, capture_output=True, text=True)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [(f["range"]["start"]["line"] + 1, f.get("rule", f["message"])) for f in found]


@pytest.mark.slow
def test_a_program_is_clean_in_strict_mode(repository: Path, tmp_path: Path) -> None:
    installed(repository, tmp_path)
    shutil.copy(PROGRAM, tmp_path)
    assert len(PROGRAM.read_text().splitlines()) >= 180
    assert pyright(tmp_path) == []


def test_the_program_runs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, PROGRAM], cwd=tmp_path, check=True, capture_output=True)


def test_types_are_those_that_users_expect(repository: Path, tmp_path: Path) -> None:
    """What an editor shows, and completes; an error where an argument has a wrong type."""
    installed(repository, tmp_path)
    (tmp_path / "program.py").write_text(
        "from typing import assert_type\n"
        "import dovetail as dt\n"
        "import dovetail.numpy as dnp\n"
        "x = dnp.ones((2, 3))\n"
        "assert_type(x, dt.Array)\n"
        "assert_type(x.T.reshape(-1).at[0].set(1), dt.Array)\n"
        "assert_type(dt.random.split(dt.random.key(0)), dt.Array)\n"
        "assert_type(x + 1, dt.Array)\n"
        "x.reshaped(-1)\n"
        "dnp.sin(x, 3)\n"
    )
    assert pyright(tmp_path) == [(9, "reportAttributeAccessIssue"), (10, "reportCallIssue")]


def test_public_names_are_exported_for_type_checkers(repository: Path) -> None:
    """`import a as a`, or an assignment; `import a` alone is private in a typed package."""
    tree = ast.parse((repository / "python/dovetail/numpy/__init__.py").read_text())
    private = [
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.asname is None and name.name != "annotations"
    ]
    assert not private
    assert dnp.ndarray is dt.Array
