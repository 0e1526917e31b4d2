"""Exported files: damaged, not written for lack of space, and used on both sides of a fork."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import dovetail as dt
from dovetail import runtime
from dovetail.exporting.files import write_parameters

X = np.arange(8, dtype=np.float32)
W = np.linspace(-2, 2, 8, dtype=np.float32)
Files = tuple[Path, Path]


def scaled(w: Any, x: Any) -> Any:
    return w["scale"] * x + w["shift"]


@pytest.fixture(scope="module", params=["irpa", "safetensors"])
def files(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Files:
    """A module and its parameters."""
    path = tmp_path_factory.mktemp("files") / "f.vmfb"
    weights = path.with_name(f"w.{request.param}")
    write(path, weights, W)
    return path, weights


def write(path: Path, weights: Path | None, scale: np.ndarray) -> None:
    values = {"scale": scale, "shift": W}
    dt.export(scaled, values, X, path=path, parameters=weights, parameter_argnames="w")


def run(program: str, *arguments: Any) -> str:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Damage


def test_damaged_modules_are_rejected(files: Files) -> None:
    data = files[0].read_bytes()
    rng = random.Random(0)
    for _ in range(1000):
        mutant = bytearray(data)
        mutant[rng.randrange(len(mutant))] ^= 1 << rng.randrange(8)
        if rng.random() < 0.3:
            del mutant[rng.randrange(len(mutant)) :]
        with pytest.raises(ValueError, match="is not an IREE module file"):
            runtime.load(mutant, "local-sync")


# In a separate process, which may crash.
MUTATE = """
import random, sys
from pathlib import Path
import numpy as np
from dovetail import runtime
module, weights = map(Path, sys.argv[1:])
data, mutated = weights.read_bytes(), weights.with_name("mutated" + weights.suffix)
x = np.arange(8, dtype=np.float32)
expected = runtime.load(module, "local-sync").main(x).numpy()
rng = random.Random(1)
refused = right = 0
for _ in range(500):
    mutant = bytearray(data)
    for _ in range(rng.choice((1, 1, 3))):
        mutant[rng.randrange(len(mutant))] ^= 1 << rng.randrange(8)
    if rng.random() < 0.2:
        del mutant[rng.randrange(len(mutant)) :]
    mutated.write_bytes(mutant)
    try:
        result = runtime.load(module, "local-sync", parameters=mutated).main(x).numpy()
    except ValueError as error:
        assert mutated.name in str(error), error
        refused += 1
    else:
        assert np.array_equal(result, expected), "a wrong answer"
        right += 1
print(refused, right)
"""


def test_damage_to_parameters_is_detected(files: Files) -> None:
    """Nor to parts without an effect on the values, such as padding and the names of types."""
    assert run(MUTATE, *files).split() == ["500", "0"]


def test_the_digest_covers_every_byte(files: Files) -> None:
    path, weights = files
    data = weights.read_bytes()
    mutated = weights.with_name("bytes" + weights.suffix)
    rng = random.Random(2)
    places = range(len(data)) if len(data) < 600 else sorted(rng.sample(range(len(data)), 600))
    for place in places:
        mutant = bytearray(data)
        mutant[place] ^= 1 << rng.randrange(8)
        mutated.write_bytes(mutant)
        with pytest.raises(ValueError, match=mutated.name):
            runtime.load(path, "local-sync", parameters=mutated)
    for other in (data + b"\0", data + data):
        mutated.write_bytes(other)
        with pytest.raises(ValueError, match=mutated.name):
            runtime.load(path, "local-sync", parameters=mutated)
    mutated.write_bytes(data)
    runtime.load(path, "local-sync", parameters=mutated)


def test_a_digest_with_another_name_is_damage(tmp_path: Path) -> None:
    path, weights = tmp_path / "f.vmfb", tmp_path / "w.safetensors"
    write(path, weights, W)
    data = weights.read_bytes()
    assert data.count(b"dovetail.sha256") == 1
    weights.write_bytes(data.replace(b"dovetail.sha256", b"dovetail.sha257"))
    with pytest.raises(
        ValueError, match=r"damaged: .* has another name; .* or load it with verify"
    ):
        runtime.load(path)
    loaded = runtime.load(path, verify=False)
    np.testing.assert_allclose(loaded.main(X), W * X + W, rtol=1e-6)
    # Files of other programs have none.
    save_file({"w.scale": 2 * W, "w.shift": W, "another": W[:2]}, weights)
    np.testing.assert_allclose(runtime.load(path).main(X), 2 * W * X + W, rtol=1e-6)


# Disks


LIMITED = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from dovetail import runtime
from dovetail.exporting.files import write_parameters
good, module, *others = map(Path, sys.argv[1:])
data = good.read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for path in (module, *others):
    try:
        if path == module:
            runtime.save(path, data)
        else:
            write_parameters(path, {"w": np.ones(1000, np.float32)})
    except OSError as error:
        print(error)
"""


