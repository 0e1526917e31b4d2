"""A CUDA device that is the CPU, for machines without another one: see tests/cuda/driver.c."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "cuda"
NAME = "libcuda.so"


@functools.cache
def load(folder: Path) -> None:
    """Makes it the process's CUDA driver, unless there is one, or no C compiler.

    Args:
      folder: where it is built, once.
    """
    try:
        ctypes.CDLL(NAME)
        return
    except OSError:
        pass
    if shutil.which("cc") is None:
        return
    library = folder / NAME
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = folder / f"{NAME}.{os.getpid()}"
        tools = [f'-DPYTHON="{sys.executable}"', f'-DTRANSLATOR="{SOURCES / "translate.py"}"']
        options = ["-O1", "-shared", "-fPIC", "-pthread", f"-Wl,-soname,{NAME}", *tools]
        subprocess.run(["cc", *options, "-o", made, SOURCES / "driver.c", "-ldl"], check=True)
        made.rename(library)
    # A library that is loaded is found by its name.
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
