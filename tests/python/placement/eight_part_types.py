"""Types of parts of arrays, as in JAX: values that vary, terms of sums, and values whose cotangents
are terms; run by `test_devices`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import ShardingTypeError
from dovetail.sharding import NamedSharding, reshard
from dovetail.sharding import PartitionSpec as P

MESH = dt.make_mesh((2, 4), ("x", "y"))
VALUES = np.arange(32.0, dtype=np.float32).reshape(8, 4)
LEFT, LATER = P(unreduced={"y"}), P(reduced={"y"})


@pytest.fixture(autouse=True)
def _mesh() -> Any:
    with dt.set_mesh(MESH):
        yield


# What a function of parts makes of a part of rows along y and the type of that.
STEPS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "argument": (lambda x: x, "float32[2,4]{V:y}"),
    "sum": (lambda x: lax.psum(x, "y"), "float32[2,4]"),
    "term": (lambda x: lax.pcast(x, "y", to="unreduced"), "float32[2,4]{U:y}"),
    "term over both": (
        lambda x: lax.pcast(lax.pcast(x, "x", to="varying"), ("x", "y"), to="unreduced"),
        "float32[2,4]{U:(x,y)}",
    ),
    "negative term": (lambda x: -lax.pcast(x, "y", to="unreduced"), "float32[2,4]{U:y}"),
    "rows of a term": (lambda x: lax.pcast(x, "y", to="unreduced").sum(0), "float32[4]{U:y}"),
    "running sum": (
        lambda x: dnp.cumsum(lax.pcast(x, "y", to="unreduced"), 1),
        "float32[2,4]{U:y}",
    ),
    "sum of terms": (lambda x: lax.psum(lax.pcast(x, "y", to="unreduced"), "y"), "float32[2,4]"),
    "part of terms": (
        lambda x: lax.psum_scatter(
            lax.pcast(lax.all_gather(x, "y", tiled=True), "y", to="unreduced"), "y", tiled=True
        ),
        "float32[2,4]{V:y}",
    ),
    "shared": (lambda x: lax.pcast(lax.psum(x, "y"), "y", to="reduced"), "float32[2,4]{R:y}"),
    "gathered": (
        lambda x: lax.all_gather(x, "y", tiled=True, to="reduced"),
        "float32[8,4]{R:y}",
    ),
    "sine of shared": (
        lambda x: dnp.sin(lax.all_gather(x, "y", tiled=True, to="reduced")),
        "float32[8,4]{R:y}",
    ),
    "shared and varying": (
        lambda x: x * lax.pcast(lax.psum(x, "y"), "y", to="reduced"),
        "float32[2,4]{V:y}",
    ),
    "shared and a term": (
        lambda x: (
            lax.pcast(x, "y", to="unreduced") * lax.pcast(lax.psum(x, "y"), "y", to="reduced")
        ),
        "float32[2,4]{U:y}",
    ),
    "one for all": (
        lambda x: lax.all_gather(x, "y", tiled=True, to="invarying"),
        "float32[8,4]",
    ),
    "in a loop": (
        lambda x: lax.fori_loop(0, 3, lambda _, c: c + c, lax.pcast(x, "y", to="unreduced")),
        "float32[2,4]{U:y}",
    ),
    "in a branch": (
        lambda x: lax.cond(True, dnp.negative, lambda c: c, lax.pcast(x, "y", to="unreduced")),
        "float32[2,4]{U:y}",
    ),
    "in a program": (
        lambda x: dt.jit(lambda c: c + c)(lax.pcast(x, "y", to="unreduced")),
        "float32[2,4]{U:y}",
    ),
    "of a batch": (
        lambda x: dt.vmap(lambda c: c[::-1])(lax.pcast(x, "y", to="unreduced")),
        "float32[2,4]{U:y}",
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_types_of_parts(name: str) -> None:
    step, expected = STEPS[name]
    found: list[str] = []

    def function(x: Any) -> Any:
        result = step(x)
        found.append(str(dt.typeof(result)))
        return x

    for call in (dt.shard_map, lambda *a, **k: dt.jit(dt.shard_map(*a, **k))):
        found.clear()
        call(function, in_specs=P("y"), out_specs=P("y"))(VALUES)
        assert found[0] == expected


def test_fields_of_types() -> None:
    def function(a: Any, b: Any) -> Any:
        assert dt.typeof(a).mat.unreduced == {"y"}
        assert not dt.typeof(a).mat.varying
        assert dt.typeof(b).mat.reduced == {"y"}
        assert not dt.typeof(b).mat.unreduced
        assert dt.typeof(a).to_ct_aval().mat.reduced == {"y"}
        return a

    given = reshard(VALUES, LEFT), dt.device_put(VALUES, LATER)
    found = dt.shard_map(function, in_specs=(LEFT, LATER), out_specs=LEFT)(*given)
    assert found.sharding == NamedSharding(MESH, LEFT)


ERRORS: dict[str, tuple[Callable[[Any], Any], P, P, type[Exception], str]] = {
    "not linear": (dnp.sin, LEFT, LEFT, ShardingTypeError, "unreduced rule for sin is not"),
    "square": (lambda t: t * t, LEFT, LEFT, ShardingTypeError, "mul is bilinear"),
    "sum with one for all": (
        lambda t: t + lax.psum(lax.axis_index("y") * 1.0, "y"),
        LEFT,
        LEFT,
        ShardingTypeError,
        "lhs is unreduced while rhs is not",
    ),
    "product with one for all": (
        lambda t: t * lax.psum(t * 0 + 1, "y"),
        LEFT,
        LEFT,
        ShardingTypeError,
        "RHS should be reduced along the same axes LHS is unreduced on",
    ),
    "sum with one that varies": (
        lambda t: t + lax.axis_index("y"),
        LEFT,
        LEFT,
        ShardingTypeError,
        "cannot accept args which are unreduced",
    ),
    "greatest of terms": (
        lambda t: lax.pmax(t, "y"),
        LEFT,
        P(),
        ShardingTypeError,
        "all_reduce_max cannot accept args which are unreduced",
    ),
    "gathered terms": (
        lambda t: lax.all_gather(t, "y"),
        LEFT,
        P("y"),
        ShardingTypeError,
        "all_gather cannot accept args which are unreduced",
    ),
    "sum of shared": (
        lambda w: lax.psum(w, "y"),
        LATER,
        P(),
        ShardingTypeError,
        "all_reduce_sum cannot accept args which are reduced",
    ),
    "sum over more axes": (
        lambda t: lax.psum(t, ("x", "y")),
        LEFT,
        P(),
        ShardingTypeError,
        "unreduced over some of its axes only",
    ),
    "a term of a term": (
        lambda t: lax.pcast(t, "y", to="unreduced"),
        LEFT,
        LEFT,
        ValueError,
        "Unsupported pcast from=unreduced, to='unreduced'",
    ),
    "a term that varies": (
        lambda t: lax.pcast(t, "y", to="varying"),
        LEFT,
        P("y"),
        ValueError,
        "Unsupported pcast from=unreduced, to='varying'",
    ),
    "a term of one for all": (
        lambda x: lax.pcast(x, "y", to="unreduced"),
        P(),
        LEFT,
        ValueError,
        "Unsupported pcast from=invarying, to='unreduced'",
    ),
    "shared of one that varies": (
        lambda x: lax.pcast(x, "y", to="reduced"),
        P("y"),
        LATER,
        ValueError,
        "Unsupported pcast from=varying, to='reduced'",
    ),
    "different states": (
        lambda x: lax.pcast(x, ("x", "y"), to="unreduced"),
        P("y"),
        P(),
        ValueError,
        "pcast can only accept axis_name which corresponds to one of",
    ),
    "returned whole": (lambda t: t, LEFT, P(), ValueError, "whose result is unreduced"),
    "returned as parts": (lambda t: t, LEFT, P("y"), ValueError, "whose result is unreduced"),
    "returned as terms": (lambda x: x, P(), LEFT, ValueError, "whose result is the same along it"),
    "returned as shared": (lambda x: x, P("y"), LATER, ValueError, "whose result is varying"),
    "shared as whole": (lambda w: w, LATER, P(), ValueError, "whose result is reduced"),
    "unknown": (
        lambda x: lax.pcast(x, "y", to="other"),
        P(),
        P(),
        ValueError,
        "Got unexpected `to` value",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    function, given, out, kind, message = ERRORS[name]
    x = reshard(VALUES, given) if given.unreduced else dt.device_put(VALUES, given)
    for call in (lambda f: f, dt.jit):
        with pytest.raises(kind, match=message) as error:
            call(dt.shard_map(function, in_specs=given, out_specs=out))(x)
        assert "eight_part_types.py" in str(error.value)


def test_weights_are_gathered_and_gradients_scattered() -> None:
    """Fully sharded training in two steps: the gradient is a reduce-scatter."""
    x = dt.device_put(VALUES / 32, P("y"))
    w = dt.device_put(VALUES[:4].copy() / 8, P("y"))
    whole = dt.shard_map(
        lambda w: lax.all_gather(w, "y", tiled=True, to="reduced"),
        in_specs=P("y"),
        out_specs=P(None, None, reduced={"y"}),
    )

    def loss(w: Any, x: Any) -> Any:
        return dnp.sum(dnp.sin(x @ whole(w)))

    assert dt.jit(whole)(w).sharding.spec == P(None, None, reduced={"y"})
    expected = dt.grad(lambda w, x: dnp.sum(dnp.sin(x @ w)))(np.asarray(w), np.asarray(x))
    gradient = dt.jit(dt.grad(loss))
    text = gradient.lower(w, x).as_text("shard")
    assert text.count("reduce_scatter") == 1
    assert "all_reduce" not in text
    for call in (gradient, dt.grad(loss)):
        found = call(w, x)
        assert found.sharding.spec == P("y", None)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_results_that_are_shared() -> None:
    """A cotangent of such a result is the sum of terms."""
    share = dt.shard_map(lambda x: lax.pcast(x, "y", to="reduced"), in_specs=P(), out_specs=LATER)
    np.testing.assert_array_equal(dt.jit(share)(VALUES), VALUES)
    rows = dt.device_put(VALUES, P("y"))
    # A product with rows of each device.
    gradient = dt.jit(dt.grad(lambda w: dnp.sum(dnp.sin(rows @ share(w)))))
    w = VALUES[:4] / 100
    expected = dt.grad(lambda w: dnp.sum(dnp.sin(VALUES @ w)))(w)
    np.testing.assert_allclose(gradient(w), expected, rtol=1e-4, atol=1e-4)
    same = dt.shard_map(lambda w: w * w, in_specs=LATER, out_specs=LATER)
    back = dt.jit(dt.grad(lambda w: dnp.sum(same(w))))(dt.device_put(VALUES, LATER))
    assert back.sharding.spec == P(None, None, unreduced={"y"})
    np.testing.assert_array_equal(reshard(back, P()), 2 * VALUES)


def test_gathers_of_one_value_for_all() -> None:
    whole = dt.shard_map(
        lambda x: lax.all_gather(x, "y", tiled=True, to="invarying"), in_specs=P("y"), out_specs=P()
    )
    rows = dt.device_put(VALUES, P("y"))

    def loss(x: Any) -> Any:
        return dnp.sum(dnp.sin(whole(x)) * VALUES)

    for call in (lambda f: f, dt.jit):
        np.testing.assert_array_equal(call(whole)(rows), VALUES)
        np.testing.assert_allclose(
            call(dt.grad(loss))(rows), np.cos(VALUES) * VALUES, rtol=1e-5, atol=1e-5
        )
        second = call(dt.grad(lambda x: dnp.sum(dt.grad(loss)(x))))(rows)
        np.testing.assert_allclose(second, -np.sin(VALUES) * VALUES, rtol=1e-5, atol=1e-5)
