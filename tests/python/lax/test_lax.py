"""dovetail.lax: what it does not do for the caller, and how it reports that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import dtypes, lax


def f32(values: Any) -> np.ndarray:
    return np.array(values, np.float32)


def i32(values: Any) -> np.ndarray:
    return np.array(values, np.int32)


def u8(values: Any) -> np.ndarray:
    return np.array(values, np.uint8)


def i8(values: Any) -> np.ndarray:
    return np.array(values, np.int8)


X: Any = dnp.asarray(f32([[1, 2, 3], [4, 5, 6]]))
V: Any = dnp.asarray(f32([1, 2, 3]))
I: Any = dnp.arange(3)  # noqa: E741

VALUES: list[tuple[str, Callable[[], Any], Any]] = [
    ("scalars broadcast", lambda: lax.add(V, 1.0), [2, 3, 4]),
    ("sizes of 1 broadcast", lambda: lax.mul(X, X[:, :1]), [[1, 2, 3], [16, 20, 24]]),
    ("integer division truncates", lambda: lax.div(i32([-7, 7]), 2), [-3, 3]),
    ("remainder of the dividend's sign", lambda: lax.rem(i32([-7, 7]), 4), [-3, 3]),
    ("pow with an integer exponent", lambda: lax.pow(V, I), [1, 2, 9]),
    ("integer_pow", lambda: lax.integer_pow(V, -1), [1, 0.5, 1 / 3]),
    ("square", lambda: lax.square(I), [0, 1, 4]),
    ("reciprocal", lambda: lax.reciprocal(V), [1, 0.5, 1 / 3]),
    ("abs of unsigned", lambda: lax.abs(u8([3])), [3]),
    ("round away", lambda: lax.round(f32([0.5, 1.5, -0.5])), [1, 2, -1]),
    (
        "round to even",
        lambda: lax.round(f32([0.5, 1.5]), lax.RoundingMethod.TO_NEAREST_EVEN),
        [0, 2],
    ),
    ("select", lambda: lax.select(V > 1, V, -V), [-1, 2, 3]),
    ("select by a scalar", lambda: lax.select(True, V, -V), [1, 2, 3]),
    ("select_n", lambda: lax.select_n(I, V, 10 * V, 100 * V), [1, 20, 300]),
    ("select_n of five", lambda: lax.select_n(np.int32(3), 1, 2, 3, 4, 5), 4),
    ("clamp", lambda: lax.clamp(1.5, V, 2.5), [1.5, 2, 2.5]),
    ("clz", lambda: lax.clz(u8([0, 1, 255])), [8, 7, 0]),
    ("population_count", lambda: lax.population_count(u8([0, 255])), [0, 8]),
    ("shifts", lambda: lax.shift_right_logical(i8([-1]), i8([7])), [1]),
    ("shifts past the width", lambda: lax.shift_left(i8([1]), i8([8])), [0]),
    (
        "conversion saturates",
        lambda: lax.convert_element_type(f32([300, -1]), "uint8"),
        [255, 0],
    ),
    ("conversion of NaN", lambda: lax.convert_element_type(f32([np.nan]), "int32"), [0]),
    ("bitcast", lambda: lax.bitcast_convert_type(f32([1]), "int32"), [1065353216]),
    ("reshape", lambda: lax.reshape(X, (3, 2)), [[1, 2], [3, 4], [5, 6]]),
    ("reshape of an order", lambda: lax.reshape(X, (6,), (1, 0)), [1, 4, 2, 5, 3, 6]),
    ("transpose", lambda: lax.transpose(X, (1, 0)), [[1, 4], [2, 5], [3, 6]]),
    ("broadcast", lambda: lax.broadcast(V, (2,)), [[1, 2, 3], [1, 2, 3]]),
    ("broadcast_in_dim", lambda: lax.broadcast_in_dim(V, (3, 2), (0,)), [[1, 1], [2, 2], [3, 3]]),
    ("stretch", lambda: lax.broadcast_in_dim(V[None], (2, 3), (0, 1)), [[1, 2, 3], [1, 2, 3]]),
    ("broadcasted_iota", lambda: lax.broadcasted_iota("int32", (2, 2), 1), [[0, 1], [0, 1]]),
    ("slice", lambda: lax.slice(X, (0, 0), (2, 3), (1, 2)), [[1, 3], [4, 6]]),
    ("slice_in_dim", lambda: lax.slice_in_dim(X, -2, None, 1, 1), [[2, 3], [5, 6]]),
    ("index_in_dim", lambda: lax.index_in_dim(X, -1, 1, keepdims=False), [3, 6]),
    ("pad", lambda: lax.pad(V, 0.0, [(1, 0, 1)]), [0, 1, 0, 2, 0, 3]),
    ("crop", lambda: lax.pad(V, 0.0, [(-1, 1, 0)]), [2, 3, 0]),
    ("pad within and crop to the same size", lambda: lax.pad(V, 0.0, [(0, -2, 1)]), [1, 0, 2]),
    ("concatenate", lambda: lax.concatenate([V, V], 0), [1, 2, 3, 1, 2, 3]),
    ("rev", lambda: lax.rev(X, (1,)), [[3, 2, 1], [6, 5, 4]]),
    ("squeeze", lambda: lax.squeeze(X[:1], (0,)), [1, 2, 3]),
    ("expand_dims", lambda: lax.expand_dims(V, (0,)), [[1, 2, 3]]),
    ("collapse", lambda: lax.collapse(X[None], 0, 2), [[1, 2, 3], [4, 5, 6]]),
    ("split", lambda: lax.split(V, (1, 2))[1], [2, 3]),
    ("tile", lambda: lax.tile(V[:2], (2,)), [1, 2, 1, 2]),
    ("dot", lambda: lax.dot(X, V), [14, 32]),
    ("batch_matmul", lambda: lax.batch_matmul(X[None], X.T[None]), [[[14, 32], [32, 77]]]),
    (
        "dot_general",
        lambda: lax.dot_general(X, X, (((1,), (1,)), ((0,), (0,)))),
        [14, 77],
    ),
    ("reduce_sum", lambda: lax.reduce_sum(X, (1,)), [6, 15]),
    ("reduce_prod", lambda: lax.reduce_prod(X, (0,)), [4, 10, 18]),
    ("reduce_max", lambda: lax.reduce_max(X, (0, 1)), 6),
    ("reduce_min", lambda: lax.reduce_min(X, (-1,)), [1, 4]),
    ("reduce_and", lambda: lax.reduce_and(i32([6, 3]), (0,)), 2),
    ("reduce_or", lambda: lax.reduce_or(i32([6, 3]), (0,)), 7),
    ("reduce_xor", lambda: lax.reduce_xor(i32([6, 3]), (0,)), 5),
    ("argmax", lambda: lax.argmax(X, 1, "int32"), [2, 2]),
    ("full", lambda: lax.full((2,), 7, "int8"), [7, 7]),
    ("full_like", lambda: lax.full_like(V, 7), [7, 7, 7]),
    ("stop_gradient of a tree", lambda: lax.stop_gradient({"a": V})["a"], [1, 2, 3]),
]


@pytest.mark.parametrize(
    ("function", "expected"), [v[1:] for v in VALUES], ids=[v[0] for v in VALUES]
)
def test_values(function: Callable[[], Any], expected: Any) -> None:
    np.testing.assert_allclose(function(), expected, rtol=1e-6)


ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: lax.add(V, I),
        TypeError,
        r"add requires arguments to have the same dtypes, got: float32, int32",
    ),
    (
        lambda: lax.add(V, 1),
        TypeError,
        r"add requires arguments to have the same dtypes, got: float32, int32",
    ),
    (
        lambda: lax.add(X, V),
        TypeError,
        r"add: arrays must have same number of dimensions, got: \(2, 3\), \(3,\)",
    ),
    (
        lambda: lax.add(V, V[:2]),
        TypeError,
        r"add got incompatible shapes for broadcasting: \(3,\), \(2,\)",
    ),
    (
        lambda: lax.exp(I),
        TypeError,
        r"exp does not accept dtype int32; the element type must be float or complex",
    ),
    (lambda: lax.lt(1j, 2j), TypeError, r"lt does not accept dtype complex64"),
    (
        lambda: lax.bitwise_and(V, V),
        TypeError,
        r"bitwise_and does not accept dtype float32; the element type must be bool",
    ),
    (lambda: lax.integer_pow(I, -1), TypeError, r"an exponent of 0 or more, got: -1"),
    (lambda: lax.select(V > 1, V, I), TypeError, r"cases must have equal element types"),
    (lambda: lax.select(V > 1, V, 0.0), TypeError, r"cases must have equal shapes"),
    (
        lambda: lax.select(X > 1, V, V),
        TypeError,
        r"which must have rank 0 or the shape of the cases",
    ),
    (lambda: lax.select_n(V, V, V), TypeError, r"which must be bool or integers, got: float32"),
    (lambda: lax.select_n(V > 1, V, V, V), TypeError, r"a bool chooses between 2 cases"),
    (lambda: lax.clamp(X, V, X), TypeError, r"min must have rank 0 or the shape of x"),
    (
        lambda: lax.complex(dnp.ones(1, "float16"), dnp.ones(1, "float16")),
        TypeError,
        r"float32 or float64",
    ),
    (lambda: lax.bitcast_convert_type(V, "complex64"), TypeError, r"got: float32 and complex64"),
    (lambda: lax.create_token(), NotImplementedError, r"use lax.optimization_barrier"),
    (lambda: lax.after_all(), NotImplementedError, r"use lax.optimization_barrier"),
    (lambda: lax.composite(lax.sin, ""), ValueError, r"name must not be empty"),
    (
        lambda: lax.platform_dependent(1.0, cuda=lax.sin),
        NotImplementedError,
        r"got: functions for cuda",
    ),
    (lambda: lax.exp(V, accuracy="high"), ValueError, r"lax.AccuracyMode or a lax.Tolerance"),
    (
        lambda: lax.scaled_dot(X, X, rhs_scale=dnp.ones((2, 2))),
        ValueError,
        r"must divide those of the operand",
    ),
    (
        lambda: lax.reshape(X, (4,)),
        TypeError,
        r"cannot reshape array of shape \(2, 3\) \(size 6\) into shape \(4,\) \(size 4\)",
    ),
    (
        lambda: lax.transpose(X, (0,)),
        TypeError,
        r"permutation isn't a permutation of operand dimensions",
    ),
    (
        lambda: lax.broadcast_in_dim(V, (2, 3), (1, 0)),
        TypeError,
        r"must have length equal to operand ndim",
    ),
    (
        lambda: lax.broadcast_in_dim(V, (2, 4), (1,)),
        TypeError,
        r"operand dimension sizes must either be 1, or be equal",
    ),
    (
        lambda: lax.broadcast_in_dim(X[:, :2], (2, 2), (1, 1)),
        TypeError,
        r"must not contain duplicates",
    ),
    (
        lambda: lax.slice(V, (0,), (4,)),
        TypeError,
        r"got: start 0, limit 4, stride 1 for dimension 0",
    ),
    (lambda: lax.slice(X, (0,), (1,)), TypeError, r"one entry per dimension of the operand \(2\)"),
    (
        lambda: lax.pad(V, 0, [(1, 1, 0)]),
        TypeError,
        r"must have the operand's type float32, got: int32",
    ),
    (lambda: lax.pad(V, V, [(1, 1, 0)]), ValueError, r"padding_value must be a scalar"),
    (lambda: lax.pad(V, 0.0, [(1, 1)]), ValueError, r"needs one \(low"),  # type: ignore[list-item]
    (
        lambda: lax.pad(V, 0.0, [(-2, -2, 0)]),
        ValueError,
        r"Dimension size after padding is not at least 0",
    ),
    (
        lambda: lax.pad(V, 0.0, [(0, 0, -1)]),
        ValueError,
        r"interior padding in padding_config must be nonnegative",
    ),
    (
        lambda: lax.concatenate([V, I], 0),
        TypeError,
        r"concatenate requires arguments to have the same dtypes, got: float32, int32",
    ),
    (
        lambda: lax.concatenate([X, X[:, :2]], 0),
        TypeError,
        r"shapes that differ in dimensions other than the one being concatenated",
    ),
    (lambda: lax.dot(X, X), ValueError, r"equal inner sizes, got: shapes \(2, 3\) and \(2, 3\)"),
    (
        lambda: lax.dot_general(X, V, (((0,), (0,)), ((), ()))),
        TypeError,
        r"requires contracting dimensions to have the same shape",
    ),
    (lambda: lax.dot(V, V, precision="best"), ValueError, r"precision must be .*, got: 'best'"),
    (
        lambda: lax.reduce_sum(X, (2,)),
        ValueError,
        r"axes: axis 2 is out of bounds for array of dimension 2",
    ),
    (lambda: lax.argmax(V[:0], 0, "int32"), ValueError, r"require non-empty reduced dimension"),
    (lambda: lax.argmax(V, 0, "float32"), TypeError, r"index_dtype must be an integer type"),
    (lambda: lax.full((2,), V), TypeError, r"fill_value must be a scalar, got: shape \(3,\)"),
    (lambda: lax.iota("bool", 2), TypeError, r"must be integer, float or complex, got: bool"),
    (lambda: lax.round(V, 7), ValueError, r"7 is not a valid RoundingMethod"),  # type: ignore[arg-type]
    (lambda: lax.squeeze(X, (0,)), ValueError, r"cannot select an axis to squeeze out"),
    (lambda: lax.split(V, (1, 1)), ValueError, r"Sum of sizes 2 must be equal to dimension 0"),
    (lambda: lax.split(V, (4, -1)), ValueError, r"Sizes passed to split must be nonnegative"),
    (
        lambda: lax.dynamic_slice(X, (np.int32(1), np.int16(1)), (1, 1)),
        TypeError,
        r"must be integers of the same type, got: int32, int16",
    ),
    (
        lambda: dt.eval_shape(lambda x: lax.top_k(x, 1), dt.ShapeDtypeStruct((2**31,), "int8")),
        ValueError,
        r"int32 indices, which will overflow",
    ),
    (
        lambda: lax.reduce([V], V[0], lax.add, (0,)),
        ValueError,
        r"must have the same tree structure as init_values",
    ),
    (lambda: lax.reduce(V, V, lax.add, (0,)), ValueError, r"non-scalar initial value"),
    (
        lambda: lax.reduce_window(V, 0.0, lax.add, (0,), (1,)),
        TypeError,
        r"window_dimensions must have every element be strictly positive",
    ),
    (
        lambda: lax.conv(dnp.ones((1, 1, 3)), dnp.ones((1, 1, 1)), (1,), (3,)),  # type: ignore[arg-type]
        ValueError,
        r"padding argument to conv_general_dilated",
    ),
    (
        lambda: lax.ragged_dot(X, dnp.ones((2, 3, 1)), np.array([1, 0, 1])),
        TypeError,
        r"expected rhs group dimension size to be 3, got 2",
    ),
    (
        lambda: lax.ragged_dot_general(
            *(dnp.ones((4, 2, 3)), dnp.ones((4, 3)), np.ones((2, 2), np.int32)),
            lax.RaggedDotDimensionNumbers((((2,), (1,)), ((0,), (0,))), (0,), ()),
        ),
        TypeError,
        r"expected group_sizes to have shape \(2,\), got \(2, 2\)",
    ),
    (lambda: lax.broadcast_shapes("ab"), TypeError, r"Shapes must be 1D sequences"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("function", "kind", "message"), ERRORS)
def test_errors(function: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        function()


def test_accumulation_type() -> None:
    x = dnp.full(3, 100, "int8")
    assert int(lax.dot(x, x, preferred_element_type="int32")) == 30000
    half = dnp.ones(2, "bfloat16")
    assert lax.dot(half, half, preferred_element_type="float32").dtype == np.float32
    narrow = dnp.ones(2, "float8_e4m3fn"), dnp.ones(2, "float8_e5m2")
    assert float(lax.dot(*narrow, preferred_element_type="float32")) == 2
    with pytest.raises(dtypes.TypePromotionError):
        lax.dot(*narrow)


@pytest.mark.parametrize("run", [lambda f: f, dt.jit], ids=["eager", "jit"])
def test_dots_promote_whatever_the_promotion_is(run: Any) -> None:
    with dt.numpy_dtype_promotion("strict"):
        result = run(lax.dot)(dnp.ones(2, "int8"), dnp.ones(2, "bfloat16"))
    assert result.dtype == np.dtype("bfloat16")
    assert float(result) == 2


def test_bits_are_strongly_typed() -> None:
    assert not lax.bitcast_convert_type(dnp.float32(1) * 1.0, "float32").weak_type
    assert not lax.bitcast_convert_type(lax.full((), 1.0), "float32").weak_type


@pytest.mark.parametrize("number", [2**32 + 3, -(2**40) - 1, 300])
@pytest.mark.parametrize("dtype", ["int32", "uint8", "int4"])
def test_integers_converted_keep_their_last_bits(number: int, dtype: str) -> None:
    bits = dtypes.iinfo(dtype).bits
    converted = int(lax.convert_element_type(number, dtype))
    assert converted % 2**bits == number % 2**bits
    assert dtypes.iinfo(dtype).min <= converted <= dtypes.iinfo(dtype).max


def test_gradients_of_integers_have_a_stopped_gradient() -> None:
    zeros = np.zeros(2, dtypes.float0)
    assert lax.stop_gradient(zeros) is zeros


@pytest.mark.parametrize("operand_is_weak", [False, True])
@pytest.mark.parametrize("initial", [0, 1, np.int32(0), np.int32(1)])
def test_reductions_are_weak_if_both_operands_are(operand_is_weak: bool, initial: Any) -> None:
    x = lax.full((3,), 2, None if operand_is_weak else "int32")
    total = lax.reduce(x, initial, lax.add, (0,))
    assert total.weak_type == (operand_is_weak and type(initial) is int)
    assert int(total) == 6 + initial


def test_bool_dot_asks_for_any() -> None:
    a, b = dnp.asarray([[True, False]]), dnp.asarray([[True], [True]])
    assert lax.dot(a, b).tolist() == [[True]]


def test_no_op_changes_nothing() -> None:
    assert lax.reshape(X, (2, 3)) is X
    assert lax.transpose(X, (0, 1)) is X
    assert lax.convert_element_type(X, "float32") is X
    assert lax.pad(X, 0.0, [(0, 0, 0)] * 2) is X
    assert lax.concatenate([X], 0) is X
    assert lax.reduce_sum(X, ()) is X


def test_pad_of_nothing() -> None:
    """Compiled too: the code generator loses the size of a filled array that is summed."""

    def total(x: Any) -> Any:
        return lax.reduce_sum(lax.pad(x, np.float32(0.5), [(1, 1, 0), (0, 2, 0)]), (0, 1))

    x = np.zeros((0, 2), np.float32)
    assert total(x) == dt.jit(total).lower(x).compile()(x) == 4


def test_algorithms_of_dots_determine_the_type_of_sums() -> None:
    x = dnp.asarray([2.0**12, 1, -(2.0**12)], "float16")
    y = dnp.asarray([2.0**12, 1, 2.0**12], "float32")
    with dt.enable_x64(True):
        exact = lax.dot(x.astype("float32"), y * 4097, precision="F64_F64_F64")
    assert exact == 4097
    assert exact.dtype == np.float32
    half = lax.dot(x, x, precision=lax.DotAlgorithmPreset.F16_F16_F32)
    assert half.dtype == np.float16
    with pytest.raises(ValueError, match="a lax"):
        lax.dot(x, x, precision="F16")


def test_scaled_dot() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 3, 8)), rng.normal(size=(2, 8, 5))
    a, b = rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 4, 1))
    expected = (x * a.repeat(4, 2)) @ (y * b.repeat(2, 1))
    actual = lax.scaled_dot(
        *(v.astype("float32") for v in (x, y)),
        lhs_scale=a.astype("float32"),
        rhs_scale=b.astype("float32"),
        preferred_element_type=np.float32,
    )
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
    assert lax.scaled_dot(x, y).dtype.name == "bfloat16"


def test_one_branch_of_a_platform() -> None:
    branches = {"cpu": lax.sin, "cuda": lax.cos}
    assert lax.platform_dependent(1.0, **branches) == lax.sin(1.0)
    assert dt.jit(lambda x: lax.platform_dependent(x, default=lax.exp))(0.0) == 1
    assert lax.composite(lax.add, "sum", version=2)(1, 2) == 3


def test_convolution_takes_a_sharding_of_its_result() -> None:
    x, kernel = np.ones((1, 1, 4), np.float32), np.ones((1, 1, 2), np.float32)
    result = lax.conv_general_dilated(x, kernel, (1,), "VALID", out_sharding=None)
    np.testing.assert_array_equal(result, np.full((1, 1, 3), 2))
    with pytest.raises(TypeError, match="`out_sharding` argument of `conv_general_dilated`"):
        lax.conv_general_dilated(x, kernel, (1,), "VALID", out_sharding="x")


@pytest.mark.parametrize("allowed", [True, False, (True, False)])
@pytest.mark.parametrize("start", [(-1, -2), (1, -3), (2, 1)])
def test_negative_indices_of_dynamic_slices(allowed: Any, start: tuple[int, int]) -> None:
    x = dnp.arange(20.0).reshape(4, 5)
    kept = (allowed, allowed) if isinstance(allowed, bool) else allowed
    whole = [i + n if i < 0 and k else i for i, n, k in zip(start, x.shape, kept, strict=True)]
    i, j = np.clip(whole, 0, (2, 3))
    expected = np.asarray(x).copy()
    expected[i : i + 2, j : j + 2] = 0
    for given in (dnp.array(start), [dnp.array(each) for each in start]):
        got = lax.dynamic_slice(x, given, (2, 2), allow_negative_indices=allowed)
        np.testing.assert_array_equal(got, x[i : i + 2, j : j + 2])
        zeros = dnp.zeros((2, 2))
        got = lax.dynamic_update_slice(x, zeros, given, allow_negative_indices=allowed)
        np.testing.assert_array_equal(got, expected)
    if isinstance(allowed, bool):
        row = lax.dynamic_index_in_dim(x, dnp.array(-1), 0, False, allow_negative_indices=allowed)
        np.testing.assert_array_equal(row, x[-1 if allowed else 0])
        new = lax.dynamic_update_index_in_dim(
            x, row * 0, dnp.array(-1), 0, allow_negative_indices=allowed
        )
        assert not new[-1 if allowed else 0].any()


def test_negative_indices_that_are_refused() -> None:
    x = dnp.zeros((4, 5))
    with pytest.raises(ValueError, match="Index -1 is out of bounds for dimension 5"):
        lax.dynamic_slice(x, (0, -1), (1, 1), allow_negative_indices=False)
    with pytest.raises(ValueError, match="Length of allow_negative_indices"):
        lax.dynamic_slice(x, (0, 1), (1, 1), allow_negative_indices=[True])


def test_reduce_axes_must_be_empty() -> None:
    for transform in (
        lambda axes: dt.grad(dnp.sin, reduce_axes=axes)(1.0),
        lambda axes: dt.value_and_grad(dnp.sin, reduce_axes=axes)(1.0),
        lambda axes: dt.vjp(dnp.sin, 1.0, reduce_axes=axes),
        lambda axes: dt.linear_transpose(lambda x: 2 * x, 1.0, reduce_axes=axes),
    ):
        transform(())
        with pytest.raises(NotImplementedError, match=r"reduce_axes argument to .* is deprecated"):
            transform(("i",))
