"""Pointwise ops, which accept operands of any shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import mpmath
import numpy as np

from dovetail import dtypes, ops
from support.op_row import (
    ANALYTIC,
    BOOL,
    COMPLEX,
    ELEMENT,
    FLOAT,
    INT,
    NUMBER,
    ORDERED,
    SIGNED,
    WIDE,
    Array,
    Case,
    Row,
    rounded,
    widened,
)
from support.op_samplers import Listed, Sampler, around, between, spaced

ROWS: list[Row] = []


def row(name: str, types: tuple[np.dtype, ...], *samples: Sampler, **rest: Any) -> None:
    """Adds a row."""
    ROWS.append(Row(name, types, samples, **rest))


# Elementary functions -------------------------------------------------------------------------


def _of_mpmath(function: Callable[..., Any]) -> Callable[..., Array]:
    """A function of mpmath on arrays."""

    def apply(x: Array) -> Array:
        with mpmath.workdps(30):
            # Where mpmath overflows, the result has long been decided.
            bounded = [v if np.isinf(v) else np.clip(v, -1e6, 1e6) for v in x.flat]
            values = [float(function(mpmath.mpf(float(v)))) for v in bounded]
        return np.array(values, np.longdouble).reshape(x.shape)

    return apply


def _erf(x: Array) -> Array:
    # Zeros in mpmath have no sign.
    return np.where(x == 0, x, _of_mpmath(mpmath.erf)(x))


def _integer_power(x: int, exponent: int) -> int:
    if exponent >= 0:
        # Results wrap anyway.
        return pow(x, exponent, 2**64)
    return {1: 1, -1: -1 if exponent % 2 else 1}.get(x, 0)


row("exp", ANALYTIC, between(-3, 3), oracle=np.exp, ulps=4)
row("exp2", ANALYTIC, between(-3, 3), oracle=lambda x: np.power(np.longdouble(2), x), ulps=4)
row("expm1", ANALYTIC, around(0.1, 3), oracle=np.expm1, ulps=4)
row("log", ANALYTIC, between(0.2, 3), oracle=np.log, ulps=4)
row("log1p", ANALYTIC, between(-0.6, 3), oracle=np.log1p, ulps=4)
row("sqrt", ANALYTIC, between(0.2, 4), oracle=np.sqrt, ulps=0.5)
row("rsqrt", ANALYTIC, between(0.2, 4), oracle=lambda x: 1 / np.sqrt(x), ulps=4)
row("cbrt", FLOAT, around(0.2, 4), oracle=np.cbrt, ulps=4)
row("sin", ANALYTIC, between(-3, 3), oracle=np.sin, ulps=4)
row("cos", ANALYTIC, between(-3, 3), oracle=np.cos, ulps=4)
row("tan", ANALYTIC, around(0.1, 1.2), oracle=np.tan, ulps=4)
row("asin", ANALYTIC, around(0.1, 0.9), oracle=np.arcsin, ulps=4)
row("acos", ANALYTIC, around(0.1, 0.9), oracle=np.arccos, ulps=4)
row("atan", ANALYTIC, around(0.1, 3), oracle=np.arctan, ulps=4)
row("sinh", ANALYTIC, around(0.1, 2), oracle=np.sinh, ulps=4)
row("cosh", ANALYTIC, around(0.1, 2), oracle=np.cosh, ulps=4)
row("tanh", ANALYTIC, around(0.1, 2), oracle=np.tanh, ulps=4)
row("asinh", ANALYTIC, around(0.1, 3), oracle=np.arcsinh, ulps=4)
row("acosh", ANALYTIC, between(1.2, 4), oracle=np.arccosh, ulps=4)
row("atanh", ANALYTIC, around(0.1, 0.9), oracle=np.arctanh, ulps=4)
row("logistic", ANALYTIC, between(-3, 3), oracle=lambda x: 1 / (1 + np.exp(-x)), ulps=4)
row("erf", FLOAT, between(-2.5, 2.5), oracle=_erf, ulps=4)
row("erfc", FLOAT, between(-2.5, 2.5), oracle=_of_mpmath(mpmath.erfc), ulps=4)
row("atan2", FLOAT, around(0.2, 3), around(0.2, 3), oracle=np.arctan2, ulps=4)
row("hypot", FLOAT, around(0.2, 2), around(0.2, 2), oracle=np.hypot, ulps=4)
row("logaddexp", FLOAT, between(0, 3), between(0, 3), oracle=np.logaddexp, ulps=4)
row(
    "logaddexp2",
    FLOAT,
    between(0, 3),
    between(0, 3),
    oracle=np.logaddexp2,
    ulps=4,
    eager_ulps=4,
)
row(
    "pow",
    NUMBER,
    between(0.3, 2.5),
    between(-2, 2),
    oracle=np.power,
    of_integers=_integer_power,
    ulps=4,
)
row(
    "integer_pow",
    NUMBER,
    around(0.4, 1.8),
    oracle=lambda x, exponent: np.power(x, exponent),
    of_integers=_integer_power,
    cases=(
        *(Case({"exponent": n}) for n in (-3, -1, 0, 1, 2, 5)),
        *(Case({"exponent": n}, types=INT + FLOAT) for n in (-7, 20)),
    ),
    ulps=4,
)


def _with_fewer_bits(x: Array, exponent_bits: int, mantissa_bits: int) -> Array:
    """By the definition: a multiple of the last place kept, unless that place is lost."""
    fraction, exponent = np.frexp(x)
    kept = np.rint(np.ldexp(fraction, mantissa_bits + 1))
    result = np.ldexp(kept, exponent - mantissa_bits - 1)
    bias = 2 ** (exponent_bits - 1) - 1
    size = np.abs(result)
    result = np.where(size < 2.0 ** (1 - bias), np.copysign(0, x), result)
    return np.where(size >= 2.0 ** (bias + 1), np.copysign(np.inf, x), result)


row(
    "reduce_precision",
    WIDE,
    between(-3, 3),
    oracle=_with_fewer_bits,
    # With as many bits as the type has, subnormal numbers are unchanged.
    cases=tuple(
        Case({"exponent_bits": e, "mantissa_bits": m}, types=types)
        for e, m, types in (
            (8, 23, (dtypes.float64,)),
            (5, 10, WIDE),
            (2, 3, WIDE),
            (7, 0, WIDE),
            (1, 2, WIDE),
            (3, 30, WIDE),
        )
    ),
    no_derivative="it steps",
)

# Arithmetic -----------------------------------------------------------------------------------


def _real_type(dtype: np.dtype, _: Any) -> np.dtype:
    return dtypes.to_real_dtype(dtype)


def _sign(x: Array) -> Array:
    if x.dtype.kind == "c":
        size = np.abs(x)
        return np.where(size == 0, x, x / size)
    return np.where((x == 0) | np.isnan(x), x, np.where(x < 0, -1, 1))


def _integer_div(x: int, y: int) -> int:
    if y == 0:
        return -1
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _floor_div(x: Array, y: Array) -> Array:
    x_wide, y_wide = widened(x), widened(y)
    if x_wide.dtype != object:
        rest = np.fmod(x_wide, y_wide)
        truncated = np.rint((x_wide - rest) / y_wide)
        below = (rest != 0) & (np.signbit(rest) != np.signbit(y_wide))
        quotient = np.where(below, truncated - 1, truncated)
        return rounded(np.where(y_wide == 0, x_wide / y_wide, quotient), x.dtype)
    unsigned = dtypes.kind(x.dtype) == "u"

    def one(a: int, b: int) -> int:
        return a // b if b else -1 if unsigned or a == 0 else -2

    return rounded(np.asarray(np.frompyfunc(one, 2, 1)(x_wide, y_wide)), x.dtype)


def _extreme(greatest: bool) -> Callable[[Array, Array], Array]:
    """The larger or smaller of two, where 0 is greater than -0."""

    def apply(x: Array, y: Array) -> Array:
        if x.dtype.kind != "f":
            return np.where((x > y) == greatest, x, y)
        first = (x > y) | ((x == y) & np.signbit(y))
        return np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(first == greatest, x, y))

    return apply


def _clamp(lo: Array, x: Array, hi: Array) -> Array:
    return _extreme(False)(_extreme(True)(lo, x), hi)


def _round_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole)


def _nextafter(x: Array, y: Array) -> Array:
    """By the order of all values of the type, or by NumPy if these are too many."""
    if x.dtype.itemsize > 2:
        return np.nextafter(x, y)
    bits = np.dtype(f"uint{8 * x.dtype.itemsize}")
    values = np.arange(2 ** (8 * bits.itemsize)).astype(bits).view(x.dtype)
    wide = values.astype(np.float64)
    values = values[np.isfinite(wide) | np.isinf(wide)]
    wide = values.astype(np.float64)
    values = values[np.lexsort((~np.signbit(wide), wide))]
    order = values.astype(np.float64)

    def one(a: Any, b: Any) -> Any:
        if np.isnan(float(a)) or np.isnan(float(b)) or float(a) == float(b):
            return b if not np.isnan(float(a)) else a
        if b > a:
            return values[np.searchsorted(order, float(a), "right")]
        return values[np.searchsorted(order, float(a), "left") - 1]

    return np.array([one(a, b) for a, b in zip(x.flat, y.flat, strict=True)], x.dtype).reshape(
        x.shape
    )


def _divisor(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    # Multiples of these are far from the values of `spaced(0.1, 0.25)`.
    return np.asarray(rng.choice([-1.25, 1.25, 2.5], shape))


row("abs", SIGNED + ANALYTIC, around(0.2, 2), oracle=np.abs, result_type=_real_type, ulps=2)
row("sign", NUMBER, around(0.2, 2), oracle=_sign, of_integers=lambda x: (x > 0) - (x < 0), ulps=2)
row("neg", NUMBER, between(-2, 2), oracle=np.negative)
row("add", ELEMENT, between(-2, 2), between(-2, 2), oracle=np.add)
row("sub", NUMBER, between(-2, 2), between(-2, 2), oracle=np.subtract)
row("mul", ELEMENT, between(-2, 2), between(-2, 2), oracle=np.multiply, ulps=2)
row(
    "div",
    NUMBER,
    between(-2, 2),
    around(0.4, 2),
    oracle=np.divide,
    of_integers=_integer_div,
    ulps=4,
)
row(
    "rem",
    INT + FLOAT,
    spaced(0.1, 0.25),
    _divisor,
    oracle=np.fmod,
    of_integers=lambda x, y: x - y * _integer_div(x, y) if y else x,
)
row(
    "floor_div",
    INT + FLOAT,
    spaced(0.1, 0.25),
    _divisor,
    exact=_floor_div,
)
row(
    "floor_rem",
    INT + FLOAT,
    spaced(0.1, 0.25),
    _divisor,
    oracle=lambda x, y: np.where(np.fmod(x, y) == 0, np.fmod(x, y), np.remainder(x, y)),
    of_integers=lambda x, y: x % y if y else 0,
    ulps=1,
)
row("max", ORDERED, spaced(), spaced(0.3), oracle=_extreme(True))
row("min", ORDERED, spaced(), spaced(0.3), oracle=_extreme(False))
row("clamp", ORDERED, between(-2, -1), spaced(0.3), between(1, 2), oracle=_clamp)
row("nextafter", FLOAT, around(0.2, 2), around(0.2, 2), exact=_nextafter)
row("copysign", FLOAT, around(0.2, 2), around(0.2, 2), oracle=np.copysign)
row("heaviside", FLOAT, spaced(0.1, 0.25), around(0.2, 2), oracle=np.heaviside)
row(
    "exponent",
    FLOAT,
    around(0.55, 0.95),
    exact=lambda x: np.where(
        np.isfinite(x), np.frexp(np.nan_to_num(x.astype(np.float64)))[1], 0
    ).astype(np.int32),
    result_type=lambda *_: np.dtype(np.int32),
)
row(
    "ldexp",
    FLOAT,
    around(0.2, 2),
    Listed(0, 1, -1, 3, -2),
    exact=lambda x, k: rounded(np.ldexp(widened(x), k), x.dtype),
    operand_types=lambda dtype: (dtype, np.dtype(np.int32)),
)
row("trunc", FLOAT, spaced(0.1, 0.25), oracle=np.trunc)
row("fraction", FLOAT, spaced(0.1, 0.25), oracle=lambda x: np.modf(x)[0])
row("floor", FLOAT, spaced(0.2, 0.5), oracle=np.floor)
row("ceil", FLOAT, spaced(0.2, 0.5), oracle=np.ceil)
row("round_even", FLOAT, spaced(0.1, 0.25), oracle=np.rint)
row("round_away", FLOAT, spaced(0.1, 0.25), oracle=_round_away)

# Complex parts --------------------------------------------------------------------------------

row("real", COMPLEX, between(-2, 2), oracle=np.real, result_type=_real_type)
row("imag", COMPLEX, between(-2, 2), oracle=np.imag, result_type=_real_type)
row("conj", COMPLEX, between(-2, 2), oracle=np.conj)
row(
    "complex",
    WIDE,
    between(-2, 2),
    between(-2, 2),
    exact=lambda x, y: np.stack([x, y], -1).view(dtypes.to_complex_dtype(x.dtype))[..., 0],
    result_type=lambda dtype, _: dtypes.to_complex_dtype(dtype),
)

# Bits and predicates --------------------------------------------------------------------------


def _bool_type(dtype: np.dtype, _: Any) -> np.dtype:
    return dtypes.bool_


def _bits_of(x: Array) -> Array:
    """Each integer's bits as a string, the highest first."""
    width = int(ml_dtypes.iinfo(x.dtype).bits)
    return np.array([f"{int(v) % 2**width:0{width}b}" for v in x.flat], object).reshape(x.shape)


