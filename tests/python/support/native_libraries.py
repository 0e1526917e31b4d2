"""Libraries in C and C++ that tests compile and load, kept between runs."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import dovetail as dt

_REPOSITORY = Path(__file__).parents[3]
_FOLDER = _REPOSITORY / "build" / "test-libraries"


@functools.cache
def jax_headers() -> Path | None:
    """The folder of XLA's headers in an installation of jaxlib, None if there is none."""
    candidates = [os.environ.get("DOVETAIL_JAX_HEADERS", "")]
    try:
        import jaxlib  # pyright: ignore[reportMissingImports]

        candidates.append(str(Path(next(iter(jaxlib.__path__)), "include")))
    except ImportError:
        pass
    for folder in candidates:
        if folder and Path(folder, "xla", "ffi", "api", "ffi.h").exists():
            return Path(folder)
    return None


needs_jax_headers = pytest.mark.skipif(
    jax_headers() is None,
    reason="needs XLA's headers, of jaxlib or in the folder that DOVETAIL_JAX_HEADERS names",
)


def library(source: Path, *options: str) -> Path:
    """The shared library of a source file."""
    compilers = ("clang++-22", "g++") if source.suffix == ".cc" else ("clang-22", "gcc")
    compiler = next((found for name in compilers if (found := shutil.which(name))), None)
    if compiler is None:
        pytest.skip(f"needs a compiler, one of {', '.join(compilers)}")
    standard = "-std=c++17" if source.suffix == ".cc" else "-std=c11"
    command = [compiler, standard, "-O1", "-fPIC", "-shared", "-Wall", *options]
    command.append(f"-I{dt.ffi.include_dir()}")
    headers = sorted(Path(dt.ffi.include_dir(), "dovetail").iterdir())
    digest = hashlib.sha256(repr(command).encode())
    for file in (source, *headers):
        digest.update(file.read_bytes())
    # Also parts of messages, in which a file has a short name.
    target = _FOLDER / digest.hexdigest()[:16] / f"lib{source.stem}.so"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        made = target.with_suffix(f".{os.getpid()}")
        subprocess.run([*command, str(source), "-o", str(made)], check=True)
        made.replace(target)
    return target
