"""Convolutions, reductions by functions and ragged contractions, against JAX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import lax

jax = pytest.importorskip("jax", minversion="0.10")

RNG = np.random.default_rng(5)
ORDERS = {
    0: [("NC", "OI", "NC"), ("CN", "IO", "CN")],
    1: [("NCW", "OIW", "NCW"), ("NWC", "WIO", "NWC"), ("CWN", "IWO", "NCW")],
    2: [("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC"), ("CHWN", "WHIO", "NWHC")],
    3: [("NDHWC", "DHWIO", "NDHWC")],
}


def configuration(seed: int) -> tuple[tuple[np.ndarray, np.ndarray], dict[str, Any]]:
    """Operands and arguments of a random convolution."""
    rng = np.random.default_rng(seed)
    rank = int(rng.choice([0, 1, 1, 2, 2, 2, 3]))
    orders = ORDERS[rank][rng.integers(len(ORDERS[rank]))]
    groups, batch_groups = [(1, 1), (1, 1), (2, 1), (1, 2), (3, 1)][rng.integers(5)]
    inputs, outputs = int(rng.integers(1, 3)), int(rng.integers(1, 3)) * groups * batch_groups
    spatial = [c for c in orders[1] if c not in "OI"]
    sizes = {c: int(rng.integers(3, 8)) for c in spatial}
    window = {c: int(rng.integers(1, 4)) for c in spatial}
    lhs = {"N": 2 * batch_groups, "C": inputs * groups} | sizes
    rhs = {"O": outputs, "I": inputs} | window
    x = rng.normal(size=[lhs[c] for c in orders[0]]).astype(np.float32)
    kernel = rng.normal(size=[rhs[c] for c in orders[1]]).astype(np.float32)
    dilation = tuple(int(n) for n in rng.integers(1, 3, rank))
    padding: Any = [(int(a), int(b)) for a, b in rng.integers(-1, 3, (rank, 2))]
    if rng.random() < 0.4 and rank:
        padding, dilation = str(rng.choice(["SAME", "VALID", "SAME_LOWER"])), (1,) * rank
    arguments = {
        "window_strides": tuple(int(n) for n in rng.integers(1, 4, rank)),
        "padding": padding,
        "lhs_dilation": dilation,
        "rhs_dilation": tuple(int(n) for n in rng.integers(1, 3, rank)),
        "dimension_numbers": orders,
        "feature_group_count": groups,
        "batch_group_count": batch_groups,
    }
    return (x, kernel), arguments


def assert_close(actual: Any, expected: Any) -> None:
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("seed", range(60))
def test_convolution_and_gradients(seed: int) -> None:
    operands, arguments = configuration(seed)

    def value(library: Any, x: Any, kernel: Any) -> Any:
        return library.conv_general_dilated(x, kernel, **arguments)

    expected = value(jax.lax, *operands)
    assert_close(value(lax, *operands), expected)
    weights = np.random.default_rng(seed).normal(size=expected.shape).astype(np.float32)
    ours = dt.grad(lambda *xs: (value(lax, *xs) * weights).sum(), (0, 1))
    theirs = jax.grad(lambda *xs: (value(jax.lax, *xs) * weights).sum(), (0, 1))
    gradients = theirs(*operands)
    for actual, wanted in zip(ours(*operands), gradients, strict=True):
        assert_close(actual, wanted)
    if seed < 8:
        for actual, wanted in zip(dt.jit(ours)(*operands), gradients, strict=True):
            assert_close(actual, wanted)


@pytest.mark.parametrize("seed", range(60, 72))
@pytest.mark.parametrize("axes", [(0, None), (None, 1), (1, 2)])
def test_batches_of_convolutions(seed: int, axes: tuple[int | None, int | None]) -> None:
    operands, arguments = configuration(seed)
    rng = np.random.default_rng(seed)
    batched = [
        x if axis is None else np.moveaxis(rng.normal(size=(3, *x.shape)), 0, axis).astype(x.dtype)
        for x, axis in zip(operands, axes, strict=True)
    ]
    assert_close(
        dt.vmap(lambda x, k: lax.conv_general_dilated(x, k, **arguments), axes)(*batched),
        jax.vmap(lambda x, k: jax.lax.conv_general_dilated(x, k, **arguments), axes)(*batched),
    )


@pytest.mark.parametrize("padding", ["SAME", "VALID", ((1, 2), (0, 1))])
@pytest.mark.parametrize("strides", [(1, 1), (2, 3)])
@pytest.mark.parametrize("transpose_kernel", [False, True])
@pytest.mark.parametrize("consistent", [False, True])
def test_transposed_convolution(
    padding: Any, strides: tuple[int, int], transpose_kernel: bool, consistent: bool
) -> None:
    x = RNG.normal(size=(2, 4, 5, 3)).astype(np.float32)
    kernel = RNG.normal(size=(3, 2, 4, 3) if transpose_kernel else (3, 2, 3, 4)).astype(np.float32)
    arguments: dict[str, Any] = {
        "transpose_kernel": transpose_kernel,
        "use_consistent_padding": consistent,
        "rhs_dilation": (1, 2),
    }
    assert_close(
        lax.conv_transpose(x, kernel, strides, padding, **arguments),
        jax.lax.conv_transpose(x, kernel, strides, padding, **arguments),
    )


@pytest.mark.parametrize("orders", [None, ("NHWC", "HWIO", "NHWC"), ("NHWC", "OIHW", "NWHC")])
def test_patches_and_local_kernels(orders: Any) -> None:
    shape = (2, 3, 5, 4) if orders is None else (2, 5, 4, 3)
    x = RNG.normal(size=shape).astype(np.float32)
    arguments = ((2, 3), (1, 2), [(1, 0), (1, 1)], (1, 2), (2, 1), orders)
    ours = lax.conv_general_dilated_patches(x, *arguments)
    theirs = jax.lax.conv_general_dilated_patches(x, *arguments)
    assert_close(ours, theirs)
    numbers = lax.conv_dimension_numbers(x.shape, x.shape, orders)
    spatial = [theirs.shape[d] for d in numbers.out_spec[2:]]
    features = theirs.shape[numbers.out_spec[1]]
    sizes = dict(zip(numbers.rhs_spec, (4, features, *spatial), strict=True))
    kernels = RNG.normal(size=[sizes[d] for d in range(4)]).astype(np.float32)
    window, strides, padding, *rest = arguments
    assert_close(
        lax.conv_general_dilated_local(x, kernels, strides, padding, window, *rest),
        jax.lax.conv_general_dilated_local(x, kernels, strides, padding, window, *rest),
    )


WINDOWS: list[tuple[Any, ...]] = [
    ((2, 3), (1, 2), "SAME", None, None),
    ((2, 2), (2, 2), "VALID", None, None),
    ((3, 1), (2, 1), [(1, 2), (0, 0)], (2, 1), (1, 2)),
    ((2, 2), (1, 1), [(-1, 0), (2, 1)], None, (2, 2)),
    ((2, 3), (2, 1), "SAME", (2, 3), None),
    ((2, 3), (2, 1), "SAME_LOWER", (3, 2), (1, 2)),
]


@pytest.mark.parametrize("windows", WINDOWS)
@pytest.mark.parametrize(("name", "start"), [("add", 0.0), ("max", -np.inf), ("min", np.inf)])
def test_pooling_and_gradients(windows: Any, name: str, start: float) -> None:
    # Ties, of which the first element counts.
    x = RNG.integers(-3, 4, (6, 7)).astype(np.float32)

    def value(library: Any, x: Any) -> Any:
        return library.reduce_window(x, start, getattr(library, name), *windows)

    expected = value(jax.lax, x)
    assert_close(value(lax, x), expected)
    if name != "add" and windows[4]:
        return  # JAX has no gradient.
    weights = RNG.normal(size=expected.shape).astype(np.float32)
    finite = np.isfinite(np.asarray(expected))

    def ours(x: Any) -> Any:
        return (dt.numpy.where(finite, value(lax, x), 0) * weights).sum()

    def theirs(x: Any) -> Any:
        return (jax.numpy.where(finite, value(jax.lax, x), 0) * weights).sum()

    assert_close(dt.grad(ours)(x), jax.grad(theirs)(x))


@pytest.mark.parametrize("windows", WINDOWS)
def test_windows_by_any_function(windows: Any) -> None:
    x = RNG.integers(1, 4, (6, 7)).astype(np.int32)
    for ours, theirs, start in (
        (lax.mul, jax.lax.mul, np.int32(1)),
        (lambda a, b: a | b, lambda a, b: a | b, np.int32(0)),
    ):
        assert_close(
            lax.reduce_window(x, start, ours, *windows),
            jax.lax.reduce_window(x, start, theirs, *windows),
        )


@pytest.mark.parametrize("dims", [(0,), (1,), (0, 2), (2, 0, 1), ()])
def test_reduction_by_any_function(dims: tuple[int, ...]) -> None:
    x = RNG.normal(size=(3, 4, 5)).astype(np.float32)
    index = RNG.permutation(60).astype(np.int32).reshape(x.shape)

    def chosen(library: Any) -> Any:
        def first(a: Any, b: Any) -> Any:
            take = library.numpy.where(a[0] >= b[0], a[0], b[0])
            return take, library.numpy.where(a[0] >= b[0], a[1], b[1])

        return library.lax.reduce((x, index), (np.float32(-9), np.int32(-1)), first, dims)

    for actual, expected in zip(chosen(dt), chosen(jax), strict=True):
        assert_close(actual, expected)


NUMBERS: dict[str, tuple[Any, ...]] = {
    "free": (((4, 6, 3), (5, 4, 3, 2), (5,)), ((((2,), (2,)), ((0,), (1,))), (1,), (0,))),
    "free, sizes for each": (
        ((4, 6, 3), (5, 4, 3, 2), (4, 5)),
        ((((2,), (2,)), ((0,), (1,))), (1,), (0,)),
    ),
    "contracted": (((4, 2, 6), (4, 6, 3), (5,)), ((((2,), (1,)), ((0,), (0,))), (2,), ())),
    "batch": (((6, 2, 4), (6, 4, 3), (5,)), ((((2,), (1,)), ((0,), (0,))), (0,), ())),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_ragged_contraction(case: str) -> None:
    (lhs, rhs, sizes), numbers = NUMBERS[case]
    x, y = (RNG.normal(size=shape).astype(np.float32) for shape in (lhs, rhs))
    groups = RNG.multinomial(5, [0.2] * 5, size=sizes[:-1]).astype(np.int32)
    assert_close(
        lax.ragged_dot_general(x, y, groups, lax.RaggedDotDimensionNumbers(*numbers)),
        jax.lax.ragged_dot_general(x, y, groups, jax.lax.RaggedDotDimensionNumbers(*numbers)),
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float16, "bfloat16"])
@pytest.mark.parametrize("bits", [(8, 23), (5, 10), (8, 7), (4, 3), (1, 0), (11, 52)])
def test_reduced_precision(dtype: Any, bits: tuple[int, int]) -> None:
    x = np.concatenate(
        [RNG.normal(size=99) * 10.0 ** RNG.integers(-9, 9, 99), [0.0, -0.0, np.inf, np.nan]]
    )
    with np.errstate(over="ignore"):
        ours, theirs = dt.numpy.asarray(x, dtype), jax.numpy.asarray(x, dtype)
    for call in (lax.reduce_precision, dt.jit(lax.reduce_precision, static_argnums=(1, 2))):
        actual = np.asarray(call(ours, *bits)).astype(np.float64)
        expected = np.asarray(jax.lax.reduce_precision(theirs, *bits)).astype(np.float64)
        np.testing.assert_array_equal(actual, expected)
        np.testing.assert_array_equal(np.signbit(actual), np.signbit(expected))