def _on_bits(function: Callable[..., int]) -> Callable[..., Array]:
    """An oracle that computes on strings of bits, and shifts by amounts read as unsigned."""

    def apply(x: Array, *amounts: Array) -> Array:
        bits = [
            _bits_of(x),
            *(np.frompyfunc(lambda b: int(b, 2), 1, 1)(_bits_of(a)) for a in amounts),
        ]
        values = np.frompyfunc(function, len(bits), 1)(*bits)
        width = len(_bits_of(x).flat[0])
        signed = dtypes.kind(x.dtype) == "i"

        def wrap(v: int) -> int:
            v %= 2**width
            return v - 2**width if signed and v >= 2 ** (width - 1) else v

        return np.asarray(np.frompyfunc(wrap, 1, 1)(values)).astype(x.dtype)

    return apply


def _shifted(bits: str, amount: int, fill: str) -> int:
    return int((fill * min(amount, len(bits)) + bits)[: len(bits)], 2)


_ANY = between(-2, 2)
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}

row("not", BOOL + INT, _ANY, oracle=np.invert, call=ops.not_)
row("and", BOOL + INT, _ANY, _ANY, oracle=np.bitwise_and, call=ops.and_)
row("or", BOOL + INT, _ANY, _ANY, oracle=np.bitwise_or, call=ops.or_)
row("xor", BOOL + INT, _ANY, _ANY, oracle=np.bitwise_xor)
row("shift_left", INT, _ANY, _ANY, exact=_on_bits(lambda b, n: int(b, 2) << min(n, 64)))
row("shift_right_logical", INT, _ANY, _ANY, exact=_on_bits(lambda b, n: _shifted(b, n, "0")))
row("shift_right_arithmetic", INT, _ANY, _ANY, exact=_on_bits(lambda b, n: _shifted(b, n, b[0])))
row("population_count", INT, _ANY, exact=_on_bits(lambda b: b.count("1")))
row("count_leading_zeros", INT, _ANY, exact=_on_bits(lambda b: len(b) - len(b.lstrip("0"))))
row("is_finite", FLOAT, _ANY, oracle=np.isfinite, result_type=_bool_type)
row(
    "compare",
    ELEMENT,
    *(spaced(), spaced(0.375)),
    oracle=lambda x, y, direction: _COMPARISONS[direction](x, y),
    cases=tuple(
        Case({"direction": d}, types=ELEMENT if d in ("eq", "ne") else ORDERED)
        for d in _COMPARISONS
    ),
    result_type=_bool_type,
)
row(
    "select",
    ELEMENT,
    *(_ANY, _ANY, _ANY),
    exact=lambda p, x, y: np.where(p, x, y),
    operand_types=lambda dtype: (dtypes.bool_, dtype, dtype),
)
row(
    "stop_gradient",
    ELEMENT,
    _ANY,
    oracle=lambda x: x,
    no_derivative="its derivative is zero by decree; test_stop_gradient checks that",
)

