"""Every function of `dovetail.nn`: values and derivatives, compared with JAX's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from dovetail import config, nn  # noqa: E402
from support.jax_compare import check, outcome  # noqa: E402

# Calls of a library `nn`; x and y are floats (3, 4), m a mask, i integers, c a scalar.
POINTWISE = [
    *(f"{name}(x)" for name in ("celu", "elu", "gelu", "hard_sigmoid", "hard_silu", "hard_swish")),
    *(f"{name}(x)" for name in ("hard_tanh", "identity", "leaky_relu", "log_sigmoid", "mish")),
    *(f"{name}(x)" for name in ("relu", "relu6", "selu", "sigmoid", "silu", "soft_sign", "swish")),
    *(f"{name}(x)" for name in ("softplus", "sparse_plus", "sparse_sigmoid", "squareplus", "tanh")),
    "celu(x, 2.0)",
    "elu(x, alpha=0.5)",
    "gelu(x, approximate=False)",
    "gelu(x, False)",
    "leaky_relu(x, negative_slope=0.2)",
    "log1mexp(x * x + 0.125)",
    "squareplus(x, b=1)",
]
ROWS = [
    "glu(x)",
    "glu(x, axis=1)",
    "log_softmax(x)",
    "log_softmax(x, 0)",
    "log_softmax(x, axis=(0, 1))",
    "log_softmax(x, axis=None)",
    "log_softmax(x, where=m)",
    "logmeanexp(x)",
    "logmeanexp(x, 1)",
    "logmeanexp(x, axis=0, where=m, keepdims=True)",
    "logsumexp(x)",
    "logsumexp(x, 1)",
    "logsumexp(x, axis=(0, -1), keepdims=True)",
    "logsumexp(x, 0, abs(y))",
    "logsumexp(x, 0, y)",
    "logsumexp(x, b=y, return_sign=True)",
    "logsumexp(x, axis=1, return_sign=True, keepdims=True)",
    "logsumexp(x, where=m)",
    "logsumexp(x, 1, b=y, where=m, return_sign=True)",
    "softmax(x)",
    "softmax(x, 0)",
    "softmax(x, axis=(0, 1))",
    "softmax(x, axis=None)",
    "softmax(x, where=m)",
    "softmax(x, 0, m)",
    "standardize(x)",
    "standardize(x, axis=0)",
    "standardize(x, axis=(0, 1), epsilon=0.1)",
    "standardize(x, mean=0.5)",
    "standardize(x, variance=2.0)",
    "standardize(x, where=m)",
    "standardize(x, algorithm='stable')",
    "standardize(x, algorithm='other')",
]
OTHERS = [
    "one_hot(i, 3)",
    "one_hot(i, 3, axis=0)",
    "one_hot(i, 2, dtype='int32', axis=1)",
    "one_hot(2, 4)",
    "one_hot(i, 0)",
    "scaled_dot_general(x, y, (((1,), (1,)), ((), ())))",
]


def library(text: str, lib: Any, xp: Any, dtype: str, x: np.ndarray) -> Any:
    """The function of x defined by a call."""
    rng = np.random.default_rng(1)
    names = {
        "y": xp.asarray(rng.integers(-4, 5, (3, 4)) / 2, dtype),
        "m": xp.asarray([[True, False, True, True], [True] * 4, [False, True, False, True]]),
        "i": xp.asarray([[0, 1], [2, 1]], "int32"),
    }
    return lambda value: eval(f"lib.{text}", {"lib": lib, "x": value, **names})


def points(dtype: str) -> np.ndarray:
    """Points of both signs, including kinks."""
    values = np.array([-7, -3, -1, -0.5, 0, 0.25, 1, 1.5, 3, 5.5, 6, 8])
    return values.reshape(3, 4).astype(np.float64).astype(dtype)


def both(text: str, dtype: str, of: Any, ulps: float = 32) -> None:
    x = points(dtype)
    with config.enable_x64(dtype == "float64"), jax.enable_x64(dtype == "float64"):
        ours = outcome(of(dt), library(text, nn, dnp, dtype, x), dnp.asarray(x))
        theirs = outcome(of(jax), library(text, jax.nn, jnp, dtype, x), jnp.asarray(x))
        check(ours, theirs, f"{text} of {dtype}", ulps)


@pytest.mark.parametrize("text", [*POINTWISE, *ROWS, *OTHERS])
def test_values(text: str) -> None:
    for dtype in ("float32", "bfloat16", "int32"):
        both(text, dtype, lambda _: lambda f, x: f(x))


@pytest.mark.parametrize("text", [t for t in [*POINTWISE, *ROWS] if "other" not in t])
def test_derivatives(text: str) -> None:
    def forward(lib: Any) -> Any:
        return lambda f, x: lib.jvp(f, (x,), (1 + x / 8,))

    def weights(result: Any) -> Any:
        # Not constant, since derivatives of sums over softmax are 0.
        return result * 0 + np.arange(1.0, 1 + result.size).reshape(result.shape)

    def reverse(lib: Any) -> Any:
        def run(f: Any, x: Any) -> Any:
            result, pull = lib.vjp(f, x)
            return pull(lib.tree_util.tree_map(weights, result))

        return run

    def second(lib: Any) -> Any:
        def loss(f: Any) -> Any:
            return lambda x: (lib.tree_util.tree_leaves(f(x))[0] ** 2).sum()

        return lambda f, x: lib.jvp(lib.grad(loss(f)), (x,), (1 + x / 8,))[1]

    for of in (forward, reverse):
        both(text, "float64", of)
    # Terms of the second derivative cancel in the tails.
    both(text, "float64", second, ulps=4096)


@pytest.mark.parametrize("text", ["relu(1)", "elu(2.0)", "gelu(3)", "softmax(True)", "sigmoid(1)"])
def test_scalars(text: str) -> None:
    check(outcome(lambda: eval(f"nn.{text}")), outcome(lambda: eval(f"jax.nn.{text}")), text)


# Attention ----------------------------------------------------------------------------------------

MASK = np.random.default_rng(0).random((2, 1, 5, 7)) < 0.7
ATTENTION: list[dict[str, Any]] = [
    {},
    {"is_causal": True},
    {"scale": 0.3, "return_residual": True},
    {"mask": MASK},
    {"mask": MASK[:1], "is_causal": True, "implementation": "xla"},
    {"mask": np.repeat(MASK, 4, 1), "return_residual": True},
    {"mask": np.zeros((1, 1, 1, 7), bool)},
    {"local_window_size": 1},
    {"local_window_size": (2, 0), "is_causal": True},
    {"query_seq_lengths": np.array([2, 5], np.int32)},
    {"key_value_seq_lengths": np.array([0, 4], np.int32), "return_residual": True},
    {
        "query_seq_lengths": np.array([1, 5], np.int32),
        "key_value_seq_lengths": np.array([6, 1], np.int32),
        "mask": MASK,
    },
    {"bias": np.linspace(-1, 1, 2 * 4 * 5 * 7).reshape(2, 4, 5, 7)},
    {"bias": np.linspace(-1, 1, 35).reshape(5, 7), "is_causal": True},
    {"mask": np.ones((1, 1, 5, 7), np.float32)},
    {"mask": np.ones((3, 1, 5, 7), bool)},
    {"query_seq_lengths": np.array([2, 5], np.int64)},
    {"query_seq_lengths": np.array([2], np.int32)},
    {"implementation": "other"},
]


def attention_arrays(dtype: str, heads: int = 2, batch: tuple[int, ...] = (2,)) -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    shapes = [(*batch, 5, 4, 3), (*batch, 7, heads, 3), (*batch, 7, heads, 3)]
    return [rng.normal(size=s).astype(np.float32).astype(dtype) for s in shapes]


def run_attention(lib: Any, xp: Any, arrays: list[np.ndarray], options: dict[str, Any]) -> Any:
    """The value, and gradients with respect to queries, keys, values and bias."""
    options = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    bias = options.pop("bias", xp.zeros((1, 1, 1, 1), "float32"))
    bias = xp.asarray(bias, "float32")

    def attend(*args: Any) -> Any:
        return lib.nn.dot_product_attention(*args, **options)

    def loss(*args: Any) -> Any:
        result = lib.tree_util.tree_leaves(attend(*args))[0]
        return (result * xp.arange(1.0, result.size + 1).reshape(result.shape)).sum() / 100

    args = [*map(xp.asarray, arrays), bias]
    leaves = list(lib.tree_util.tree_leaves(attend(*args)))
    return [*leaves, *lib.grad(loss, argnums=(0, 1, 2, 3))(*args)]


@pytest.mark.parametrize("options", ATTENTION, ids=lambda options: ",".join(options) or "plain")
def test_attention(options: dict[str, Any]) -> None:
    for dtype in ("float32", "bfloat16"):
        arrays = attention_arrays(dtype)
        ours = outcome(run_attention, dt, dnp, arrays, options)
        theirs = outcome(run_attention, jax, jnp, arrays, options)
        # Failed broadcasts are a TypeError in JAX, wrong shapes a ValueError here as elsewhere.
        if isinstance(theirs, TypeError):
            assert isinstance(ours, ValueError)
        else:
            check(ours, theirs, f"{options} of {dtype}", ulps=100 if dtype == "float32" else 8)


@pytest.mark.parametrize("heads", [1, 3, 4])
def test_attention_heads_and_ranks(heads: int) -> None:
    for batch in ((2,), ()):
        arrays = attention_arrays("float32", heads, batch)
        ours = outcome(run_attention, dt, dnp, arrays, {"is_causal": True})
        theirs = outcome(run_attention, jax, jnp, arrays, {"is_causal": True})
        check(ours, theirs, f"{heads} heads of keys", ulps=100)


# Scaled products ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["mxfp8", "nvfp4"])
def test_quantization(mode: str) -> None:
    theirs = pytest.importorskip("jax._src.cudnn.scaled_matmul_stablehlo")
    from dovetail.nn.scaled import _quantize

    x = np.random.default_rng(0).normal(size=(2, 3, 64)).astype(np.float32) * 10
    x[0, 0] *= 1e-3
    x[1, 1, :32] = 0
    mine = _quantize(dnp.asarray(x), nn.get_scaled_dot_general_config(mode))
    other = theirs.quantize(jnp.asarray(x), jax.nn.get_scaled_dot_general_config(mode))
    for a, b in zip(mine, other, strict=True):
        a, b = (np.asarray(v).astype(np.float32) for v in (a, b))
        # A block of zeros: the smallest scale is not subnormal here; a scale of 0 produces no NaN.
        scales_differ = (a != b) & ~(np.isnan(b) | (b < 1e-37))
        assert not scales_differ.any()
    assert not np.isnan(np.asarray(mine[0]).astype(np.float32)).any()
