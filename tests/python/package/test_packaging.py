"""The wheel, in an environment that contains nothing else, and the cost of importing the
package.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

WHEEL_LIMIT = 40 * 2**20

# Libraries of any Linux system as old as the C library; none of LLVM or MLIR.
SYSTEM_LIBRARIES = {"libc", "libgcc_s", "libm", "libstdc++", "ld-linux-x86-64", "linux-vdso"}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Runs a program as a user's shell would, without this process's Python paths."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=inherited | environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation")
    run(*pip, "--wheel-dir", directory, repository, cwd=directory)
    (path,) = directory.iterdir()
    return path


@pytest.mark.packaging
def test_wheel_is_small_and_holds_the_package_only(wheel: Path) -> None:
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 2**20:.1f} MiB")
    assert size <= WHEEL_LIMIT
    roots = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    version = wheel.name.split("-")[1]
    assert roots <= {"dovetail", f"dovetail-{version}.dist-info", f"dovetail-{version}.data"}
    names = zipfile.ZipFile(wheel).namelist()
    assert "dovetail/include/dovetail/ffi.h" in names
    assert "dovetail/diagnostics/viewer/libraries.js" in names
    licences = f"dovetail-{version}.dist-info/licenses"
    assert f"{licences}/licences/third_party.txt" in names


@pytest.mark.packaging
def test_wheel_needs_system_libraries_only(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    binaries = [p for p in tmp_path.rglob("*") if p.is_file() and p.read_bytes()[:4] == b"\x7fELF"]
    names = {p.name.split(".")[0] for p in binaries}
    libraries = {
        f"libdovetail_{name}" for name in ("blas", "collectives", "ffi", "memory", "vulkan")
    }
    assert names == {"_core", "dovetail-opt", *libraries}
    for binary in binaries:
        listing = run("ldd", binary, cwd=tmp_path)
        assert "not found" not in listing
        needed = {Path(line.split()[0]).name.split(".so")[0] for line in listing.splitlines()}
        assert {re.sub(r"\.\d+$", "", name) for name in needed} <= SYSTEM_LIBRARIES


@pytest.mark.packaging
def test_wheel_trains_in_an_empty_environment(
    wheel: Path, repository: Path, tmp_path: Path
) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    scripts = environment / "bin"
    constraints = repository / "tools" / "requirements.txt"
    pip = (scripts / "python", "-m", "pip", "install", "--disable-pip-version-check")
    run(*pip, "--no-compile", "--constraint", constraints, f"{wheel}[demo]", cwd=tmp_path)
    run(scripts / "python", "-m", "pip", "check", cwd=tmp_path)

    where = run(scripts / "python", "-c", "import dovetail; print(dovetail.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    assert "dovetail-expand" in run(scripts / "dovetail-opt", "--help", cwd=tmp_path)

    example = repository / "examples" / "digits.py"
    arguments = ("--train-only", "--epochs", "2")
    cache = str(tmp_path / "cache")
    trained = run(scripts / "python", example, *arguments, cwd=tmp_path, DOVETAIL_CACHE_DIR=cache)
    accuracy = re.search(r"test accuracy ([\d.]+)%", trained)
    assert accuracy is not None
    assert float(accuracy[1]) > 80


@pytest.mark.packaging
def test_source_distribution_has_the_repository(repository: Path, tmp_path: Path) -> None:
    """`tools/wheels` builds wheels from it."""
    build = (
        "from scikit_build_core.build import build_sdist as b; import sys; print(b(sys.argv[1]))"
    )
    name = run(sys.executable, "-c", build, tmp_path, cwd=repository).splitlines()[-1]
    with tarfile.open(tmp_path / name) as archive:
        packed = {member.name.partition("/")[2] for member in archive if member.isfile()}
    tracked = run("git", "ls-files", cwd=repository).splitlines()
    assert len(tracked) > 1000
    expected = {path for path in tracked if not path.startswith((".ci/", "shared/"))}
    assert not expected - packed
    assert not [path for path in packed if path.startswith((".ci/", "build/", "shared/", ".venv/"))]


def test_import_is_light(repository: Path) -> None:
    program = """
import sys, time
start = time.perf_counter()
import dovetail
print(time.perf_counter() - start)
assert "iree.compiler" not in sys.modules
"""
    seconds = [float(run(sys.executable, "-c", program, cwd=repository)) for _ in range(7)]
    median = statistics.median(seconds)
    print(f"import dovetail: {median:.3f} s")
    assert median < 0.15
