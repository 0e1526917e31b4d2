"""Equations of functions of parts, over eight devices; run by `test_devices`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.jaxprs.evaluation import eval_jaxpr, interpret
from dovetail.sharding import PartitionSpec as P

MESH = dt.make_mesh((2, 4), ("i", "j"))
X = np.arange(64, dtype=np.float32).reshape(8, 8)
ROTATED = [(k, (k + 1) % 4) for k in range(4)]
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x * lax.psum(x, ("i", "j")) + lax.axis_index(("i", "j")),
    "mean": lambda x: x - lax.pmean(x, "j"),
    "extremes": lambda x: x * lax.pmax(lax.stop_gradient(x), "i") - lax.pmin(x.sum() * 0, "j"),
    "gather": lambda x: lax.all_gather(x, "j", axis=1, tiled=True)[:, :2] * x,
    "scatter": lambda x: lax.psum_scatter(dnp.tile(x, (4, 1)), "j", tiled=True),
    "rotation": lambda x: lax.ppermute(x, "j", ROTATED) + lax.axis_index("i"),
    "exchange": lambda x: lax.all_to_all(x, "i", 1, 0).reshape(x.shape),
    "exchange_tiled": lambda x: lax.all_to_all(x, "i", 0, 1, tiled=True).reshape(x.shape),
    "broadcast": lambda x: lax.pbroadcast(x, "i", 1) * x,
    "constant": lambda x: x * dnp.arange(2.0),
}


def over_mesh(name: str, check_vma: bool) -> Callable[[Any], Any]:
    return dt.shard_map(
        FUNCTIONS[name],
        mesh=MESH,
        in_specs=P("i", "j"),
        out_specs=P("i", "j"),
        check_vma=check_vma,
    )


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_equations(name: str, check_vma: bool) -> None:
    function = over_mesh(name, check_vma)
    closed = dt.make_jaxpr(function)(X)
    (eqn,) = [eqn for eqn in closed.eqns if eqn.primitive.name == "shard_map"]
    assert eqn.params["mesh"] == MESH
    assert eqn.params["check_vma"] == check_vma

    def again(*args: Any) -> Any:
        return interpret(closed.jaxpr, closed.consts, args)

    remade = dt.make_jaxpr(again)(X)
    expected = function(X)
    for made in (
        eval_jaxpr(closed.jaxpr, closed.consts, X),
        again(X),
        interpret(remade.jaxpr, remade.consts, (X,)),
        dt.jit(again)(X),
    ):
        np.testing.assert_allclose(made[0], expected, rtol=1e-5)
    gradients = [
        dt.grad(lambda x, f=f: (dnp.asarray(f(x)) * X).sum())(X)
        for f in (function, lambda x: again(x)[0])
    ]
    np.testing.assert_allclose(*gradients, rtol=1e-5)


def test_values_closed_over_are_first() -> None:
    def function(w: Any) -> Any:
        return dt.shard_map(lambda x: w * x, mesh=MESH, in_specs=P("i"), out_specs=P("i"))(X)

    closed = dt.make_jaxpr(function)(2.0)
    (eqn,) = [eqn for eqn in closed.eqns if eqn.primitive.name == "shard_map"]
    assert eqn.params["in_specs"] == (P(), P("i"))
    assert [atom.aval.shape for atom in eqn.invars] == [(), (8, 8)]
    np.testing.assert_array_equal(interpret(closed.jaxpr, closed.consts, [3.0])[0], 3 * X)
