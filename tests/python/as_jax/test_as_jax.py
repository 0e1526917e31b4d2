"""Programs that import `jax`, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAM = """
import sys
import jax
from jax.profiler import ProfileData
print(jax.numpy.sum(jax.numpy.arange(4)), sys.argv[1:], __name__)
"""


def run(
    *arguments: str,
    cwd: Path = HERE,
    status: int = 0,
    environment: Mapping[str, str] | None = None,
) -> str:
    """The output of a Python process, with that of errors."""
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | dict(environment or {}),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.returncode == status, process.stdout
    return process.stdout


def test_programs() -> None:
    options = ("-q", "-p", "dovetail.as_jax", "-p", "no:cacheprovider", "-o", "addopts=")
    files = sorted(path.name for path in HERE.glob("program_*.py"))
    settings = {
        "JAX_DEBUG_INFS": "1",
        "JAX_DEBUG_NANS": "1",
        "DOVETAIL_DEBUG_NANS": "0",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=3",
    }
    output = run("-m", "pytest", *options, "--noconftest", *files, environment=settings)
    assert "names of JAX that Dovetail lacks" in output
    assert "jax.profiler.ProfileData (used at " in output


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_script(program: Path, tmp_path: Path) -> None:
    output = run("-m", "dovetail.as_jax", "--report", "program.py", "-x", "1", cwd=tmp_path)
    assert output.splitlines()[0] == "6 ['-x', '1'] __main__"
    assert output.splitlines()[1] == "jax.profiler.ProfileData (imported at program.py:4)"


def test_module(program: Path, tmp_path: Path) -> None:
    output = run("-m", "dovetail.as_jax", "-m", "program", "a", cwd=tmp_path)
    assert output == "6 ['a'] __main__\n"


def test_loaded_jax_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "jax.py").write_text("__version__ = '0.4.1'")
    output = run("-c", "import jax, dovetail.as_jax", cwd=tmp_path, status=1)
    assert "must be imported before the first `import jax`, got: jax 0.4.1" in output


def test_import_of_dovetail_is_without_it() -> None:
    program = """
        import sys
        import dovetail, dovetail.numpy
        assert "dovetail.as_jax" not in sys.modules
        try:
            import jax
        except ModuleNotFoundError:
            pass
        else:
            assert not jax.__name__.startswith("dovetail")
    """
    run("-c", textwrap.dedent(program))
