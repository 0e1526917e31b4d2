"""Transforms outside of programs of functions that name devices; run by `test_devices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import Mesh
from dovetail.sharding import PartitionSpec as P
from support.parts_check import check

DEVICES = dt.devices()
LINE = Mesh(np.array(DEVICES), "x")
X = np.arange(8, dtype=np.float32)


def mapped(mesh: Mesh) -> Callable[[Any], dt.Array]:
    return dt.shard_map(
        lambda x: dnp.sin(x) * lax.psum(dnp.sum(x), "x"),
        mesh=mesh,
        in_specs=P("x"),
        out_specs=P("x"),
    )


TRANSFORMS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "call": (lambda f: f(X), ("x",)),
    "grad": (lambda f: dt.grad(lambda x: dnp.sum(f(x)))(X), ("x",)),
    "value": (lambda f: dt.value_and_grad(lambda x: dnp.sum(f(x)))(X)[0], ()),
    "jvp": (lambda f: dt.jvp(f, (X,), (X,))[1], ("x",)),
    "vjp": (lambda f: dt.vjp(f, X)[1](X)[0], ("x",)),
    "primal": (lambda f: dt.vjp(f, X)[0], ("x",)),
    "linearize": (lambda f: dt.linearize(f, X)[1](X), ("x",)),
    "jacrev": (lambda f: dt.jacrev(f)(X), (None, "x")),
    "hessian": (lambda f: dt.hessian(lambda x: dnp.sum(f(x)))(X), ("x",)),
    "vmap": (lambda f: dt.vmap(f)(np.stack([X, X])), (None, "x")),
    "checkpoint": (lambda f: dt.checkpoint(f)(X), ("x",)),
    "scan": (lambda f: lax.scan(lambda c, _: (f(c), None), X, None, length=2)[0], ("x",)),
    "while": (lambda f: lax.fori_loop(0, X.size // 4, lambda _, c: f(c), X), ("x",)),
    "cond": (lambda f: lax.cond(dnp.sum(X) > 0, f, lambda x: x, X), ("x",)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_results_are_on_the_devices_of_the_function(name: str) -> None:
    """As in programs, though the arguments are on no device."""
    apply, spec = TRANSFORMS[name]
    expected = apply(lambda x: dnp.sin(x) * dnp.sum(x))
    check(apply(mapped(LINE)), expected, *spec)
    one = apply(mapped(Mesh(np.array(DEVICES[3:4]), "x")))
    assert one.devices() == {DEVICES[3]}
    assert one.committed
    np.testing.assert_allclose(one, expected, rtol=1e-5)


def test_a_program_over_a_mesh_of_one_device_runs_there() -> None:
    f = mapped(Mesh(np.array(DEVICES[5:6]), "x"))
    for _ in range(2):
        assert dt.jit(f)(X).devices() == {DEVICES[5]}
        assert dt.jit(dt.grad(lambda x: dnp.sum(f(x))))(X).devices() == {DEVICES[5]}
