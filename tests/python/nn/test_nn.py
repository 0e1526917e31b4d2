"""`dovetail.nn` against SciPy and formulas: values, derivatives, masks, compiled code, errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, nn
from dovetail.test_util import check_grads
from support.activations import FORMULAS

X = np.array([[-30, -3, -1, -0.5], [0.25, 0.5, 1, 2], [3, 5.5, 6, 40]])
expit = scipy.special.expit
ndtr = scipy.special.ndtr


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize("name", FORMULAS)
def test_activations(name: str) -> None:
    function = getattr(nn, name)
    with config.enable_x64(True):
        expected = FORMULAS[name](X)
        np.testing.assert_allclose(function(X), expected, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(dt.jit(function)(X), expected, rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(dt.vmap(function)(X), function(X))
        # Away from kinks, which are at integers.
        check_grads(function, (X[:2] + 0.1,), order=2)
    for dtype in (np.float16, dnp.bfloat16, np.float32):
        result = function(X.astype(dtype))
        assert result.dtype == dtype
        exact = FORMULAS[name](X.astype(dtype).astype(np.float64))
        eps = float(dnp.finfo(dtype).eps)
        np.testing.assert_allclose(np.float64(result), exact, rtol=8 * eps, atol=8 * eps)


def test_gelu() -> None:
    with config.enable_x64(True):
        np.testing.assert_allclose(nn.gelu(X, approximate=False), X * ndtr(X), rtol=1e-13)
        np.testing.assert_allclose(nn.gelu(X), X * ndtr(X), atol=5e-4)
        check_grads(lambda x: nn.gelu(x, False), (X[:2],), order=2)


def test_higher_derivatives_where_terms_are_equal() -> None:
    # The logistic function and its derivatives at 0.
    expected = [0.5, 0.25, 0.0, -0.125]
    for function in (nn.softplus, lambda x: dnp.logaddexp(0.0, x), lambda x: -nn.log_sigmoid(-x)):
        for value in expected:
            function = dt.grad(function)
            assert function(0.0) == value
    second = dt.grad(dt.grad(lambda x: dnp.logaddexp2(x, 0.0)))(0.0)
    np.testing.assert_allclose(second, np.log(2) / 4, rtol=1e-6)


def test_selu_keeps_mean_and_variance() -> None:
    # With its constants, standard normal numbers keep mean and variance: by quadrature.
    nodes, weights = np.polynomial.hermite_e.hermegauss(200)
    weights = weights / weights.sum()
    with config.enable_x64(True):
        y = np.asarray(nn.selu(nodes))
    assert abs(weights @ y) < 1e-2
    assert abs(weights @ y**2 - 1) < 1e-2


def test_derivatives_at_kinks() -> None:
    kinks = np.array([0, 6], np.float32)
    assert dt.vmap(dt.grad(nn.relu))(kinks).tolist() == [0, 1]
    assert dt.vmap(dt.grad(nn.relu6))(kinks).tolist() == [0, 0]
    assert dt.grad(nn.leaky_relu)(0.0) == 1
    # No derivative is spoiled by the branch that is not taken.
    for name in ("elu", "celu", "selu", "softplus", "log_sigmoid", "mish", "sigmoid", "gelu"):
        slopes = dt.vmap(dt.grad(getattr(nn, name)))(np.array([-1e4, 1e4], np.float32))
        assert np.isfinite(slopes).all(), name
    assert dt.grad(nn.relu)(np.nan) == 0
    assert np.isnan(nn.relu(np.nan))


def test_rectifiers_of_integers() -> None:
    x = np.array([-2, 0, 3])
    assert nn.relu(x).dtype == np.int32
    assert nn.relu(x).tolist() == [0, 0, 3]
    assert nn.hard_tanh(x).dtype == np.int32
    assert nn.elu(x).dtype == np.float32


def test_log1mexp() -> None:
    x = np.array([0, 1e-30, 0.1, np.log(2), 3, 700])
    with config.enable_x64(True):
        expected = [-np.inf, np.log(1e-30), np.log(-np.expm1(-0.1)), -np.log(2)]
        expected += [np.log1p(-np.exp(-3)), -np.exp(-700.0)]
        np.testing.assert_allclose(nn.log1mexp(x), expected, rtol=1e-14)
        check_grads(nn.log1mexp, (x[2:5],), order=2)


def test_glu() -> None:
    x = X.astype(np.float32)
    np.testing.assert_allclose(nn.glu(x), x[:, :2] * expit(x[:, 2:]), rtol=1e-6)
    np.testing.assert_allclose(nn.glu(x[:2], axis=0), x[:1] * expit(x[1:2]), rtol=1e-6)


FLOATS = hnp.arrays(
    np.float64, (3, 4), elements=st.floats(-300, 300, allow_subnormal=False), unique=True
)
MASKS = hnp.arrays(bool, (3, 4)).map(lambda m: m | (np.arange(4) == 1))


@settings(max_examples=40)
@given(FLOATS, MASKS, st.sampled_from([0, 1, None, (0, 1)]))
def test_softmax_and_its_logarithm(x: np.ndarray, mask: np.ndarray, axis: Any) -> None:
    with config.enable_x64(True):
        np.testing.assert_allclose(nn.softmax(x, axis), scipy.special.softmax(x, axis), rtol=1e-11)
        expected = scipy.special.log_softmax(x, axis)
        np.testing.assert_allclose(nn.log_softmax(x, axis), expected, rtol=1e-11, atol=1e-13)
        if axis == 0:
            return
        some = np.where(mask, x, -np.inf)
        given = nn.softmax(x, axis, where=mask)
        np.testing.assert_allclose(given, scipy.special.softmax(some, axis), rtol=1e-11)
        given = nn.log_softmax(x, axis, where=mask)
        expected = scipy.special.log_softmax(some, axis)
        np.testing.assert_allclose(given, expected, rtol=1e-11, atol=1e-13)


@settings(max_examples=40)
@given(FLOATS, FLOATS, MASKS, st.sampled_from([0, 1, None]), st.booleans())
def test_logsumexp(x: np.ndarray, b: np.ndarray, mask: np.ndarray, axis: Any, keep: bool) -> None:
    with config.enable_x64(True):
        expected = scipy.special.logsumexp(x, axis, keepdims=keep)
        np.testing.assert_allclose(
            nn.logsumexp(x, axis, keepdims=keep), expected, rtol=1e-13, atol=1e-15
        )
        count = x.size if axis is None else x.shape[axis]
        mean = nn.logmeanexp(x, axis, keepdims=keep)
        np.testing.assert_allclose(mean, expected - np.log(count), rtol=1e-12, atol=1e-12)
        ours = nn.logsumexp(x, axis, b, keep, True)
        theirs = scipy.special.logsumexp(x, axis, b, keepdims=keep, return_sign=True)
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-9, atol=1e-9)
        some = np.where(mask, x, -np.inf)
        given = nn.logsumexp(x, axis, keepdims=keep, where=mask)
        np.testing.assert_allclose(
            given, scipy.special.logsumexp(some, axis, keepdims=keep), atol=1e-15
        )


def test_logsumexp_at_the_edges() -> None:
    assert nn.logsumexp(f32(-np.inf, -np.inf)) == -np.inf
    assert nn.logsumexp(f32(np.inf, 0)) == np.inf
    assert nn.logsumexp(np.zeros((0,), np.float32)) == -np.inf
    assert np.isnan(nn.logsumexp(f32(0), b=f32(-1)))
    assert nn.logsumexp(f32(np.inf, 0), b=f32(0, 1)) == 0
    z = np.array([1 + 2j, -1j], np.complex64)
    np.testing.assert_allclose(nn.logsumexp(z), np.log(np.exp(z).sum()), rtol=1e-6)
    np.testing.assert_allclose(dt.grad(nn.logsumexp)(f32(1e4, 0)), [1, 0])
    with config.enable_x64(True):
        check_grads(lambda x: nn.logsumexp(x, 1), (X,), order=2)


def test_gradients_of_softmax() -> None:
    mask = np.array([[True, False, True, True]] * 3)
    with config.enable_x64(True):
        for where in (None, mask):
            check_grads(lambda x, w=where: nn.softmax(x, -1, w), (X / 10,), order=2)

            def logarithms(x: Any, w: Any = where) -> Any:
                result = nn.log_softmax(x, -1, w)
                return result if w is None else dnp.where(w, result, 0)

            check_grads(logarithms, (X / 10,), order=2)
    compiled = dt.jit(dt.grad(lambda x: (nn.softmax(x) * X).sum()))(X.astype(np.float32) / 10)
    y = scipy.special.softmax(X / 10, 1)
    np.testing.assert_allclose(compiled, y * (X - (y * X).sum(1, keepdims=True)), rtol=1e-4)


def test_standardize() -> None:
    x = X.astype(np.float32) / 10
    expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    for algorithm in ("fast", "stable"):
        np.testing.assert_allclose(nn.standardize(x, algorithm=algorithm), expected, rtol=2e-5)
    # Rounding makes the fast variance negative; it counts as 0.
    flat = np.full((1, 1000), 1234.567, np.float32)
    assert np.isfinite(nn.standardize(flat)).all()
    result = nn.standardize(np.array([1, 3]), epsilon=0)
    assert result.tolist() == [-1, 1]
    assert result.dtype == np.float32


def test_one_hot() -> None:
    x = np.array([[0, 2], [-1, 3]])
    expected = (x[..., None] == np.arange(3)).astype(np.float32)
    np.testing.assert_array_equal(nn.one_hot(x, 3), expected)
    for axis in range(-3, 3):
        moved = np.moveaxis(expected, -1, axis)
        np.testing.assert_array_equal(nn.one_hot(x, 3, axis=axis), moved)
    assert nn.one_hot(1, 2, dtype=bool).tolist() == [False, True]
    parts = dt.vmap(lambda _: nn.one_hot(x, 3, axis="c"), axis_name="c")(np.arange(3))
    np.testing.assert_array_equal(np.moveaxis(parts, 0, -1), expected)
    with pytest.warns(UserWarning, match="one_hot input should be integer-typed"):
        assert nn.one_hot(1.0, 2).tolist() == [0, 1]


# Attention ----------------------------------------------------------------------------------------


def attention(arrays: Any, seen: Any = True, bias: Any = 0.0) -> np.ndarray:
    """By a loop over batch and heads."""
    q, k, v = arrays
    shape = (q.shape[0], q.shape[2], q.shape[1], k.shape[1])
    seen, bias = np.broadcast_to(seen, shape), np.broadcast_to(bias, shape)
    result = np.zeros(q.shape)
    for b in range(q.shape[0]):
        for n in range(q.shape[2]):
            m = n // (q.shape[2] // k.shape[2])
            products = q[b, :, n] @ k[b, :, m].T / np.sqrt(q.shape[3]) + bias[b, n]
            weights = scipy.special.softmax(np.where(seen[b, n], products, -1e30), 1)
            result[b, :, n] = weights @ v[b, :, m]
    return result


def qkv(heads: int = 2) -> Any:
    rng = np.random.default_rng(0)
    shapes = [(2, 5, 4, 3), (2, 6, heads, 3), (2, 6, heads, 3)]
    return [rng.normal(size=s).astype(np.float32) for s in shapes]


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_attention(heads: int) -> None:
    arrays = qkv(heads)
    rows, columns = np.arange(5)[:, None], np.arange(6)
    some = np.random.default_rng(1).random((2, 4, 5, 6)) < 0.8
    bias = np.random.default_rng(2).normal(size=(4, 5, 6)).astype(np.float32)
    lengths = np.array([2, 6], np.int32)
    cases: list[tuple[dict[str, Any], Any]] = [
        ({}, True),
        ({"mask": some}, some),
        ({"is_causal": True}, columns <= rows),
        ({"local_window_size": 1}, abs(columns - rows) <= 1),
        ({"local_window_size": (2, 0)}, (columns <= rows) & (rows <= columns + 2)),
        ({"key_value_seq_lengths": lengths}, columns < lengths[:, None, None, None]),
        ({"bias": bias, "mask": some[0]}, some[0]),
    ]
    for options, seen in cases:
        expected = attention(arrays, seen, options.get("bias", 0.0))
        for implementation in (None, "xla", "cudnn"):
            given = nn.dot_product_attention(*arrays, **options, implementation=implementation)
            np.testing.assert_allclose(given, expected, rtol=2e-5, atol=2e-6, err_msg=str(options))
    compiled = dt.jit(lambda *a: nn.dot_product_attention(*a, is_causal=True))(*arrays)
    np.testing.assert_allclose(compiled, attention(arrays, columns <= rows), rtol=2e-5, atol=2e-6)


def test_attention_beyond_lengths_is_zero() -> None:
    arrays = qkv()
    lengths = np.array([2, 5], np.int32)
    result = np.asarray(nn.dot_product_attention(*arrays, query_seq_lengths=lengths))
    assert (result[0, 2:] == 0).all()
    np.testing.assert_allclose(result[0, :2], attention(arrays)[0, :2], rtol=2e-5, atol=1e-6)


def test_attention_gradients() -> None:
    with config.enable_x64(True):
        arrays = [np.float64(a) for a in qkv()]
        # The softmax is in float32 in any case.
        check_grads(
            lambda *a: nn.dot_product_attention(*a, is_causal=True),
            arrays,
            order=1,
            atol=1e-3,
            rtol=1e-3,
            eps=1e-3,
        )


def test_attention_of_few_bits() -> None:
    arrays = [a.astype(dnp.bfloat16) for a in qkv()]
    result, residual = nn.dot_product_attention(*arrays, return_residual=True)
    assert result.dtype == residual.dtype == dnp.bfloat16
    assert residual.shape == (2, 5, 4)
    wide = attention([np.float32(a) for a in arrays])
    np.testing.assert_allclose(np.float32(result), wide, atol=0.03)


# Scaled products ----------------------------------------------------------------------------------


def test_scaled_matmul() -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-3, 4, (2, n, 6)).astype(np.float32) for n in (3, 4))
    x_scales, y_scales = (rng.integers(1, 4, (2, n, 2)).astype(np.float32) for n in (3, 4))
    expected = np.einsum("bmk,bnk->bmn", x * x_scales.repeat(3, 2), y * y_scales.repeat(3, 2))
    np.testing.assert_array_equal(nn.scaled_matmul(x, y, x_scales, y_scales), expected)
    half = nn.scaled_matmul(x, y, x_scales, y_scales, preferred_element_type=np.float16)
    np.testing.assert_array_equal(half, expected.astype(np.float16))


@pytest.mark.parametrize(("mode", "error"), [("mxfp8", 0.05), ("nvfp4", 0.15)])
def test_scaled_dot_general(mode: str, error: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 32, 64)).astype(np.float32)
    y = rng.normal(size=(64, 32, 2)).astype(np.float32)
    configs = [nn.get_scaled_dot_general_config(mode)] * 3
    numbers = (((2,), (0,)), ((0,), (2,)))

    def product(x: Any, y: Any, configs: Any = configs) -> Any:
        return nn.scaled_dot_general(x, y, numbers, configs=configs)

    def loss(x: Any, y: Any, configs: Any = configs) -> Any:
        return (product(x, y, configs) ** 2).sum()

    def near(given: Any, expected: Any) -> None:
        difference = np.linalg.norm(np.asarray(given) - np.asarray(expected))
        assert difference < error * np.linalg.norm(expected)

    expected = np.einsum("bmk,knb->bmn", x, y)
    near(product(x, y), expected)
    assert (np.asarray(product(x, y)) != expected).any()
    np.testing.assert_allclose(dt.jit(product)(x, y), product(x, y), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(product(x, y, None), expected, rtol=1e-5, atol=1e-4)
    for mine, exact in zip(
        dt.grad(loss, (0, 1))(x, y), dt.grad(loss, (0, 1))(x, y, None), strict=True
    ):
        near(mine, exact)


def test_quantization_is_exact_if_possible() -> None:
    # Powers of 2 and zeros need no rounding, whatever their size.
    x = np.ldexp(np.float32(1), np.arange(-60, 68, 2).reshape(1, 64) // 4).astype(np.float32)
    x[0, 32:] = 0
    configs = [nn.get_scaled_dot_general_config("mxfp8")] * 3
    ones = np.eye(64, dtype=np.float32)
    result = nn.scaled_dot_general(x, ones, (((1,), (0,)), ((), ())), configs=configs)
    np.testing.assert_array_equal(result, x)


# Errors -------------------------------------------------------------------------------------------

A: Any = np.zeros((2, 5, 4, 3), np.float32)
HALF: Any = 2.5
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: nn.glu(np.zeros(3, np.float32)), ValueError, "the size of dimension 0 must be even"),
    (lambda: nn.relu("x"), TypeError, "of type <class 'str'> and was passed"),
    (
        lambda: nn.sigmoid(1),
        TypeError,
        "does not accept dtype int32; the element type must be float or complex",
    ),
    (lambda: nn.gelu(1j), TypeError, "must be real"),
    (lambda: nn.softmax(A, 7), np.exceptions.AxisError, "out of bounds"),
    (lambda: nn.standardize(A, algorithm="best"), ValueError, "'fast' or 'stable', got: 'best'"),
    (lambda: nn.one_hot(1, HALF), TypeError, "float"),
    (lambda: nn.dot_product_attention(A, A, A[:, :3]), ValueError, "the key's shape"),
    (lambda: nn.dot_product_attention(A[:, :, :3], A, A), ValueError, "multiple"),
    (lambda: nn.dot_product_attention(A[:1], A, A), ValueError, "query must be (batch, queries"),
    (lambda: nn.dot_product_attention(A.astype(int), A, A), ValueError, "element type float32"),
    (
        lambda: nn.dot_product_attention(*[A.astype(int)] * 3),
        TypeError,
        "must be float, got: int32",
    ),
    (lambda: nn.dot_product_attention(A, A, A, mask=A), ValueError, "mask must be bools"),
    (lambda: nn.dot_product_attention(A, A, A, bias=A), ValueError, "bias must broadcast to"),
    (
        lambda: nn.dot_product_attention(A, A, A, query_seq_lengths=np.zeros(3, np.int32)),
        ValueError,
        "query_seq_lengths must be int32 of shape (2,)",
    ),
    (
        lambda: nn.dot_product_attention(A, A, A, implementation="best"),
        ValueError,
        "None, 'xla' or 'cudnn', got: 'best'",
    ),
    (lambda: nn.scaled_matmul(A, A, A, A), ValueError, "shapes must be (b, m, k)"),
    (lambda: nn.get_scaled_dot_general_config("fp8"), ValueError, "'mxfp8' or 'nvfp4', got: 'fp8'"),
    (
        lambda: nn.scaled_dot_general(
            A[0, 0],
            A[0, 0],
            (((1,), (1,)), ((), ())),
            configs=[nn.get_scaled_dot_general_config("mxfp8")] * 3,
        ),
        ValueError,
        "must be a multiple of 32",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text for *_, text in ERRORS])
def test_errors(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        call()
