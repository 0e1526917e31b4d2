"""The NumPy layer against JAX itself: element types, weak types, values, and whether it fails."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail.numpy as dnp  # noqa: E402
from dovetail import config  # noqa: E402
from dovetail.base import dtypes  # noqa: E402
from support.numpy_expressions import (  # noqa: E402
    CREATION,
    DATA,
    INDEXING,
    PRODUCTS,
    REDUCTIONS,
    SHAPES,
    expressions,
)

DTYPES = [
    "bool",
    "int8",
    "int32",
    "int64",
    "uint8",
    "uint64",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
]
ALL_DTYPES = list(dtypes.KINDS)
SCALARS = [True, 2, 1.5, 1 + 2j]

UNARY = [
    "abs",
    "absolute",
    "angle",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "around",
    "bitwise_count",
    "bitwise_not",
    "cbrt",
    "ceil",
    "conj",
    "cos",
    "cosh",
    "deg2rad",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "frexp",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "iscomplex",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_not",
    "modf",
    "nan_to_num",
    "negative",
    "positive",
    "rad2deg",
    "real",
    "reciprocal",
    "rint",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "max",
    "min",
    "any",
    "all",
    "argmax",
    "argmin",
    "ptp",
    "count_nonzero",
    "nansum",
    "nanprod",
    "nanmean",
    "nanmax",
    "nanmin",
    "nanvar",
    "average",
    "diff",
    "trapezoid",
    "gradient",
    "ravel",
    "flip",
    "transpose",
    "zeros_like",
    "ones_like",
    "trace",
    "diag",
    "tril",
    "cov",
]

BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "remainder",
    "fmod",
    "divmod",
    "power",
    "float_power",
    "copysign",
    "heaviside",
    "hypot",
    "logaddexp",
    "logaddexp2",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "nextafter",
    "arctan2",
    "ldexp",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "isclose",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "left_shift",
    "right_shift",
    "dot",
    "inner",
    "outer",
    "vdot",
    "kron",
    "polyval",
    "append",
    "array_equal",
]

# Together with a weak scalar, a bool array makes these weak, as it does all others; in JAX the
# result is strong.
STAY_WEAK = {"heaviside", "hypot", "logaddexp", "logaddexp2", "power"}
# Functions that accept more than JAX's: narrow integers with scalars, bools.
MORE_GENERAL = {"dot", "inner", "vdot", "kron"}


def outcome(library: Any, name: str, args: tuple[Any, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(library, name)(*args)
        except (TypeError, ValueError, OverflowError, IndexError, NotImplementedError) as error:
            return error


def sample(dtype: str, shape: tuple[int, ...] = (3,), seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    kind = dtypes.kind(np.dtype(dtype))
    values = rng.integers(1, 4, shape).astype(float)
    if kind in "fc":
        values = values - 0.75
    if kind in "ifc":
        values = values * np.where(rng.random(shape) < 0.4, -1, 1)
    if kind == "c":
        values = values + 1j * rng.integers(-2, 3, shape)
    return (values > 1.5 if kind == "b" else values).astype(dtype)


def check(ours: Any, theirs: Any, what: str) -> None:
    if isinstance(theirs, Exception):
        if what.partition("(")[0] in MORE_GENERAL:
            return
        assert isinstance(ours, Exception), f"{what}: JAX raises {theirs!r:.200}, got: {ours!r}"
        return
    assert not isinstance(ours, Exception), f"{what}: JAX gives {theirs!r}, got: {ours!r}"
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            check(mine, other, what)
        return
    assert ours.shape == theirs.shape, what
    assert ours.dtype == theirs.dtype, f"{what}: got {ours!r}, JAX gives {theirs!r}"
    if ours.dtype != bool and not (what.partition("(")[0] in STAY_WEAK and ours.weak_type):
        assert ours.weak_type == theirs.weak_type, f"{what}: got {ours!r}, JAX gives {theirs!r}"
    x, y = np.asarray(ours), np.asarray(theirs)
    if dtypes.kind(x.dtype) in "fc":
        eps = float(dtypes.finfo(x.dtype).eps)
        wide = np.complex128 if dtypes.kind(x.dtype) == "c" else np.float64
        np.testing.assert_allclose(
            x.astype(wide), y.astype(wide), rtol=16 * eps, atol=16 * eps, err_msg=what
        )
    else:
        np.testing.assert_array_equal(x, y, err_msg=what)


@pytest.fixture(params=[False, True], ids=["x32", "x64"])
def x64(request: pytest.FixtureRequest) -> Any:
    with config.enable_x64(request.param), jax.enable_x64(request.param):
        yield request.param


@pytest.fixture(params=["standard", "strict"])
def promotion(request: pytest.FixtureRequest) -> Any:
    mode = request.param
    with config.numpy_dtype_promotion(mode), jax.numpy_dtype_promotion(mode):
        yield mode


@pytest.mark.usefixtures("promotion")
@pytest.mark.parametrize("a", [*ALL_DTYPES, int, float, complex], ids=str)
def test_promote_types(a: Any, x64: bool) -> None:
    for b in [*ALL_DTYPES, int, float, complex]:
        for name in ("promote_types", "result_type"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ours, theirs = outcome(dnp, name, (a, b)), outcome(jnp, name, (a, b))
            if isinstance(theirs, Exception):
                assert isinstance(ours, dtypes.TypePromotionError), (name, a, b, ours, theirs)
            else:
                assert ours == theirs, (name, a, b)


@pytest.mark.usefixtures("promotion")
def test_weak_types_promote(x64: bool) -> None:
    """Every pair of element types of arrays, weak and not."""
    # The rule itself; JAX has no arrays of all these types on CPU.
    from jax._src import dtypes as theirs  # pyright: ignore[reportMissingImports]

    class Value:
        def __init__(self, dtype: np.dtype, weak: bool) -> None:
            self.dtype, self.weak_type = dtypes.canonicalize_dtype(dtype), weak
            self.aval = self

    values = [Value(t, weak) for t in ALL_DTYPES for weak in {False, t != np.bool_}]
    for a, b in itertools.product(values, repeat=2):
        pairs = (a.dtype, a.weak_type), (b.dtype, b.weak_type)
        try:
            expected = theirs.lattice_result_type(a, b)
        except ValueError:
            with pytest.raises(dtypes.TypePromotionError):
                dtypes.promote(*pairs, operands=(a, b))
        else:
            assert dtypes.promote(*pairs, operands=(a, b)) == expected, pairs


@pytest.mark.filterwarnings("ignore:Explicitly requested")
def test_questions_about_types() -> None:
    classes = [np.floating, np.integer, np.signedinteger, np.number, np.generic, float, int, bool]
    kinds = ["bool", "signed integer", "integral", "real floating", "numeric", "float32"]
    for a in ALL_DTYPES:
        for b in [*ALL_DTYPES, *classes]:
            assert dnp.issubdtype(a, b) is jnp.issubdtype(a, b), (a, b)
            assert dnp.can_cast(a, b) == jnp.can_cast(a, b) if b not in classes[:5] else True
        for kind in [*kinds, ("bool", "float32")]:
            assert dnp.isdtype(a, kind) is jnp.isdtype(a, kind), (a, kind)
        assert dtypes.itemsize_bits(a) == jax.dtypes.itemsize_bits(a)
        assert dtypes.scalar_type_of(a) is jax.dtypes.scalar_type_of(a)
        for name in ("finfo", "iinfo"):
            info, theirs = outcome(dnp, name, (a,)), outcome(jnp, name, (a,))
            assert isinstance(info, Exception) == isinstance(theirs, Exception)
            if not isinstance(info, Exception):
                assert (info.min, info.max, info.bits) == (theirs.min, theirs.max, theirs.bits)


def test_result_type_of_three(x64: bool) -> None:
    makers = [lambda lib, d=d: lib.zeros((), d) for d in DTYPES]
    makers += [lambda lib, s=s: s for s in SCALARS]
    makers += [lambda lib, s=s: lib.asarray(s) for s in SCALARS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trio in itertools.combinations(makers, 3):
            ours = dnp.result_type(*(make(dnp) for make in trio))
            theirs = jnp.result_type(*(make(jnp) for make in trio))
            assert ours == theirs, [make(dnp) for make in trio]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, x64: bool) -> None:
    arguments: list[Any] = [sample(d, (3, 3)) for d in DTYPES]
    arguments += (
        SCALARS
        if name not in ("cov", "diff", "trapezoid", "gradient", "trace", "diag", "tril")
        else []
    )
    for x in arguments:
        check(outcome(dnp, name, (x,)), outcome(jnp, name, (x,)), f"{name}({x!r})")


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, x64: bool) -> None:
    names = DTYPES if x64 else [d for d in DTYPES if np.dtype(d).itemsize < 8]
    arguments: list[Any] = [sample(d, seed=i) for i, d in enumerate(names)]
    arguments += SCALARS
    for x, y in itertools.product(arguments, repeat=2):
        if name == "power" and isinstance(y, np.ndarray) and y.dtype.kind == "i":
            y = np.abs(y)
        what = f"{name}({x!r}, {y!r})"
        check(outcome(dnp, name, (x, y)), outcome(jnp, name, (x, y)), what)


# Where we follow NumPy and JAX does not.
DIFFERS = {
    'xp.fromiter(range(3), "int64")',
    "xp.repeat(v, [0, 1, 2, 3])",
    "xp.repeat(a, [1, 0, 2], 0)",
    "xp.split(v, [3, 2, 9])",
    "xp.delete(a, [0, 2], 0)",
}

EXPRESSIONS = [
    *(f"xp.{e}" for t in (CREATION, REDUCTIONS, SHAPES, PRODUCTS) for e in expressions(t)),
    *expressions(INDEXING),
]
# Weak types and defaults where Python scalars and lists meet.
EXPRESSIONS += expressions("""
xp.array(1)  xp.array(1.0)  xp.array(True)  xp.array([1, 2.5])  xp.array([True, 2])
xp.array([1, 2j])  xp.array([])  xp.array([np.float16(1), 1.5])  xp.array([xp.asarray(1.0)])
xp.asarray(xp.asarray(1))  xp.asarray(1, dtype=float)  xp.full(2, 1)  xp.full(2, 1.5, "int8")
xp.full_like(1, 2)  xp.zeros_like(1.0)  xp.ones_like(xp.asarray(1))  xp.linspace(0, 1, 3)
xp.where(True, 1, 2.0)  xp.asarray(1.0) * xp.asarray(2)  xp.arange(3) * 1.5  xp.arange(3) + True
2 ** xp.arange(3)  xp.clip(xp.arange(4), 1.5, 2)  xp.clip(3, 1, 2)  xp.sum(1)  xp.max(1.5)
xp.mean(2)  xp.prod(True)  xp.dot(2, 3)  xp.concatenate([xp.arange(2), xp.ones(1)])
xp.stack([1, 2.0])  xp.append(1, 2.0)  xp.polyval(xp.arange(3), 2.0)  xp.select([True], [1], 2.0)
xp.nan_to_num(1)  xp.round(2)  -xp.asarray(1)  xp.asarray(1) / 2  xp.asarray(7) // 2
xp.asarray(7) % 2.0  divmod(xp.asarray(7), 2)  abs(xp.asarray(-1))  xp.asarray([1]) << 2
~xp.asarray(1)  xp.asarray(1) == 1.0  xp.float32(1) * 2.0  xp.int8(1) + 300  xp.bfloat16(1) + 1.5
xp.uint8(3) - 5  xp.asarray(2.0) ** 3  xp.asarray(3) ** 2.0  xp.matmul(i, a)
""")


@pytest.mark.parametrize("expression", [e for e in EXPRESSIONS if e not in DIFFERS])
def test_expression(expression: str, x64: bool) -> None:
    results = []
    for xp in (dnp, jnp):
        data = {n: xp.asarray(v) for n, v in DATA.items() if n in expression}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                results.append(eval(expression, {"xp": xp, "np": np, **data}))
            except (TypeError, ValueError, NotImplementedError) as error:
                results.append(error)
    ours, theirs = results
    check(ours, theirs, expression)
