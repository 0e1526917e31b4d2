"""Processes that fail, and what becomes of the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support import rank_faults
from support.ranks import HAS_HYDRA, Rank, by_tcp, each_by_mpi

pytestmark = pytest.mark.slow

PROGRAM = (str(rank_faults.__file__),)
PLACE = re.escape(str(Path(rank_faults.__file__)))


def _ranks(fault: str, count: int = 3) -> list[Rank]:
    ranks = by_tcp(count, 1, fault, program=PROGRAM)
    for rank in ranks:
        assert rank.output == "ready\n", rank
        # All ended on their own, soon after the one that failed.
        assert rank.status not in (0, -9) or fault in ("killed", "stalls"), rank
    ends = [rank.seconds for rank in ranks]
    assert max(ends) - min(ends) < 10
    return ranks


def _last(rank: Rank) -> str:
    return rank.errors.strip().splitlines()[-1]


@pytest.mark.parametrize("fault", ["new programs", "known programs"])
def test_processes_that_run_other_programs(fault: str) -> None:
    name = r"`{}`\(float32\[\d,2\]\) \(module \w+\)"
    first, second = name.format("total"), name.format("largest")
    for rank in _ranks(fault):
        assert re.search(
            "processes must run the same programs in the same order, got: ", _last(rank)
        )
        assert re.search(f"{first} in process [02]", _last(rank))
        assert re.search(f"{second} in process 1", _last(rank))


def test_a_process_that_runs_no_program() -> None:
    for rank in _ranks("no program"):
        assert re.search(r"`total`\(float32\[3,2\]\) \(module \w+\) in process [02]", _last(rank))
        assert "sync_global_devices('the end') in process 1" in _last(rank)


def test_a_process_that_is_killed() -> None:
    ranks = _ranks("killed")
    assert [rank.status for rank in ranks] == [1, -9, 1]
    for rank in (ranks[0], ranks[2]):
        assert re.search(
            r"CollectiveError: .*process \d must take part, got: .*(end of the connection|reset)",
            _last(rank),
        )


@pytest.mark.skipif(not HAS_HYDRA, reason="needs mpi4py and MPICH's mpiexec")
@pytest.mark.parametrize(
    ("fault", "status", "message"),
    [
        ("killed", 137, r"process 1 must take part, got: .*(end of the connection|reset)"),
        ("raises", 1, r"process 1 must take part, got: it has ended: KeyError: 'no more data'"),
    ],
)
def test_a_process_that_fails_under_mpiexec(fault: str, status: int, message: str) -> None:
    """The others end by themselves, also where MPI would wait for it for ever."""
    ranks = each_by_mpi(3, fault, program=PROGRAM)
    assert [rank.output for rank in ranks] == ["ready\n"] * 3
    failed = [rank for rank in ranks if "CollectiveError" not in rank.errors]
    assert [rank.status for rank in failed] == [status]
    for rank in ranks:
        assert rank in failed or re.search(f"CollectiveError: .*{message}", rank.errors)
        assert rank.status != 0
    ends = [rank.seconds for rank in ranks]
    assert max(ends) - min(ends) < 10


def test_a_process_that_raises_an_exception() -> None:
    ranks = _ranks("raises")
    assert _last(ranks[1]) == "KeyError: 'no more data'"
    for rank in (ranks[0], ranks[2]):
        assert "it has ended: KeyError: 'no more data'" in _last(rank)


def test_a_process_that_stalls() -> None:
    ranks = _ranks("stalls")
    for rank in (ranks[0], ranks[2]):
        assert rank.status == 1
        assert re.search(
            rf"all_reduce_sum over data, .*{PLACE}:\d+.*: process 1 must take part within 3 "
            "seconds, got: no message",
            _last(rank),
        )


def test_a_process_that_does_not_come() -> None:
    command = (
        "import os, dovetail as dt;"
        "count = int(os.environ['RANKS']) + 1;"
        "dt.distributed.initialize(None, count, int(os.environ['RANK']), initialization_timeout=9)"
    )
    for rank in by_tcp(2, 1, program=("-c", command)):
        assert rank.status == 1
        assert _last(rank) == (
            "RuntimeError: all 3 processes must come to the coordinator in time, got: no "
            "connection of process 2"
        )


def test_processes_that_disagree_on_their_number() -> None:
    command = (
        "import os, dovetail as dt;"
        "number = int(os.environ['RANK']);"
        "dt.distributed.initialize(None, 2 + number, number, initialization_timeout=60)"
    )
    for rank in by_tcp(2, 1, program=("-c", command)):
        assert rank.status == 1
        assert "all processes must state the same number of them, got: 2 by" in _last(rank)
