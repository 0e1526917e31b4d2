"""The programs of `benchmarks/suite.py` at their smallest sizes, evaluated, agree with NumPy."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import dovetail as dt

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
measure: Any = importlib.import_module("measure")
PROGRAMS: Any = importlib.import_module("programs").PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_evaluated_program(name: str) -> None:
    program, libraries = PROGRAMS[name], measure.LIBRARIES
    with dt.config.compile("never"):
        found = {"dovetail": measure.results(libraries["dovetail"], program, "small")}
    assert found["dovetail"]
    if program.numpy:
        found["numpy"] = measure.results(libraries["numpy"], program, "small")
        row: dict[str, Any] = {"notes": {}, "differences": {}}
        measure.compared(program, found, row)
        assert not row["notes"]