# Conversions ----------------------------------------------------------------------------------


def _converted(x: Array, dtype: np.dtype) -> Array:
    kind = dtypes.kind(dtype)
    if kind == "b":
        return x != 0
    if x.dtype.kind == "c" and kind != "c":
        x = np.real(x)
    if kind in "iu" and x.dtype.kind == "f":
        info = ml_dtypes.iinfo(dtype)
        low, high = int(info.min), int(info.max)

        def saturated(v: Any) -> int:
            if not np.isfinite(v):
                return 0 if np.isnan(v) else low if v < 0 else high
            return min(max(int(v), low), high)

        return np.asarray(np.frompyfunc(saturated, 1, 1)(x))
    return x.astype(np.clongdouble) if kind == "c" else x


_SAME_WIDTH = [
    (a, b)
    for a in INT + FLOAT
    for b in INT + FLOAT
    if dtypes.itemsize_bits(a) == dtypes.itemsize_bits(b)
]

row(
    "convert",
    ELEMENT,
    around(0.6, 3),
    oracle=_converted,
    cases=tuple(Case({"dtype": t}) for t in ELEMENT),
    result_type=lambda _, attributes: attributes["dtype"],
)
row(
    "bitcast",
    INT + FLOAT,
    _ANY,
    exact=lambda x, dtype: np.frombuffer(x.tobytes(), dtype).reshape(x.shape),
    cases=tuple(
        Case({"dtype": t}, types=tuple(a for a, b in _SAME_WIDTH if b == t)) for t in INT + FLOAT
    ),
    result_type=lambda _, attributes: attributes["dtype"],
    no_derivative="bits have no derivative",
)


def _threefry(k0: int, k1: int, x0: int, x1: int) -> int:
    """The first word of the hash, round by round; the rotations are given as text."""
    rotations = (13, 15, 26, 6, 17, 29, 16, 24)
    keys = (k0, k1, 0x1BD11BDA ^ k0 ^ k1)
    x0, x1 = (x0 + k0) % 2**32, (x1 + k1) % 2**32
    for number in range(20):
        x0 = (x0 + x1) % 2**32
        bits, by = f"{x1:032b}", rotations[number % 8]
        x1 = int(bits[by:] + bits[:by], 2) ^ x0
        if number % 4 == 3:
            group = number // 4 + 1
            x0 = (x0 + keys[group % 3]) % 2**32
            x1 = (x1 + keys[(group + 1) % 3] + group) % 2**32
    return x0


row(
    "threefry2x32",
    (dtypes.uint32,),
    *(_ANY,) * 4,
    oracle=np.frompyfunc(_threefry, 4, 1),
    call=lambda *words: ops.threefry2x32(*words)[0],
)
