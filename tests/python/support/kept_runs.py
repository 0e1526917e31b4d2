"""Runs of the examples that are kept until what they run changes.

The gallery of the documentation's site shows what the tests look at: whichever comes first runs an
example.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

# What a run depends on, but for these: where compiled programs are kept, and which tests run.
_WITHOUT_EFFECT = ("DOVETAIL_CACHE_DIR", "DOVETAIL_PROFILE", "DOVETAIL_EXAMPLES", "DOVETAIL_OPS")


@cache
def implementation(repository: Path) -> bytes:
    """A digest of what examples, and the code of documents, run."""
    digest = hashlib.sha256()
    for path in sorted([*repository.glob("python/**/*.py"), *repository.glob("examples/*.py")]):
        digest.update(path.read_bytes())
    built = repository / "build" / ".inputs"
    digest.update(built.read_bytes() if built.exists() else b"")
    return digest.digest()


def folder_of(repository: Path, name: str, *options: str) -> Path:
    """Where the run of an example by this implementation, under these settings, is kept."""
    settings = sorted(
        (key, value)
        for key, value in os.environ.items()
        if key.startswith("DOVETAIL_") and key not in _WITHOUT_EFFECT
    )
    known = repr((options, settings))
    digest = hashlib.sha256(implementation(repository) + known.encode()).hexdigest()
    return repository / "build" / "example-runs" / f"{name}-{digest[:16]}"


def example(repository: Path, name: str, *options: str) -> Path:
    """The folder with the figure, the numbers and the files of an example; `output.txt` has what it
    printed.

    Raises:
      RuntimeError: the example fails.
    """
    folder = folder_of(repository, name, *options)
    if (folder / "output.txt").exists():
        return folder
    for older in folder.parent.glob(f"{name}-*"):
        shutil.rmtree(older)
    folder.mkdir(parents=True)
    command = [sys.executable, repository / "examples" / f"{name}.py", *options]
    done = subprocess.run(
        [*command, "--output", folder], capture_output=True, text=True, cwd=folder
    )
    if done.returncode:
        shutil.rmtree(folder)
        raise RuntimeError(f"examples/{name}.py fails:\n{done.stdout}{done.stderr}")
    (folder / "output.txt").write_text(done.stdout)
    return folder
