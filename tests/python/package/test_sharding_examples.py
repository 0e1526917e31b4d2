"""The examples on eight devices, in their reduced size: they compute what one device does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.example_runs import run


def is_learning(summary: dict[str, Any]) -> bool:
    return summary["last_loss"] < 0.9 * summary["first_loss"]


@pytest.mark.slow
def test_sharded_matmul(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "sharded_matmul")
    assert max(summary["errors"].values()) < 1e-4
    assert summary["sharding"] == "P('rows',)"
    assert summary["collectives"] == summary["all_reduces"] == 1


@pytest.mark.slow
def test_data_parallel(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "data_parallel")
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


@pytest.mark.slow
def test_halo_exchange(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "halo_exchange")
    assert summary["largest_difference"] < 1e-6
    # Some has flowed out.
    assert 0.5 < summary["heat"] < 1


@pytest.mark.slow
def test_pipeline(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "pipeline")
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


@pytest.mark.slow
def test_expert_parallel(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "expert_parallel")
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


@pytest.mark.slow
def test_ring_attention(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "ring_attention")
    assert max(summary["errors"].values()) < 1e-5


@pytest.mark.slow
def test_pmap_spectral_radius(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "pmap_spectral_radius")
    assert summary["devices"] == 8
    assert summary["difference_of_10_steps"] < 1e-5
    assert summary["spread_of_copies"] == 0
    assert is_learning(summary)


@pytest.mark.slow
def test_tensor_parallel(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "tensor_parallel")
    assert summary["forward"] == {"all_reduce_sum": 2}
    assert summary["error"] < 1e-5
    assert summary["largest_difference"] < 1e-5
    assert is_learning(summary)


@pytest.mark.slow
def test_fully_sharded(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "fully_sharded")
    assert summary["largest_difference"] < 1e-5
    sizes = {way: sum(parts.values()) for way, parts in summary["mebibytes"].items()}
    assert max(sizes["shard_map"], sizes["jit"]) < 0.4 * sizes["copies"]
    assert is_learning(summary)
