"""Messages of programs while they run."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from support.callback_tools import Transform

# Printing ----------------------------------------------------------------------------------------


def test_print(run: Transform, capsys: pytest.CaptureFixture[str]) -> None:
    @run
    def program(x: Any) -> Any:
        dt.debug.print("x: {}", x)
        dt.debug.print("{x:.3f} {name} {1} {0!r:>4} {{}}", 1, "one", x=x[0], name="named")
        dt.debug.print("tree: {t[a]}", t={"a": x[1]}, ordered=True)
        dt.debug.print(ordered=True, partitioned=True)("sum {s}", s=x.sum())
        dt.debug.print("no fields")
        return x

    program(dnp.array([0.5, 1.5]))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "x: [0.5 1.5]"
    assert lines[1].startswith("0.500 named one ")
    assert lines[1].endswith("{}")
    assert lines[2:] == ["tree: 1.5", "sum 2.0", "no fields"]


def test_print_of_batches_and_options(run: Transform, capsys: pytest.CaptureFixture[str]) -> None:
    with np.printoptions(precision=2):
        program = run(dt.vmap(lambda x: dt.debug.print("{}", x)))
        program(dnp.array([[0.123456, 1.0], [2.0, 3.0]]))
    assert capsys.readouterr().out == "[0.12 1.  ]\n[2. 3.]\n"


def test_print_checks_its_format(run: Transform) -> None:
    # The place is that of the call, not one in the standard library.
    message = r"positional arguments to debug\.print: .*1.*f-string.*, at .*test_debug_print\.py"
    with pytest.raises(ValueError, match=message):
        run(lambda x: dt.debug.print("{}", x, x))(1.0)
    with pytest.raises(ValueError, match=r"keyword arguments to debug\.print: .*x"):
        run(lambda x: dt.debug.print(f"{1}", x=x))(1.0)
    with pytest.raises(KeyError, match="y"):
        run(lambda x: dt.debug.print("{y}", x=x))(1.0)
    with pytest.raises(IndexError):
        run(lambda x: dt.debug.print("{} {}", x))(1.0)
    with pytest.raises(TypeError, match="must get a format string"):
        dt.debug.print(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes options only"):
        dt.debug.callback(x=3)


def test_print_without_check(run: Transform, capsys: pytest.CaptureFixture[str]) -> None:
    run(lambda x: dt.debug.print("value", x, skip_format_check=True))(1.0)
    assert capsys.readouterr().out == "value 1.0\n"


def test_log(run: Transform, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dovetail.debug"):
        run(lambda x: dt.debug.log("x: {}", x))(1.0)
    (record,) = caplog.records
    assert record.getMessage() == "x: 1.0"
    assert Path(record.pathname) == Path(__file__)
