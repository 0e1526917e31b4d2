"""The measured float formats, and errors in units of their last place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import ml_dtypes
import numpy as np

Array: TypeAlias = np.ndarray

# No error of a real function may exceed it, in units of the last place.
LIMIT = 4.0


@dataclass(frozen=True)
class Format:
    """A float format.

    Attributes:
      dtype: the type of its arrays.
      precision: bits of the significand.
      least: the exponent of the smallest normal number.
      greatest: the exponent of the largest number.
      wide: the type for its references, with at least 11 more bits.
    """

    dtype: np.dtype
    precision: int
    least: int
    greatest: int
    wide: np.dtype

    @property
    def bits(self) -> np.dtype:
        """The unsigned integers of the same width."""
        return np.dtype(f"u{self.dtype.itemsize}")

    @property
    def width(self) -> int:
        """The number of bits."""
        return 8 * self.dtype.itemsize

    def is_subnormal(self, x: Array) -> Array:
        """A mask of numbers, of this type or wider, that are subnormal in this format."""
        with np.errstate(invalid="ignore"):  # a cast of NaN
            magnitude = np.abs(x.astype(self.wide))
        return (magnitude > 0) & (magnitude < np.ldexp(self.wide.type(1), self.least))

    def flushed(self, x: Array) -> Array:
        """Numbers with subnormal ones replaced by zeros."""
        return np.where(self.is_subnormal(x), np.copysign(x.dtype.type(0), x), x)


_DOUBLE, _EXTENDED = np.dtype(np.float64), np.dtype(np.longdouble)
FORMATS = {
    "f16": Format(np.dtype(np.float16), 11, -14, 15, _DOUBLE),
    "bf16": Format(np.dtype(ml_dtypes.bfloat16), 8, -126, 127, _DOUBLE),
    "f32": Format(np.dtype(np.float32), 24, -126, 127, _DOUBLE),
    "f64": Format(np.dtype(np.float64), 53, -1022, 1023, _EXTENDED),
}


def ulp_errors(got: Array, reference: Array, form: Format) -> Array:
    """Errors in units of the last place of the reference, down to the spacing of subnormals.

    They are infinite where only one of the two is NaN, infinite, or has its sign.

    Args:
      got: results in the format, or bools.
      reference: values in its wide type, or bools.
      form: the format.
    """
    if got.dtype == bool:
        return np.where(got == reference, 0.0, np.inf)
    one = form.wide.type(1)
    # Twice the largest number represents infinity, as rounding turns nearby values into it.
    beyond = np.ldexp(one, form.greatest + 1)
    with np.errstate(all="ignore"):
        value, wide = got.astype(form.wide), reference.astype(form.wide)
        target = np.clip(wide, -beyond, beyond)
        _, exponent = np.frexp(target)
        exponent = np.clip(exponent - 1, form.least, form.greatest)
        error = np.abs(np.clip(value, -beyond, beyond) - target)
        error = np.ldexp(error, form.precision - 1 - exponent)
    undefined = np.isnan(wide)
    wrong = np.isnan(value) != undefined
    wrong |= ~undefined & (np.signbit(value) != np.signbit(wide))
    wrong |= np.isinf(wide) & (value != wide)
    error[undefined] = 0
    return np.where(wrong, np.inf, np.minimum(error, 1e300)).astype(np.float64)
