"""Custom derivative rules and checkpoints against JAX: values and errors."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any

import numpy as np
import optree
import pytest

import dovetail as dt
from dovetail import config
from support.custom_programs import PROGRAMS, W
from support.jax_compare import check, jax, outcome


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True), jax.enable_x64(True):
        yield


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    ours, theirs = PROGRAMS[name](dt), PROGRAMS[name](jax)
    leaves, spec = optree.tree_flatten(ours)
    wanted, wanted_spec = optree.tree_flatten(theirs)
    assert spec == wanted_spec
    for got, expected in zip(leaves, wanted, strict=True):
        assert np.asarray(got).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def _jvp_rule(lib: Any, rule: Any, *args: Any) -> Any:
    f = lib.custom_jvp(lambda x: 2 * x)
    f.defjvp(rule)
    return lib.grad(lambda x: lib.numpy.sum(f(x)))(*args)


def _vjp_rule(lib: Any, fwd: Any, bwd: Any, *args: Any) -> Any:
    f = lib.custom_vjp(lambda x: 2 * x)
    f.defvjp(fwd, bwd)
    return lib.grad(lambda x: lib.numpy.sum(f(x)))(*args)


ONES = np.ones(3)


def good(x: Any) -> Any:
    return 2 * x, x


CALLS: dict[str, Any] = {
    "jvp": lambda lib: _jvp_rule(lib, lambda p, t: (p[0], t[0]), ONES),
    "no pair": lambda lib: _jvp_rule(lib, lambda p, t: p[0], ONES),
    "structures": lambda lib: _jvp_rule(lib, lambda p, t: (p[0], (t[0],)), ONES),
    "result shape": lambda lib: _jvp_rule(lib, lambda p, t: (p[0][:1], t[0]), ONES),
    "tangent shape": lambda lib: _jvp_rule(lib, lambda p, t: (p[0], t[0][:1]), ONES),
    "tangent dtype": lambda lib: _jvp_rule(lib, lambda p, t: (p[0], t[0].astype("float32")), ONES),
    "no jvp": lambda lib: lib.custom_jvp(lambda x: x)(1.0),
    "no vjp": lambda lib: lib.custom_vjp(lambda x: x)(1.0),
    "None": lambda lib: _vjp_rule(lib, good, lambda r, g: (None,), ONES),
    "no tuple": lambda lib: _vjp_rule(lib, good, lambda r, g: g, ONES),
    "a list": lambda lib: _vjp_rule(lib, good, lambda r, g: [g], ONES),
    "a None": lambda lib: _vjp_rule(lib, good, lambda r, g: None, ONES),
    "two": lambda lib: _vjp_rule(lib, good, lambda r, g: (g, g), ONES),
    "cotangent shape": lambda lib: _vjp_rule(lib, good, lambda r, g: (g[:2],), ONES),
    "fwd": lambda lib: _vjp_rule(lib, lambda x: x, lambda r, g: (g,), ONES),
    "arguments": lambda lib: lib.custom_vjp(lambda x: x, nondiff_argnums=()).__name__,
    "static": lambda lib: lib.grad(lib.checkpoint(lambda n, x: x**n, static_argnums=0), 1)(3, 2.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_outcome(name: str) -> None:
    check(outcome(CALLS[name], dt), outcome(CALLS[name], jax), name)


def network(lib: ModuleType, x: Any) -> Any:
    ad_checkpoint = importlib.import_module(f"{lib.__name__}.ad_checkpoint")
    for i in range(3):
        x = lib.numpy.sin(ad_checkpoint.checkpoint_name(x @ W[:, :3], f"y{i}"))
    return lib.numpy.sum(x)


@pytest.mark.parametrize(
    "policy",
    [
        lambda policies: None,
        lambda policies: policies.everything_saveable,
        lambda policies: policies.dots_with_no_batch_dims_saveable,
        lambda policies: policies.save_only_these_names("y1"),
        lambda policies: policies.save_any_names_but_these("y1"),
        lambda policies: policies.save_from_both_policies(
            policies.save_only_these_names("y0"), policies.dots_saveable
        ),
    ],
)
def test_checkpoints(policy: Any) -> None:
    x = np.linspace(0, 1, 6).reshape(2, 3)

    def results(lib: ModuleType) -> Any:
        chosen = policy(lib.checkpoint_policies)
        f = lib.checkpoint(functools.partial(network, lib), policy=chosen)
        body = lambda c, _: (f(c) * c, None)  # noqa: E731
        loop = lambda x: lib.numpy.sum(lib.lax.scan(body, x, None, length=2)[0])  # noqa: E731
        return lib.grad(f)(x), lib.vmap(lib.grad(f))(x[None]), lib.jit(lib.grad(loop))(x)

    for got, wanted in zip(results(dt), results(jax), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