def test_files_that_do_not_fit_on_the_disk(files: Files, tmp_path: Path) -> None:
    kept = [tmp_path / name for name in ("kept.irpa", "kept.safetensors", "kept.vmfb")]
    for path in kept:
        path.write_bytes(b"an older file")
    said = run(LIMITED, files[0], *reversed(kept)).splitlines()
    reasons = "File too large", "File too large", "failed to extend"
    for line, path, reason in zip(said, reversed(kept), reasons, strict=True):
        assert "the file cannot be written: " in line
        assert reason in line
        assert f"'{path}'" in line
        assert path.read_bytes() == b"an older file"
    # Partial files are removed.
    assert sorted(tmp_path.iterdir()) == kept


def test_folders_that_cannot_be_written_to(tmp_path: Path) -> None:
    write(tmp_path / "f.vmfb", None, W)
    missing, file = tmp_path / "absent", tmp_path / "f.vmfb"
    with pytest.raises(FileNotFoundError, match=r"cannot be written: No such.*absent/f\.vmfb'"):
        write(missing / "f.vmfb", None, W)
    with pytest.raises(FileNotFoundError, match=r"cannot be written: No such.*absent/w\.irpa'"):
        write_parameters(missing / "w.irpa", {"w": W})
    with pytest.raises(NotADirectoryError, match=r"cannot be written: Not a directory"):
        write(file / "f.vmfb", None, W)
    with pytest.raises(OSError, match="cannot be written"):
        write(tmp_path, None, W)
    assert [p.name for p in tmp_path.iterdir()] == ["f.vmfb"]


def test_files_replace_others_at_once(files: Files, tmp_path: Path) -> None:
    path, weights = tmp_path / "f.vmfb", tmp_path / files[1].name
    write(path, weights, W)
    loaded = runtime.load(path, "local-sync")
    np.testing.assert_allclose(loaded.main(X), W * X + W, rtol=1e-6)
    write(path, weights, 2 * W)
    # A process that has opened the old files keeps them.
    np.testing.assert_allclose(loaded.main(X), W * X + W, rtol=1e-6)
    np.testing.assert_allclose(runtime.load(path).main(X), 2 * W * X + W, rtol=1e-6)
    mask = os.umask(0)
    os.umask(mask)
    assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {0o666 & ~mask}


# Processes

FORK = """
import os, sys
import numpy as np
from dovetail import runtime
x = np.arange(8, dtype=np.float32)
loaded = runtime.load(sys.argv[1], sys.argv[2])
expected = loaded.main(x).numpy()

def check():
    assert np.array_equal(loaded.main(x).numpy(), expected)
    assert np.array_equal(runtime.load(sys.argv[1], sys.argv[2]).main(x).numpy(), expected)

child = os.fork()
check()
if child:
    assert os.waitpid(child, 0)[1] == 0
    check()
    print("done")
"""


@pytest.mark.parametrize("device", ["local-sync", "local-task"])
def test_a_fork_leaves_two_processes_that_can_call(files: Files, device: str) -> None:
    assert run(FORK, files[0], device) == "done\n"
