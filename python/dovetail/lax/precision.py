"""Requested precision of products and accuracy of elementary functions."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from dovetail.base import dtypes
from dovetail.base.errors import value_error


class Precision(enum.Enum):
    """Precision of float32 products. Every target here computes them in float32.

    Example:
      >>> lax.dot(np.ones(3, np.float32), np.ones(3, np.float32), precision=Precision.HIGHEST)
      Array(3., dtype=float32)
    """

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2


@dataclass(frozen=True)
class DotAlgorithm:
    """Types in which a contraction's products are formed and summed.

    Attributes:
      lhs_precision_type, rhs_precision_type: the types to which operands may be rounded. They never
        are: all targets here multiply the operands unrounded.
      accumulation_type: the type of the sums; a type wider than that of the operands is used.
      lhs_component_count, rhs_component_count, num_primitive_operations: the numbers of parts into
        which operands may be split, for targets with narrow products.
      allow_imprecise_accumulation: whether some sums may be narrower.

    Example:
      >>> x = np.full(3, 0.1, np.float16)
      >>> lax.dot(x, x, precision=DotAlgorithm(np.float16, np.float16, np.float32)).dtype.name
      'float16'
    """

    lhs_precision_type: Any
    rhs_precision_type: Any
    accumulation_type: Any
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


class DotAlgorithmPreset(enum.Enum):
    """Names of algorithms: types of the operands, and of the sums.

    Attributes:
      accumulation_type: the type of the sums, None for that of the operands.

    Example:
      >>> DotAlgorithmPreset.BF16_BF16_F32.accumulation_type.name
      'float32'
    """

    DEFAULT = "default"
    ANY_F8_ANY_F8_F32 = "any_f8_any_f8_f32"
    ANY_F8_ANY_F8_F32_FAST_ACCUM = "any_f8_any_f8_f32_fast_accum"
    ANY_F8_ANY_F8_ANY = "any_f8_any_f8_any"
    ANY_F8_ANY_F8_ANY_FAST_ACCUM = "any_f8_any_f8_any_fast_accum"
    F16_F16_F16 = "f16_f16_f16"
    F16_F16_F32 = "f16_f16_f32"
    BF16_BF16_BF16 = "bf16_bf16_bf16"
    BF16_BF16_F32 = "bf16_bf16_f32"
    BF16_BF16_F32_X3 = "bf16_bf16_f32_x3"
    BF16_BF16_F32_X6 = "bf16_bf16_f32_x6"
    BF16_BF16_F32_X9 = "bf16_bf16_f32_x9"
    TF32_TF32_F32 = "tf32_tf32_f32"
    TF32_TF32_F32_X3 = "tf32_tf32_f32_x3"
    F32_F32_F32 = "f32_f32_f32"
    F64_F64_F64 = "f64_f64_f64"

    @property
    def accumulation_type(self) -> Any:
        """The type of the sums, None for that of the operands."""
        names = self.value.removesuffix("_fast_accum").split("_")
        return {"f32": dtypes.float32, "f64": dtypes.float64}.get(
            next((n for n in reversed(names) if not n.startswith("x")), "")
        )


class AccuracyMode(enum.Enum):
    """Accuracy of an elementary function; here always within a few units in the last place.

    Example:
      >>> lax.exp(0.0, accuracy=AccuracyMode.HIGHEST)
      Array(1., dtype=float32, weak_type=True)
    """

    HIGHEST = 1
    DEFAULT = 2


@dataclass(frozen=True)
class Tolerance:
    """Permitted error of an elementary function; the functions here meet every tolerance of at
    least 4 ulps.

    >>> Tolerance(ulps=4)
    Tolerance(atol=0.0, rtol=0.0, ulps=4)
    """

    atol: float = 0.0
    rtol: float = 0.0
    ulps: int = 0


PrecisionLike = (
    None
    | str
    | Precision
    | tuple[str, str]
    | tuple[Precision, Precision]
    | DotAlgorithm
    | DotAlgorithmPreset
)

_NAMES = (
    "default",
    "high",
    "highest",
    "fastest",
    "bfloat16",
    "bfloat16_3x",
    "tensorfloat32",
    "float32",
)


def check_precision(name: str, precision: Any) -> Any:
    """The type in which sums are accumulated, None for that of the operands. Accepts all names of
    precisions, although no target here offers less than float32.
    """
    if precision is None:
        return None
    values = precision if isinstance(precision, tuple) else (precision,)
    for value in values:
        if value is None or isinstance(value, Precision):
            continue
        if isinstance(value, str) and value.lower() in _NAMES:
            continue
        preset = DotAlgorithmPreset.__members__.get(value) if isinstance(value, str) else value
        if isinstance(preset, (DotAlgorithm, DotAlgorithmPreset)) and len(values) == 1:
            return preset.accumulation_type
        raise value_error(
            f"{name}: precision must be a lax.Precision, a lax.DotAlgorithm, or one of "
            f"{', '.join(_NAMES)}, got: {value!r}"
        )
    return None


def check_accuracy(name: str, accuracy: Any) -> None:
    """Accept an accuracy: every function here is as accurate as any mode requests."""
    if accuracy is not None and not isinstance(accuracy, (AccuracyMode, Tolerance)):
        raise value_error(
            f"{name}: accuracy must be a lax.AccuracyMode or a lax.Tolerance, got: {accuracy!r}"
        )
