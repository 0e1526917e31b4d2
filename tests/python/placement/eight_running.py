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
from support.breadth import one_of

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


def everything(x: Any, dimension: int = 0) -> dict[str, Any]:
    """All of them in both directions: one program compiles in a tenth of the time that one for each
    takes.
    """
    return {
        f"{name} {reverse=}": function(x, dimension, reverse=reverse)
        for name, function in RUNNING.items()
        for reverse in (False, True)
        if name in ("cumsum", "cumprod") or not dnp.iscomplexobj(x)
        if name != "cumlogsumexp" or dnp.issubdtype(x.dtype, dnp.floating)
    }


EVERYTHING = dt.jit(everything)


SPECS = {"a": ("a",), "ba": (("b", "a"),), "a, b": ("a", "b")}


@pytest.mark.parametrize(
    ("size", "spec"),
    [(size, SPECS[name]) for size in SIZES for name in one_of(tuple(SPECS), f"size {size}")],
    ids=str,
)
def test_values(size: int, spec: Any) -> None:
    x = RNG.uniform(0.8, 1.2, (size, 2)).astype(np.float32)
    f = dt.jit(lambda x: (everything(x), everything(x, 1)))
    given = put(x, *spec)
    for got, expected in zip(f(given), (everything(x), everything(x, 1)), strict=True):
        for name, result in got.items():
            assert isinstance(result.sharding, NamedSharding)
            assert result.sharding.spec == P(*spec), name
            np.testing.assert_allclose(result, expected[name], rtol=2e-5, err_msg=name)
    # Rows of two numbers at most, and never an array.
    counts = gathered(dt.jit(everything).lower(given).as_text("shard"))
    assert counts
    assert max(counts) <= 2


@pytest.mark.parametrize("size", SIZES[1:])
def test_derivatives(size: int) -> None:
    x, w = RNG.uniform(0.8, 1.2, (2, size)).astype(np.float32)

    def gradients(x: Any, w: Any) -> dict[str, Any]:
        losses = {
            name: lambda x, name=name: dnp.sum(dnp.sin(everything(x)[name]) * w)
            for name in everything(x)
        }
        return {name: dt.grad(loss)(x) for name, loss in losses.items()}

    f = dt.jit(gradients)
    given = put(x, "a"), put(w, "a")
    expected = gradients(x, w)
    for name, result in f(*given).items():
        # Sums of up to 61 sines of numbers near 60, which have 4e-6 between them.
        np.testing.assert_allclose(result, expected[name], rtol=1e-4, atol=5e-5, err_msg=name)
    assert max(gathered(f.lower(*given).as_text("shard"))) <= 1


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float16", "bfloat16", "complex64"])
def test_element_types(dtype: str) -> None:
    x = dnp.asarray(RNG.integers(1, 3, (24, 3))).astype(dtype)
    expected = everything(x)
    for name, result in dt.jit(everything)(put(x, "a")).items():
        assert result.dtype == dtype
        if "logsumexp" not in name:
            np.testing.assert_array_equal(result, expected[name], err_msg=name)


@pytest.mark.parametrize("special", [np.inf, -np.inf, np.nan, 0.0, -0.0])
def test_special_values(special: float) -> None:
    """What a part has begins with what is before, whatever that is."""
    for place in (0, 3, 4, 9, 15):
        x = RNG.uniform(0.5, 1.5, 16).astype(np.float32)
        x[place] = special
        expected = everything(x)
        for name, result in EVERYTHING(put(x, "a")).items():
            np.testing.assert_allclose(result, expected[name], rtol=1e-5, err_msg=name)


def test_nothing_is_whole(caplog: pytest.LogCaptureFixture) -> None:
    x = put(RNG.uniform(1, 2, (64, 4)).astype(np.float32), "a", "b")

    def loss(x: Any) -> Any:
        return sum(dnp.sum(result**2) for result in everything(x).values())

    with dt.explain_sharding(True):
        dt.jit(dt.grad(loss))(x)
    assert not caplog.records


def test_functions_of_numpy() -> None:
    x = RNG.normal(size=(16, 4)).astype(np.float32)
    given = put(x, "a", "b")
    for f in (lambda x: dnp.cumsum(x, 1), lambda x: dnp.cumsum(x), lambda x: dnp.nancumprod(x, 0)):
        np.testing.assert_allclose(dt.jit(f)(given), f(x), rtol=1e-4, atol=1e-5)
