"""Rows of the op table, and the comparison of results with a row's oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

from dovetail import dtypes, ops
from support.op_samplers import Sampler, Shape, convert

Array = np.ndarray[Any, Any]
Types = tuple[np.dtype, ...]

BOOL = (dtypes.bool_,)
SIGNED = (dtypes.int4, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
UNSIGNED = (dtypes.uint4, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
WIDE = (dtypes.float32, dtypes.float64)
# Types with arithmetic in use; base/test_small_types.py covers the other small ones.
FLOAT8 = (
    dtypes.float8_e4m3fn,
    dtypes.float8_e5m2,
    dtypes.float8_e4m3fnuz,
    dtypes.float8_e5m2fnuz,
)
FLOAT = (*FLOAT8, np.dtype("bfloat16"), dtypes.float16, *WIDE)
COMPLEX = (dtypes.complex64, dtypes.complex128)
INT = SIGNED + UNSIGNED
ORDERED = BOOL + INT + FLOAT
NUMBER = INT + FLOAT + COMPLEX
ELEMENT = BOOL + NUMBER
ANALYTIC = FLOAT + COMPLEX


@dataclass(frozen=True)
class Case:
    """One way of calling an op; the row supplies whatever is not specified."""

    attributes: dict[str, Any] = field(default_factory=dict)
    # Shapes of operands; pointwise ops accept any.
    shapes: tuple[Shape, ...] = ()
    types: Types = ()
    samples: tuple[Sampler, ...] = ()
    # The operands with respect to which the op has derivatives, if not all.
    wrt: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Row:
    """One op.

    An `oracle` takes widened operands (floats as long doubles, integers as Python integers) and the
    attributes; its result is rounded or wrapped to `result_type`. It shares nothing with the
    reference evaluator.
    """

    name: str
    types: Types
    samples: tuple[Sampler, ...]
    oracle: Callable[..., Any] | None = None
    # On single Python integers; without it `oracle` takes arrays of them.
    of_integers: Callable[..., int] | None = None
    # Instead of both: on the operands unchanged.
    exact: Callable[..., Array] | None = None
    cases: tuple[Case, ...] = (Case(),)
    call: Callable[..., Any] | None = None
    # The compared array, from a tuple of operands, one of results and the attributes; by default
    # the first result.
    compared: Callable[..., Any] = lambda _, results, **attributes: results[0]
    pointwise: bool = True
    # True if `dtype` is an attribute instead of the operands' type.
    takes_dtype: bool = False
    operand_types: Callable[[np.dtype], Types] | None = None
    result_type: Callable[[np.dtype, dict[str, Any]], np.dtype] = lambda dtype, _: dtype
    # Largest error of compiled code, in units of the last place of each element, or of the largest
    # element where `normwise`.
    ulps: float = 0
    normwise: bool = False
    # The same for eager calls.
    eager_ulps: float = 2
    # The reasons why this table does not check derivatives, or batching.
    no_derivative: str = ""
    no_batch: str = ""

    def __str__(self) -> str:
        return self.name

    def apply(self, *operands: Any, **attributes: Any) -> Any:
        """The part of the op's results that is compared, for arrays or tracers."""
        found = (self.call or getattr(ops, self.name))(*operands, **attributes)
        results = tuple(found) if isinstance(found, (list, tuple)) else (found,)
        return self.compared(operands, results, **attributes)

    def types_of(self, case: Case) -> Types:
        """The element types for which the op is checked in this way."""
        return case.types or self.types

    def signature(self, case: Case, dtype: np.dtype) -> tuple[Types, tuple[Sampler, ...]]:
        """Element types and samplers of the operands."""
        samples = case.samples or self.samples
        count = len(samples) if self.pointwise else len(case.shapes)
        types = self.operand_types(dtype) if self.operand_types else (dtype,) * count
        # The last sampler serves all further operands.
        return types, (samples + samples[-1:] * count)[:count]

    def bound(self, dtype: np.dtype) -> float:
        """`ulps` for operands of a type; complex arithmetic takes several roundings.

        Sums of narrow floats are those of float32, rounded once.
        """
        if self.normwise and dtypes.kind(dtype) == "f" and dtype.itemsize < 4:
            return min(self.ulps, 1)
        return max(self.ulps, 8) if self.ulps and dtypes.kind(dtype) == "c" else self.ulps

    def expected(self, operands: tuple[Array, ...], **attributes: Any) -> Array:
        """The oracle's result, before rounding to the result's type."""
        if self.exact:
            with np.errstate(all="ignore"):
                return np.asarray(self.exact(*operands, **attributes))
        assert self.oracle, f"{self.name} has no oracle"
        wide = tuple(map(widened, operands))
        with np.errstate(all="ignore"):
            if self.of_integers and wide and wide[-1].dtype == object:
                scalars = np.frompyfunc(
                    lambda *x: self.of_integers(*x, **attributes),  # type: ignore[misc]
                    len(wide),
                    1,
                )
                return np.asarray(scalars(*wide))
            return np.asarray(self.oracle(*wide, **attributes))


