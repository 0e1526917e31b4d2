"""The examples, in their reduced size: that they run, learn, and draw."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from support.example_runs import run


@pytest.mark.slow
def test_spectral_radius(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "spectral_radius")
    assert summary["last_loss"] < summary["first_loss"] / 5
    # Better than the mean.
    assert summary["test_error"] < 0.75 * summary["spread"]


@pytest.mark.slow
def test_logistic_newton(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "logistic_newton")
    norms = summary["gradient_norms"]
    assert norms[-1] < 1e-14
    # The number of correct digits doubles with each step.
    assert all(after < 20 * before**2 for before, after in pairwise(norms[1:6]))
    assert summary["accuracy"] > 0.65


@pytest.mark.slow
def test_ode_fit(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "ode_fit")
    assert summary["last_loss"] < summary["first_loss"] / 2


@pytest.mark.slow
def test_hmc(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "hmc")
    assert summary["accepted"] > 0.9
    assert max(summary["r_hat"]) < 1.1
    for given, expected in zip(summary["deviations"], summary["true_deviations"], strict=True):
        assert abs(given - expected) < 0.5


@pytest.mark.slow
def test_transformer(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "transformer")
    assert summary["last_loss"] < summary["first_loss"] - 0.2
    assert summary["test_loss"] < summary["first_loss"] - 0.2
    assert len((tmp_path / "transformer.txt").read_text()) == 40
    assert (tmp_path / "transformer.safetensors").stat().st_size > 4 * summary["weights"]


@pytest.mark.slow
def test_wigner(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "wigner")
    assert summary["residual"] < 1e-12
    assert summary["distance to the semicircle"] < 0.05
    assert summary["distance of the mixed ensemble"] > 0.04


@pytest.mark.slow
def test_spectral_gradients(repository: Path, tmp_path: Path) -> None:
    summary = run(repository, tmp_path, "spectral_gradients")
    for name in ("real", "complex"):
        assert summary[f"{name}: error of the gradient"] < 1e-6
        assert summary[f"{name}: radius after"] < 1 < summary[f"{name}: radius before"]


@pytest.mark.slow
def test_kernels(repository: Path, tmp_path: Path) -> None:
    assert run(repository, tmp_path, "kernels")["largest difference"] < 1e-4
