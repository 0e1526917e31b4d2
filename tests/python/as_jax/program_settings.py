"""Settings that a command line names."""

# pyright: reportMissingImports=false

from __future__ import annotations

import sys

import jax
import pytest


def test_flags(monkeypatch):
    arguments = ["program", "--other", "--jax_log_compiles", "--jax_enable_x64=true", "--", "x"]
    monkeypatch.setattr(sys, "argv", arguments)
    jax.config.parse_flags_with_absl()
    assert jax.config.jax_log_compiles
    assert jax.config.jax_enable_x64
    jax.config.update("jax_log_compiles", False)
    jax.config.update("jax_enable_x64", False)


def test_flag_with_a_wrong_value(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["program", "--jax_numpy_rank_promotion=never"])
    with pytest.raises(ValueError, match="numpy_rank_promotion must be one of"):
        jax.config.parse_flags_with_absl()


def test_settings_that_only_jax_has():
    jax.config.update("jax_compiler_enable_remat_pass", False)  # without effect
    assert jax.config.jax_compiler_enable_remat_pass is False
    jax.config.update("jax_compiler_enable_remat_pass", True)
    jax.config.update("jax_check_static_indices", False)
    with pytest.raises(NotImplementedError, match="must be False, got: True"):
        jax.config.update("jax_check_static_indices", True)
    assert jax.config.values["jax_check_static_indices"] is False