def widened(x: Array) -> Array:
    """The same values in a type in which an oracle computes."""
    match dtypes.kind(x.dtype):
        case "f":
            return x.astype(np.float64).astype(np.longdouble)
        case "c":
            return x.astype(np.clongdouble)
        case "b":
            return x
        case _:
            return np.array([int(v) for v in x.flat], object).reshape(x.shape)


def rounded(x: Array, dtype: np.dtype) -> Array:
    """An oracle's result as elements of a type: floats rounded, integers wrapped."""
    with np.errstate(all="ignore"):
        return x if x.dtype == dtype else _rounded(x, dtype)


def _rounded(x: Array, dtype: np.dtype) -> Array:
    kind = dtypes.kind(dtype)
    if kind == "b":
        return x.astype(bool)
    if kind in "iu":
        size = 2 ** ml_dtypes.iinfo(dtype).bits
        least = int(ml_dtypes.iinfo(dtype).min)
        wrapped = np.frompyfunc(lambda v: (int(v) - least) % size + least, 1, 1)(x)
        return np.asarray(wrapped).astype(np.uint64 if least == 0 else np.int64).astype(dtype)
    if x.dtype == object:
        x = x.astype(np.longdouble)
    if dtype in (dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128):
        return x.astype(dtype)
    # Rounding from float32 defines the narrow types.
    return convert(x.astype(np.float32), dtype)


def _spacing(magnitude: Array, dtype: np.dtype) -> Array:
    """The distance between neighbours of type `dtype` at a magnitude, as float64."""
    info = ml_dtypes.finfo(dtypes.to_real_dtype(dtype))
    exponent = np.frexp(np.maximum(magnitude, float(info.tiny)))[1]
    return np.ldexp(1.0, exponent - 1 + int(np.log2(float(info.eps))))


def assert_close(
    actual: Array,
    expected: Array,
    ulps: float,
    *,
    normwise: bool = False,
    flush: bool = False,
    zeros: bool = True,
    what: str = "",
) -> None:
    """Same type and shape; NaNs, infinities and signs of zeros alike; finite values close.

    With `flush`, zero is as good as a subnormal number; without `zeros`, zeros of both signs are
    equal.
    """
    assert actual.dtype == expected.dtype, f"{what}: {actual.dtype} instead of {expected.dtype}"
    assert actual.shape == expected.shape, f"{what}: {actual.shape} instead of {expected.shape}"
    kind = dtypes.kind(actual.dtype)
    if kind not in "fc":
        np.testing.assert_array_equal(actual, expected, err_msg=what)
        return
    wide = np.dtype(np.complex128 if kind == "c" else np.float64)
    a, e = actual.astype(wide), expected.astype(wide)
    with np.errstate(all="ignore"):
        magnitude = np.abs(e)
        finite = np.isfinite(magnitude)
        if normwise and magnitude[finite].size:
            magnitude = np.full_like(magnitude, magnitude[finite].max())
        error = np.abs(a - e) / _spacing(np.where(finite, magnitude, 1.0), actual.dtype)
        # Equal, or both NaN, or within the bound; with a bound, overflow may come a little early.
        good = (a == e) | (np.isnan(a) & np.isnan(e)) | (finite & np.isfinite(a) & (error <= ulps))
        if flush:
            good |= (a == 0) & (
                magnitude < float(ml_dtypes.finfo(dtypes.to_real_dtype(actual.dtype)).tiny)
            )
        if ulps:
            limit = float(ml_dtypes.finfo(dtypes.to_real_dtype(actual.dtype)).max)
            good |= (np.abs(a) >= limit) & (np.abs(e) >= limit) & (np.sign(a) == np.sign(e))
        if kind == "f" and zeros:
            good &= (a != 0) | (e != 0) | (np.signbit(a) == np.signbit(e))
    if good.all():
        return
    where = np.argwhere(~good)
    worst = tuple(where[0])
    raise AssertionError(
        f"{what}: {len(where)} of {good.size} differ by more than {ulps} ulp, first at {worst}: "
        f"{actual[worst]!r} instead of {expected[worst]!r} ({error[worst]:.3g} ulp)"
    )
