"""Running reductions along a dimension that eight devices divide; run by `test_devices`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AxisType, Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P

GRID = Mesh(np.array(dt.devices()).reshape(4, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)
RNG = np.random.default_rng(0)
RUNNING: dict[str, Callable[..., Any]] = {
    "cumsum": lax.cumsum,
    "cumprod": lax.cumprod,
    "cummax": lax.cummax,
    "cummin": lax.cummin,
    "cumlogsumexp": lax.cumlogsumexp,
}
# Sizes that divide, that do not, and with parts that are padding only.
SIZES = [64, 61, 6]


def put(x: Any, *spec: Any) -> dt.Array:
    return dt.device_put(x, NamedSharding(GRID, P(*spec)))


def gathered(text: str) -> list[int]:
    """The numbers of elements that a device contributes to what all gather."""
    shapes = re.findall(r"all_gather .* : tensor<((?:\d+x)*)", text)
    return [int(np.prod([int(size) for size in shape.split("x")[:-1]])) for shape in shapes]


@pytest.fixture(params=RUNNING)
def running(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return RUNNING[request.param]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("spec", [("a",), (("b", "a"),), ("a", "b")], ids=str)
def test_values(running: Any, size: int, spec: Any) -> None:
    x = RNG.uniform(0.8, 1.2, (size, 2)).astype(np.float32)

    def both(x: Any) -> Any:
        return running(x, 0), running(x, 0, reverse=True)

    f, across = dt.jit(both), dt.jit(lambda x: running(x, 1))
    given = put(x, *spec)
    results, expected = (*f(given), across(given)), (*both(x), running(x, 1))
    for result, wanted in zip(results, expected, strict=True):
        assert isinstance(result.sharding, NamedSharding)
        assert result.sharding.spec == P(*spec)
        np.testing.assert_allclose(result, wanted, rtol=2e-5)
    # Rows of two numbers at most, and never an array.
    counts = gathered(f.lower(given).as_text("shard"))
    assert counts
    assert max(counts) <= 2


@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("reverse", [False, True])
def test_derivatives(running: Any, size: int, reverse: bool) -> None:
    x, w = RNG.uniform(0.8, 1.2, (2, size)).astype(np.float32)

    def loss(x: Any, w: Any) -> Any:
        return dnp.sum(dnp.sin(running(x, 0, reverse)) * w)

    f = dt.jit(dt.grad(loss))
    given = put(x, "a"), put(w, "a")
    np.testing.assert_allclose(f(*given), dt.grad(loss)(x, w), rtol=1e-4, atol=1e-5)
    assert max(gathered(f.lower(*given).as_text("shard"))) <= 1


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float16", "bfloat16", "complex64"])
def test_element_types(dtype: str) -> None:
    x = dnp.asarray(RNG.integers(1, 3, (24, 3))).astype(dtype)
    functions = [lax.cumsum, lax.cumprod] + [lax.cummax, lax.cummin] * (dtype != "complex64")
    for function in functions:
        for reverse in (False, True):
            got = dt.jit(lambda x, f=function, r=reverse: f(x, 0, r))(put(x, "a"))
            assert got.dtype == dtype
            np.testing.assert_array_equal(got, function(x, 0, reverse))


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, 0.0, -0.0])
def test_special_values(running: Any, special: float) -> None:
    """What a part has begins with what is before, whatever that is."""
    f = dt.jit(lambda x: (running(x, 0), running(x, 0, reverse=True)))
    for place in (0, 3, 4, 9, 15):
        x = RNG.uniform(0.5, 1.5, 16).astype(np.float32)
        x[place] = special
        for got, reverse in zip(f(put(x, "a")), (False, True), strict=True):
            np.testing.assert_allclose(got, running(x, 0, reverse), rtol=1e-5)


def test_nothing_is_whole(running: Any, caplog: pytest.LogCaptureFixture) -> None:
    x = put(RNG.uniform(1, 2, (64, 4)).astype(np.float32), "a", "b")
    with dt.explain_sharding(True):
        dt.jit(dt.grad(lambda x: dnp.sum(running(x, 0) ** 2)))(x)
    assert not caplog.records


def test_functions_of_numpy() -> None:
    x = RNG.normal(size=(16, 4)).astype(np.float32)
    given = put(x, "a", "b")
    for f in (lambda x: dnp.cumsum(x, 1), lambda x: dnp.cumsum(x), lambda x: dnp.nancumprod(x, 0)):
        np.testing.assert_allclose(dt.jit(f)(given), f(x), rtol=1e-4, atol=1e-5)
