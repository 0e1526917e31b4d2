"""Configuration of the FileCheck tests: `lit tests/lit`, or one file of it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import lit.formats

# ruff: noqa: F821 (lit defines `config` and `lit_config`)

ROOT = Path(__file__).resolve().parents[2]
LLVM_TOOLS = "/usr/lib/llvm-22/bin"

# `--param dovetail_opt=PATH` tests a build other than that of tools/setup.
opt = lit_config.params.get("dovetail_opt") or shutil.which(
    "dovetail-opt", path=ROOT / "build" / "cmake" / "tools" / "dovetail-opt"
)
if opt is None:
    lit_config.fatal("dovetail-opt is not built; run tools/setup")

config.name = "dovetail"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(ROOT / "build" / "lit")
config.environment["PATH"] = os.pathsep.join(
    # iree-compile is next to the Python that runs lit.
    [str(Path(opt).parent), LLVM_TOOLS, str(Path(sys.executable).parent), os.environ["PATH"]]
)
# A failing check shows the whole input next to the pattern.
config.environment["FILECHECK_OPTS"] = "--dump-input=fail"
