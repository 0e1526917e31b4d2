"""Module files: saved, loaded, read by IREE's tools, damaged, and run without the compiler."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dovetail import runtime
from dovetail.runtime import iree_internals
from dovetail.runtime.module_file import check, seal
from support.runtime_modules import ADD, module


def test_saved_files_load_and_the_tools_read_them(add_module: bytes, tmp_path: Path) -> None:
    path = tmp_path / "add.vmfb"
    path.write_bytes(b"an older file")
    runtime.save(path, add_module)
    assert [p.name for p in tmp_path.iterdir()] == ["add.vmfb"]
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(runtime.load(path).add(x, x).numpy(), 2 * x)
    np.testing.assert_array_equal(runtime.load(str(path)).add(x, x).numpy(), 2 * x)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.comment.startswith(b"dovetail sha256 ")
    tool = iree_internals.program("iree-run-module")
    arguments = ["--device=local-sync", "--function=add", "--input=4xf32=1", "--input=4xf32=2"]
    command = [str(tool), f"--module={path}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "4xf32=3 3 3 3" in done.stdout
    before = path.read_bytes()
    runtime.save(path, before)
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="not an IREE module file"):
        runtime.save(path, b"text")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "does not start as an archive"),
        (b"MZ" + bytes(100), "does not start as an archive"),
        (b"PK\x03\x04" + bytes(100), "its end is missing"),
    ],
)
def test_other_files_are_rejected(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"file' is not an IREE module file: .*{reason}.*compile"):
        runtime.load(path)
    with pytest.raises(ValueError, match=f"the data is not an IREE module file: .*{reason}"):
        runtime.load(data)
    with pytest.raises(FileNotFoundError):
        runtime.load(tmp_path / "absent")


def test_other_archives_are_rejected(tmp_path: Path) -> None:
    np.savez(tmp_path / "arrays.npz", x=np.zeros(4))
    with pytest.raises(ValueError, match="IREE module file: its archive does not start with a"):
        runtime.load(tmp_path / "arrays.npz")
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(ValueError, match="is not an IREE module file"):
        runtime.load(tmp_path / "empty.zip")


def test_modules_without_an_archive_are_rejected() -> None:
    # Nothing in them distinguishes damaged machine code from intact code.
    vmfb = module(ADD, flags=["--iree-vm-emit-polyglot-zip=false"])
    with pytest.raises(ValueError, match="it does not start as an archive"):
        runtime.load(vmfb)


def test_damage_to_a_sealed_file_never_passes(add_module: bytes) -> None:
    sealed = seal(add_module)
    check(sealed)
    rng = random.Random(0)
    damaged = [sealed[: rng.randrange(len(sealed))] for _ in range(300)]
    damaged += [sealed + bytes(n) for n in (1, 22, 100)]
    for position in {*rng.sample(range(len(sealed)), 600), *range(len(sealed) - 150, len(sealed))}:
        data = bytearray(sealed)
        data[position] ^= 1 << rng.randrange(8)
        damaged.append(bytes(data))
    for data in damaged:
        with pytest.raises(ValueError, match="is not an IREE module file"):
            runtime.load(data)


MUTATE = """
import random, sys
import numpy as np
from dovetail import runtime
data = open(sys.argv[1], "rb").read()
x = np.arange(4, dtype=np.float32)
rng = random.Random(int(sys.argv[2]))
refused = right = 0
for _ in range(400):
    mutant = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        mutant[rng.randrange(len(mutant))] = rng.randrange(256)
    if rng.random() < 0.2:
        del mutant[rng.randrange(len(mutant)) :]
    try:
        result = runtime.load(bytes(mutant), "local-sync").add(x, x).numpy()
    except ValueError:
        refused += 1
    else:
        assert np.array_equal(result, 2 * x), "a wrong answer"
        right += 1
print(refused, right)
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_damage_to_an_unsealed_file_is_an_error_or_has_no_effect(
    add_module: bytes, tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "add.vmfb"
    path.write_bytes(add_module)
    done = run_python(MUTATE, str(path), str(seed))
    refused, right = map(int, done.split())
    assert refused > 300
    assert right > 0


ISOLATED = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        parts = name.split(".")
        if name.startswith("iree.compiler") or parts[0] in ("optree", "scipy", "nanobind") or (
            parts[0] == "dovetail" and len(parts) > 1 and parts[1] != "runtime"
        ):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import numpy as np
from dovetail import runtime
x = np.arange(4, dtype=np.float32)
print(runtime.load(sys.argv[1]).add(x, x))
"""


def test_the_runtime_needs_nothing_else(add_module: bytes, tmp_path: Path) -> None:
    path = tmp_path / "add.vmfb"
    runtime.save(path, add_module)
    assert run_python(ISOLATED, str(path)).strip() == "[0. 2. 4. 6.]"


def run_python(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
