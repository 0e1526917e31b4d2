"""Programs evaluated equation by equation, as an interpreter of a library does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.jaxprs.evaluation import interpret
from support.jaxpr_functions import FUNCTIONS
from support.jaxpr_programs import arguments


@pytest.mark.parametrize(("name", "make", "args"), FUNCTIONS, ids=[name for name, *_ in FUNCTIONS])
def test_values(name: str, make: Any, args: Any) -> None:
    function, given = make(dt), arguments(dt, args)
    closed = dt.make_jaxpr(function)(*given)
    found = interpret(closed.jaxpr, closed.consts, dt.tree.leaves(given))
    wanted = dt.tree.leaves(function(*given))
    for got, want in zip(found, wanted, strict=True):
        if dnp.issubdtype(want.dtype, dt.dtypes.prng_key):
            got, want = dt.random.key_data(got), dt.random.key_data(want)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
        assert (got.shape, got.dtype) == (want.shape, want.dtype)


SHAPES = [(), (1,), (3,), (2, 1), (1, 3), (2, 3), (1, 1)]


@pytest.mark.parametrize("left", SHAPES)
@pytest.mark.parametrize("right", SHAPES)
def test_operands_that_are_repeated(left: Any, right: Any) -> None:
    """Equations take what is repeated as it is; results and types are those of the function."""
    x = dnp.arange(float(np.prod(left))).reshape(left) + 1
    y = dnp.arange(float(np.prod(right))).reshape(right) - 2

    def function(x: Any, y: Any) -> Any:
        whole = dnp.broadcast_to(x, (2, 3))
        return x * y, dnp.where(x > y, x, y), whole, whole + y, 2 * (x[..., None] - 1)

    closed = dt.make_jaxpr(function)(x, y)
    found = interpret(closed.jaxpr, closed.consts, [x, y])
    for got, want, aval in zip(found, function(x, y), closed.out_avals, strict=True):
        np.testing.assert_array_equal(got, want)
        assert (got.shape, got.dtype) == (want.shape, want.dtype) == (aval.shape, aval.dtype)


def test_constants_of_loops_are_those_that_a_body_uses() -> None:
    def function(x: Any, y: Any, z: Any) -> Any:
        return dt.lax.while_loop(lambda c: c < y, lambda c: c + z * z, x)

    (eqn,) = dt.make_jaxpr(function)(0.0, 5.0, 2.0).eqns
    counts = [eqn.params[key] for key in ("cond_nconsts", "body_nconsts")]
    assert counts == [1, 1]
    assert len(eqn.invars) == 3
    assert interpret(eqn.params["cond_jaxpr"].jaxpr, [], [5.0, 4.0])[0]
    assert interpret(eqn.params["body_jaxpr"].jaxpr, [], [2.0, 1.0])[0] == 5.0
