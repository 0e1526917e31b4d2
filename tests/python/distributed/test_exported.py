"""Functions on several devices in files, run by one process and by several."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dovetail import runtime
from support import rank_exported, rank_programs
from support.rank_exported import reference
from support.ranks import (
    HAS_MPI,
    SHAPES,
    by_mpi,
    by_tcp,
    check_done,
    check_done_by_launcher,
)

pytestmark = pytest.mark.slow

PROGRAM = (str(rank_exported.__file__),)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exported") / "step.vmfb"
    environment = {"DOVETAIL_COMPILE": "now"}
    check_done(by_tcp(1, 8, "exports", path, environment=environment))
    return path


def test_in_one_process(file: Path) -> None:
    step = runtime.load(f"{file}.saved").main
    assert repr(step) == (
        "<function main(float32[3,4], float32[15,3]) -> (float32[3,4], float32[], float32[15,4])"
        " on 8 devices>"
    )
    w, x = np.ones((3, 4), np.float32), np.linspace(-1, 1, 45, dtype=np.float32).reshape(15, 3)
    params, mean, y = step({"w": w}, x)
    expected = reference(w, x)
    for result, value in zip((params["w"], mean, y), expected, strict=True):
        np.testing.assert_allclose(np.asarray(result), value, 1e-5, 1e-6)
    # Results are arguments.
    params, _, _ = step(x=x, params=params)
    np.testing.assert_allclose(np.asarray(params["w"]), reference(expected[0], x)[0], 1e-5, 1e-6)
    with pytest.raises(TypeError, match="must have a part for each participant of this process, 8"):
        step(params, runtime.Parts(x.shape, [x[:2]]))
    with pytest.raises(ValueError, match="which must be device='auto', got: 'local-task'"):
        runtime.load(file, "local-task")


@pytest.mark.parametrize(("count", "local"), SHAPES)
def test_by_tcp(count: int, local: int, file: Path) -> None:
    check_done(by_tcp(count, local, file, program=PROGRAM))


@pytest.mark.skipif(not HAS_MPI, reason="needs mpi4py and mpiexec")
@pytest.mark.parametrize(("count", "local"), SHAPES)
def test_under_mpiexec(count: int, local: int, file: Path) -> None:
    check_done_by_launcher(by_mpi(count, local, file, program=PROGRAM), count)


def test_a_process_that_stalls(file: Path) -> None:
    waiting, _ = by_tcp(2, 1, file, "stalls", program=PROGRAM)
    place = re.escape(str(rank_programs.__file__))
    assert re.search(
        rf"all_reduce_sum over data, .*{place}:\d+.*: process 1 must take part within 3 seconds, "
        "got: no message",
        waiting.errors,
    )


def test_a_number_of_processes_that_does_not_divide(file: Path) -> None:
    for rank in by_tcp(3, 1, file, program=PROGRAM):
        assert "by a number of processes that divides 8, got: 3" in rank.errors
