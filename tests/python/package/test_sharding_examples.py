"""The examples on eight devices, of one process or of several, in their reduced size: they compute
what one device does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.breadth import at_night
from support.example_runs import run
from support.ranks import HAS_MPI

Check = Callable[[dict[str, Any]], None]


def is_learning(summary: dict[str, Any]) -> bool:
    return summary["last_loss"] < 0.9 * summary["first_loss"]


def sharded_matmul(summary: dict[str, Any]) -> None:
    assert max(summary["errors"].values()) < 1e-4
    assert summary["sharding"] == "P('rows',)"
    assert summary["collectives"] == summary["all_reduces"] == 1


def data_parallel(summary: dict[str, Any]) -> None:
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


def halo_exchange(summary: dict[str, Any]) -> None:
    assert summary["largest_difference"] < 1e-6
    # Some has flowed out.
    assert 0.5 < summary["heat"] < 1


def pipeline(summary: dict[str, Any]) -> None:
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


def expert_parallel(summary: dict[str, Any]) -> None:
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


def ring_attention(summary: dict[str, Any]) -> None:
    assert max(summary["errors"].values()) < 1e-5


def pmap_spectral_radius(summary: dict[str, Any]) -> None:
    assert summary["devices"] == 8
    assert summary["difference_of_10_steps"] < 1e-5
    assert summary["spread_of_copies"] == 0
    assert is_learning(summary)


def tensor_parallel(summary: dict[str, Any]) -> None:
    assert summary["forward"] == {"all_reduce_sum": 2}
    assert summary["error"] < 1e-5
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


def fully_sharded(summary: dict[str, Any]) -> None:
    assert summary["largest_difference"] < 1e-5
    sizes = {way: sum(parts.values()) for way, parts in summary["mebibytes"].items()}
    assert max(sizes["shard_map"], sizes["jit"]) < 0.4 * sizes["copies"]
    assert is_learning(summary)


CHECKS = (
    sharded_matmul,
    data_parallel,
    halo_exchange,
    pipeline,
    expert_parallel,
    ring_attention,
    pmap_spectral_radius,
    tensor_parallel,
    fully_sharded,
)


# Those that several processes run by day, and how many; all others are run by one.
BY_DAY = {data_parallel: 2, halo_exchange: 4}


def _cases() -> Iterator[Any]:
    for check, processes in itertools.product(CHECKS, (1, 2, 4)):
        if processes == BY_DAY.get(check, 1):
            yield check, processes
        else:
            yield pytest.param(check, processes, marks=at_night)


@pytest.mark.slow
@pytest.mark.parametrize(("check", "processes"), [*_cases()])
def test_example(check: Check, processes: int, repository: Path, tmp_path: Path) -> None:
    if processes > 1 and not HAS_MPI:
        pytest.skip("needs mpi4py and mpiexec")
    check(run(repository, tmp_path, check.__name__, processes))
