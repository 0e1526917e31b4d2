"""The reference evaluator: its functions where they differ from NumPy's, and programs."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
import weakref
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from dovetail import dtypes
from dovetail._core import Instruction
from dovetail.reference import FUNCTIONS, evaluate

INF, NAN = np.inf, np.nan


def apply(name: str, *operands: Any, dtype: Any = None, **attributes: Any) -> np.ndarray:
    return FUNCTIONS[name](*(np.array(x, dtype) for x in operands), **attributes)


def check(actual: np.ndarray, expected: Any, dtype: Any) -> None:
    """Same type, same values, same signs of zeros."""
    wanted = np.array(expected, dtype)
    assert type(actual) is np.ndarray
    assert actual.dtype == wanted.dtype
    assert actual.shape == wanted.shape
    assert_array_equal(actual.astype(np.float64), wanted.astype(np.float64))
    if dtypes.kind(actual.dtype) == "f":
        zero = wanted == 0
        assert_array_equal(np.signbit(actual[zero]), np.signbit(wanted[zero]))


SIGNED = ["int4", "int8", "int16", "int32", "int64"]
UNSIGNED = ["uint4", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float8_e5m2", "bfloat16", "float16", "float32", "float64"]


def limits(dtype: str) -> tuple[int, int]:
    info = ml_dtypes.iinfo(dtypes.as_dtype(dtype))
    return int(info.min), int(info.max)


# Integers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", SIGNED)
def test_signed_division(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    least, greatest = limits(dtype)
    x, y = [7, -7, 7, -7, 5, 0, least, least], [2, 2, -2, -2, 0, 0, -1, 2]
    check(apply("div", x, y, dtype=t), [3, -3, -3, 3, -1, -1, least, least // 2], t)
    check(apply("rem", x, y, dtype=t), [1, -1, 1, -1, 5, 0, 0, 0], t)
    check(apply("neg", [least, 3], dtype=t), [least, -3], t)
    check(apply("abs", [least, -3], dtype=t), [least, 3], t)
    check(apply("sign", [least, 0, greatest], dtype=t), [-1, 0, 1], t)


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_unsigned_division(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    greatest = limits(dtype)[1]
    check(apply("div", [7, 7, greatest], [2, 0, 1], dtype=t), [3, greatest, greatest], t)
    check(apply("rem", [7, 7], [2, 0], dtype=t), [1, 7], t)
    check(apply("neg", [1, 0], dtype=t), [greatest, 0], t)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_integer_arithmetic_wraps(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    least, greatest = limits(dtype)
    size = greatest - least + 1

    def wrapped(value: int) -> int:
        return (value - least) % size + least

    for name, exact in {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}.items():
        x, y = [greatest, least, 3], [greatest, 1, 5]
        expected = [wrapped(exact(a, b)) for a, b in zip(x, y, strict=True)]
        check(apply(name, x, y, dtype=t), expected, t)
    check(apply("pow", [3, 2, 0], [5, 3, 0], dtype=t), [wrapped(3**5), wrapped(8), 1], t)
    for exponent in (0, 1, 5, 300):
        expected = [wrapped(3**exponent), int(exponent == 0)]
        check(apply("integer_pow", [3, 0], dtype=t, exponent=exponent), expected, t)


@pytest.mark.parametrize("dtype", SIGNED)
def test_negative_powers_of_integers(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    x = [1, -1, -1, 2, 0, -3]
    check(apply("pow", x, [-3, -3, -2, -1, -1, -2], dtype=t), [1, -1, 1, 0, 0, 0], t)
    check(apply("integer_pow", x, dtype=t, exponent=-3), [1, -1, -1, 0, 0, 0], t)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_shifts_are_total(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    width = ml_dtypes.iinfo(t).bits
    least, greatest = limits(dtype)
    values = [greatest, least, 1, 5]
    amounts = [0, 1, width - 1] + ([width, width + 1] if width > 4 else [])
    if least:
        amounts.append(-1)
    for x, n in itertools.product(values, amounts):
        bits = x % 2**width
        past = not 0 <= n < width
        signed = bits - 2**width if bits >= 2 ** (width - 1) else bits

        def value(bits: int) -> int:
            bits %= 2**width
            return bits - 2**width if least and bits >= 2 ** (width - 1) else bits

        check(apply("shift_left", x, n, dtype=t), value(0 if past else bits << n), t)
        check(apply("shift_right_logical", x, n, dtype=t), value(0 if past else bits >> n), t)
        arithmetic = signed >> (width if past else n)
        check(apply("shift_right_arithmetic", x, n, dtype=t), value(arithmetic), t)


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_counts_of_bits(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    width = ml_dtypes.iinfo(t).bits
    least, greatest = limits(dtype)
    for x in {0, 1, 5, greatest, greatest - 1, greatest // 2, least, -1 if least else 0}:
        bits = x % 2**width
        check(apply("population_count", x, dtype=t), bits.bit_count(), t)
        check(apply("count_leading_zeros", x, dtype=t), width - bits.bit_length(), t)
        check(apply("not", x, dtype=t), ~x if least else ~x % 2**width, t)


# Floats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_maximum_of_zeros_and_nan(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    x, y = [-0.0, 0.0, -0.0, NAN, 1.0, 2.0], [0.0, -0.0, -0.0, 1.0, NAN, -3.0]
    check(apply("max", x, y, dtype=t), [0.0, 0.0, -0.0, NAN, NAN, 2.0], t)
    check(apply("min", x, y, dtype=t), [-0.0, -0.0, -0.0, NAN, NAN, -3.0], t)
    for order in itertools.permutations([-0.0, 0.0, -0.0, -5.0]):
        check(apply("reduce_max", order, dtype=t, dims=(0,)), 0.0, t)
        check(apply("reduce_min", np.negative(order), dtype=t, dims=(0,)), -0.0, t)
    check(apply("reduce_max", [[-0.0, -1.0], [1.0, NAN]], dtype=t, dims=(1,)), [-0.0, NAN], t)
    check(apply("clamp", [0.0] * 3, [-0.0, NAN, 3.0], [1.0] * 3, dtype=t), [0.0, NAN, 1.0], t)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sign_and_rounding(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    x = [-0.0, 0.0, -2.5, 2.5, 0.5, -0.5, 1.5, 0.25, -INF, NAN]
    check(apply("sign", x, dtype=t), [-0.0, 0.0, -1, 1, 1, -1, 1, 1, -1, NAN], t)
    check(apply("round_even", x, dtype=t), [-0.0, 0.0, -2, 2, 0.0, -0.0, 2, 0.0, -INF, NAN], t)
    check(apply("round_away", x, dtype=t), [-0.0, 0.0, -3, 3, 1, -1, 2, 0.0, -INF, NAN], t)


def test_round_away_just_below_half() -> None:
    for t in (np.float32, np.float64):
        below = np.nextafter(t(0.5), t(0))
        check(apply("round_away", [below, -below], dtype=t), [0.0, -0.0], t)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_functions_of_small_floats(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    x = np.arange(256, dtype=np.uint8).view(t)
    wide = x.astype(np.float32)
    for name, oracle in {
        "exp": np.exp,
        "tanh": np.tanh,
        "sqrt": np.sqrt,
        "neg": np.negative,
    }.items():
        with np.errstate(all="ignore"):
            expected = oracle(wide.astype(np.float64)).astype(np.float32).astype(t)
        assert_array_equal(FUNCTIONS[name](x).view(np.uint8), expected.view(np.uint8))
    with np.errstate(all="ignore"):
        kept = np.where((wide == 0) | np.isnan(wide), wide, np.copysign(1, wide))
    assert_array_equal(FUNCTIONS["sign"](x).astype(np.float32), kept)


def test_sign_of_complex() -> None:
    for t in (np.complex64, np.complex128):
        actual = apply("sign", [0, 3 + 4j, -2], dtype=t)
        np.testing.assert_allclose(actual, np.array([0, 0.6 + 0.8j, -1], t), rtol=1e-6)
        assert actual.dtype == t


def test_complex_keeps_infinite_parts() -> None:
    actual = apply("complex", [1.0, -0.0], [INF, NAN], dtype=np.float32)
    assert_array_equal(np.real(actual), [1.0, -0.0])
    assert_array_equal(np.imag(actual), [INF, NAN])
    assert actual.dtype == np.complex64


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("erfc", [0.3, 1.5, 5.0, 12.0, 20.123456789, 26.1, -2.0]),
        ("erf", [1e-10, 0.3, 1.5, -3.0]),
        ("log1p", [1e-12, -0.5, 3.0]),
        ("expm1", [1e-12, -0.5, 3.0]),
        ("rsqrt", [3.0, 1e-300, 7e200]),
    ],
)
def test_accuracy_in_float64(name: str, at: list[float]) -> None:
    exact = {"rsqrt": lambda x: 1 / mpmath.sqrt(x)}.get(name, getattr(mpmath, name, None))
    assert exact is not None
    with mpmath.workdps(40):
        expected = np.array([float(exact(mpmath.mpf(x))) for x in at])
    np.testing.assert_allclose(apply(name, at), expected, rtol=8e-16)


@pytest.mark.parametrize("name", ["log1p", "expm1", "logistic", "exp2", "rsqrt"])
def test_accuracy_of_complex(name: str) -> None:
    exact: dict[str, Any] = {
        "log1p": lambda z: mpmath.log(1 + z),
        "expm1": lambda z: mpmath.exp(z) - 1,
        "logistic": lambda z: 1 / (1 + mpmath.exp(-z)),
        "exp2": lambda z: mpmath.power(2, z),
        "rsqrt": lambda z: 1 / mpmath.sqrt(z),
    }
    at = [1e-9 + 1e-9j, 0.3 - 2j, -1.2 + 0.1j, -700 + 1j, 30 - 1j]
    with mpmath.workdps(40):
        expected = np.array([complex(exact[name](mpmath.mpc(z))) for z in at])
    actual = apply(name, at, dtype=np.complex128)
    assert (np.abs(actual - expected) <= 1e-14 * np.abs(expected)).all()


def test_logistic_far_out() -> None:
    check(apply("logistic", [-INF, INF, NAN, 800.0]), [0.0, 1.0, NAN, 1.0], np.float64)
    assert apply("logistic", -740.0) > 0


# Conversions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", SIGNED + UNSIGNED)
def test_float_to_integer_saturates(source: str, target: str) -> None:
    s, t = dtypes.as_dtype(source), dtypes.as_dtype(target)
    least, greatest = limits(target)
    x = [INF, -INF, NAN, 3.7, -0.7, 0.0]
    check(_to(x, s, t), [greatest, least, 0, 3, 0, 0], t)
    if source == "float64":
        edges = [2.0**63, -(2.0**63), 2.0**64, 1e300, float(2**31), -(2.0**31) - 1]
        expected = [min(max(int(e), least), greatest) for e in edges]
        check(_to(edges, s, t), expected, t)


def _to(x: Any, source: Any, target: Any) -> np.ndarray:
    return FUNCTIONS["convert"](np.array(x, source), dtype=np.dtype(target))


def test_conversions() -> None:
    check(_to([300, -1], np.int32, np.uint8), [44, 255], np.uint8)
    check(_to([200, 130], np.uint8, np.int8), [-56, -126], np.int8)
    check(_to([17, -9, 1000], np.int32, ml_dtypes.int4), [1, 7, -8], ml_dtypes.int4)
    check(_to([0.0, -0.0, NAN, 0.1], np.float32, bool), [False, False, True, True], bool)
    check(_to([0, 1j, 2], np.complex64, bool), [False, True, True], bool)
    check(_to([1.5 + 2j, -INF + 1j], np.complex64, np.int8), [1, -128], np.int8)
    check(_to([1.5 + 2j], np.complex128, np.float32), [1.5], np.float32)
    check(_to([True, False], bool, ml_dtypes.bfloat16), [1, 0], ml_dtypes.bfloat16)
    check(np.real(_to([3.0], ml_dtypes.bfloat16, np.complex64)), [3], np.float32)
    x = np.array([1.0, -2.0], np.float32)
    assert_array_equal(FUNCTIONS["bitcast"](x, dtype=np.dtype("uint32")), x.view(np.uint32))


def test_narrow_floats_are_rounded_from_float32() -> None:
    # Just above a tie, which the float32 in between cannot represent.
    for target, bits in (("bfloat16", 8), ("float16", 11), ("float8_e5m2", 3)):
        t = dtypes.as_dtype(target)
        check(_to([1 + 2.0**-bits + 2.0**-40], np.float64, t), [1.0], t)


# Shapes ---------------------------------------------------------------------------------------


@given(
    n=st.integers(0, 5),
    size=st.integers(0, 9),
    low=st.integers(-7, 7),
    interior=st.integers(0, 3),
)
def test_pad(n: int, size: int, low: int, interior: int) -> None:
    x = np.arange(1.0, n + 1)
    expected = np.full(size, -1.0)
    for i in range(n):
        if 0 <= low + i * (interior + 1) < size:
            expected[low + i * (interior + 1)] = x[i]
    actual = FUNCTIONS["pad"](x, np.array(-1.0), shape=(size,), low=(low,), interior=(interior,))
    check(actual, expected, np.float64)
    rows = FUNCTIONS["pad"](
        np.stack([x, x]), np.array(-1.0), shape=(2, size), low=(0, low), interior=(0, interior)
    )
    check(rows, [expected, expected], np.float64)


@given(
    start=st.integers(0, 5), stride=st.integers(1, 4), n=st.integers(0, 4), rest=st.integers(0, 3)
)
def test_slice(start: int, stride: int, n: int, rest: int) -> None:
    x = np.arange(start + max(0, (n - 1) * stride + 1) + rest)
    actual = FUNCTIONS["slice"](x, shape=(n,), starts=(start,), strides=(stride,))
    check(actual, [start + i * stride for i in range(n)], np.int64)


def test_ops_of_rank_zero() -> None:
    x = np.array(2.0, np.float32)
    for actual in (
        FUNCTIONS["slice"](x, shape=(), starts=(), strides=()),
        FUNCTIONS["pad"](x, x, shape=(), low=(), interior=()),
        FUNCTIONS["reverse"](x, dims=()),
        FUNCTIONS["transpose"](x, permutation=()),
        FUNCTIONS["broadcast"](x, shape=(), dims=()),
        FUNCTIONS["reduce_sum"](x, dims=()),
        FUNCTIONS["reduce_max"](x, dims=()),
        FUNCTIONS["select"](np.array(True), x, x),
        FUNCTIONS["max"](x, x),
        FUNCTIONS["abs"](-x),
    ):
        check(actual, 2.0, np.float32)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, ml_dtypes.bfloat16, np.complex64])
def test_broadcast_is_a_view(dtype: Any) -> None:
    x = np.arange(6).reshape(2, 3).astype(dtype)
    for operand in (x, x.T.copy().T, x[:, ::-1]):
        result = FUNCTIONS["broadcast"](operand, shape=(2, 4, 3), dims=(0, 2))
        assert_array_equal(result, np.broadcast_to(operand[:, None, :], (2, 4, 3)))
        assert np.shares_memory(result, operand)
    assert FUNCTIONS["broadcast"](x[:0], shape=(0, 3, 2), dims=(0, 1)).shape == (0, 3, 2)


def test_sizes_fill_dynamic_shapes() -> None:
    two, three = np.array(2), np.array(3)
    assert FUNCTIONS["iota"](three, shape=(-1, 2), dtype=np.dtype("f"), dimension=0).shape == (3, 2)
    x = np.arange(6)
    assert FUNCTIONS["reshape"](x, two, three, shape=(-1, -1)).shape == (2, 3)
    assert FUNCTIONS["broadcast"](x, two, shape=(-1, 6), dims=(1,)).shape == (2, 6)
    assert FUNCTIONS["slice"](x, two, shape=(-1,), starts=(1,), strides=(2,)).tolist() == [1, 3]
    padded = FUNCTIONS["pad"](x[:1], np.array(9), three, shape=(-1,), low=(1,), interior=(0,))
    assert padded.tolist() == [9, 0, 9]
    assert FUNCTIONS["dim"](x.reshape(2, 3), dimension=1) == 3


# Reductions and contractions ------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_sums_accumulate_in_float32(dtype: str) -> None:
    t = dtypes.as_dtype(dtype)
    check(apply("reduce_sum", np.ones((5000, 2)), dtype=t, dims=(0,)), np.full(2, 5000.0), t)


def test_reductions_of_nothing() -> None:
    for dtype in ("int4", "int8", "uint16", "bool", "float8_e4m3fn", "float8_e5m2", "float32"):
        t = dtypes.as_dtype(dtype)
        empty = np.zeros((0, 2), t)
        kind = dtypes.kind(t)
        if kind == "f":
            edge = 448.0 if dtype == "float8_e4m3fn" else INF
            least, greatest = -edge, edge
        else:
            least, greatest = (False, True) if kind == "b" else limits(dtype)
            ones = True if kind == "b" else (-1 if kind == "i" else greatest)
            check(FUNCTIONS["reduce_and"](empty, dims=(0,)), [ones, ones], t)
            check(FUNCTIONS["reduce_or"](empty, dims=(0,)), [0, 0], t)
            check(FUNCTIONS["reduce_xor"](empty, dims=(0,)), [0, 0], t)
        check(FUNCTIONS["reduce_max"](empty, dims=(0,)), [least, least], t)
        check(FUNCTIONS["reduce_min"](empty, dims=(0,)), [greatest, greatest], t)
        check(FUNCTIONS["argmax"](empty, dimension=0, dtype=np.dtype("int32")), [0, 0], np.int32)
        if kind != "b":
            check(FUNCTIONS["reduce_sum"](empty, dims=(0,)), [0, 0], t)
            check(FUNCTIONS["reduce_prod"](empty, dims=(0,)), [1, 1], t)


@pytest.mark.parametrize("dtype", FLOATS)
def test_arg_extremes_find_the_first_nan(dtype: str) -> None:
    x = np.array([[1, NAN, 3, NAN], [2, 5, 5, 1], [1, 1, 7, -0.0]], dtypes.as_dtype(dtype))
    index = np.dtype("int32")
    check(FUNCTIONS["argmax"](x, dimension=1, dtype=index), [1, 1, 2], index)
    check(FUNCTIONS["argmin"](x, dimension=1, dtype=index), [1, 3, 3], index)


@st.composite
def contractions(draw: st.DrawFn) -> tuple[list[list[int]], dict[str, tuple[int, ...]]]:
    """Operand shapes and attributes of a contraction with any order of dimensions."""
    sizes = st.lists(st.integers(0, 3), max_size=2)
    batch, contract, lhs_free, rhs_free = draw(sizes), draw(sizes), draw(sizes), draw(sizes)
    shapes, attributes = [], {}
    for side, free in (("lhs", lhs_free), ("rhs", rhs_free)):
        dims = batch + contract + free
        order = draw(st.permutations(range(len(dims))))
        shapes.append([dims[i] for i in order])
        where = [order.index(i) for i in range(len(dims))]
        attributes[f"{side}_batch"] = tuple(where[: len(batch)])
        attributes[f"{side}_contract"] = tuple(where[len(batch) : len(batch) + len(contract)])
    return shapes, attributes


@given(contractions(), st.sampled_from(["int8", "float32", "complex64"]))
def test_dot_general(case: tuple[list[list[int]], dict[str, tuple[int, ...]]], dtype: str) -> None:
    shapes, attributes = case
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-4, 5, shape).astype(dtype) for shape in shapes)
    letters = iter("abcdefghijklmnop")
    labels: list[list[str]] = [[""] * x.ndim, [""] * y.ndim]
    batch = []
    for kind in ("batch", "contract"):
        pairs = zip(attributes[f"lhs_{kind}"], attributes[f"rhs_{kind}"], strict=True)
        for i, j in pairs:
            labels[0][i] = labels[1][j] = next(letters)
            if kind == "batch":
                batch.append(labels[0][i])
    free = []
    for side in labels:
        for i, label in enumerate(side):
            if not label:
                side[i] = next(letters)
                free.append(side[i])
    formula = f"{''.join(labels[0])},{''.join(labels[1])}->{''.join(batch + free)}"
    expected = np.asarray(np.einsum(formula, x, y)).astype(dtype)
    actual = FUNCTIONS["dot_general"](x, y, **attributes)
    assert actual.dtype == expected.dtype
    assert_array_equal(actual, expected)


def test_dot_general_in_another_type() -> None:
    rng = np.random.default_rng(0)
    matrix: dict[str, Any] = {"lhs_contract": (1,), "rhs_contract": (0,)}
    matrix |= {"lhs_batch": (), "rhs_batch": ()}
    for size in (3, 40):
        x, y = (rng.integers(-128, 128, (size, size)).astype(np.int8) for _ in "xy")
        wide = x.astype(np.int64) @ y.astype(np.int64)
        int32, float32 = np.dtype("int32"), np.dtype("float32")
        check(FUNCTIONS["dot_general"](x, y, **matrix, element=int32), wide, np.int32)
        check(FUNCTIONS["dot_general"](x, y, **matrix), wide.astype(np.int8), np.int8)
        check(FUNCTIONS["dot_general"](x, y, **matrix, element=float32), wide, np.float32)
        u, v = x.view(np.uint8), y.view(np.uint8)
        mixed = u.astype(np.int64) @ y.astype(np.int64)
        check(FUNCTIONS["dot_general"](u, y, **matrix, element=int32), mixed, np.int32)
        check(FUNCTIONS["dot_general"](u, v, **matrix), (u.astype(int) @ v).astype(np.uint8), "B")
        large = rng.integers(-(2**31), 2**31, (2, size, size)).astype(np.int32)
        check(FUNCTIONS["dot_general"](*large, **matrix), large[0] @ large[1], np.int32)
    half = np.full((1, 4096), 1 / 64, np.float16)
    one = FUNCTIONS["dot_general"](half, half.T.copy(), **matrix)
    check(one, [[1.0]], np.float16)


# Programs -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Straight:
    """A hand-written program."""

    inputs: list[int]
    input_types: list[tuple[tuple[int, ...], str]]
    instructions: list[Instruction]
    outputs: list[int]
    size: int


def instruction(
    op: str,
    operands: tuple[int, ...],
    results: tuple[int, ...],
    attributes: dict[str, Any],
    shape: tuple[int, ...],
    element: str,
) -> Instruction:
    return Instruction(op, operands, results, attributes, (shape,), (element,), ("", 0, ""))


def test_evaluate() -> None:
    program = Straight(
        inputs=[0, 1],
        input_types=[((2,), "float32")] * 2,
        instructions=[
            instruction("add", (0, 1), (2,), {}, (2,), "float32"),
            instruction("broadcast", (2,), (3,), {"dims": (1,)}, (3, 2), "float32"),
            instruction("convert", (3,), (4,), {}, (3, 2), "int8"),
            instruction("reduce_sum", (4,), (5,), {"dims": (0, 1)}, (), "int8"),
            instruction("constant", (), (6,), {"value": (b"\7", "int8", (2,), True)}, (2,), "int8"),
            instruction(
                "constant", (), (7,), {"value": (b"\7\2", "int8", (2,), False)}, (2,), "int8"
            ),
            instruction("sub", (6, 7), (8,), {}, (2,), "int8"),
        ],
        outputs=[5, 0, 8, 5],
        size=9,
    )
    x = np.array([1.5, 2.5], np.float32)
    total, same, constant, again = evaluate(program, [x, x])
    assert total == 24
    assert again is total
    assert total.dtype == np.int8
    assert isinstance(total, np.ndarray)
    assert same is x
    assert constant.tolist() == [0, 5]


def test_evaluate_frees_values_after_their_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    from dovetail.reference import table

    alive: list[weakref.ref[np.ndarray]] = []
    counts: list[int] = []

    def observed(x: np.ndarray) -> np.ndarray:
        counts.append(sum(r() is not None for r in alive))
        result = np.negative(x)
        alive.append(weakref.ref(result))
        return result

    monkeypatch.setitem(table.RAW, "neg", observed)
    chain = [instruction("neg", (i,), (i + 1,), {}, (4,), "float32") for i in range(5)]
    unused = instruction("neg", (0,), (6,), {}, (4,), "float32")
    program = Straight([0], [((4,), "float32")], [unused, *chain], [5], 7)
    evaluate(program, [np.ones(4, np.float32)])
    assert max(counts) == 1


def test_functions_do_not_warn_and_leave_the_settings() -> None:
    before = np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        apply("div", [1.0, 0.0], [0.0, 0.0])
        apply("exp", [1e5], dtype=np.float32)
        apply("log", [-1.0])
        _to([1e300], np.float64, np.float32)
        _to([NAN, 1e300], np.float64, np.int8)
    assert np.geterr() == before


def test_the_least_of_floats_without_a_sign() -> None:
    x = [[0.5, 2, 4], [8, 0.25, 1]]
    for name, expected in (("reduce_min", [0.5, 0.25, 1]), ("reduce_max", [8, 2, 4])):
        result = apply(name, x, dtype=ml_dtypes.float8_e8m0fnu, dims=(0,))
        assert_array_equal(result.astype(np.float32), expected)
