"""What kernels for GPUs use in addition, under JAX's names, on all devices.

Programs run one after the other here, or as if they did, so that an atomic update is an update.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.experimental.pallas import windows
from dovetail.experimental.pallas.compiler_params import CompilerParams as CompilerParams
from dovetail.tracing.held import of_type


def load(ref: Any, *, mask: Any = None, other: Any = None, **hints: Any) -> Any:
    """The elements of a reference, or of a window of one.

    Args:
      ref: a reference, or a window, `ref.at[index]`. With a mask, `ds` may reach beyond it.
      mask: a bool array that broadcasts to its shape: elsewhere, the result is `other`.
      other: an array that broadcasts to that shape, by default 0.
      hints: accepted for JAX's sake, and ignored: cache_modifier, eviction_policy, volatile.

    Returns:
      An array.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> ref = dt.new_ref(dt.numpy.arange(1, 4))
      >>> plgpu.load(ref.at[pl.ds(0, 4)], mask=dt.numpy.arange(4) < 3, other=-1)
      Array([ 1,  2,  3, -1], dtype=int32)
    """
    return windows.load(ref, ..., mask=mask, other=other)


def store(ref: Any, val: Any, *, mask: Any = None, **hints: Any) -> None:
    """Replace the elements of a reference, or of a window of one.

    Args:
      ref: a reference, or a window, `ref.at[index]`. With a mask, `ds` may reach beyond it.
      val: an array that broadcasts to its shape.
      mask: a bool array that broadcasts to its shape: other elements stay.
      hints: accepted for JAX's sake, and ignored: eviction_policy.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> ref = dt.new_ref(dt.numpy.arange(1, 4))
      >>> plgpu.store(ref.at[pl.ds(2, 2)], 0, mask=dt.numpy.arange(2) < 1)
      >>> ref[...]
      Array([1, 2, 0], dtype=int32)
    """
    windows.store(ref, ..., val, mask=mask)


def dot(
    a: Any,
    b: Any,
    trans_a: bool = False,
    trans_b: bool = False,
    allow_tf32: bool | None = None,
    precision: Any = None,
) -> Any:
    """The product of two matrices, in float32, float64 or int32.

    Args:
      a, b: matrices.
      trans_a, trans_b: whether to transpose one.
      allow_tf32: whether products may have the precision of TensorFloat-32.
      precision: that of `lax.dot_general`; not together with allow_tf32.

    Returns:
      A matrix: of int32 for integers, of float64 if an operand is, and else of float32.

    Raises:
      ValueError: an operand is no matrix, or there are both ways to state the precision.

    Example:
      >>> import dovetail.numpy as dnp
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> plgpu.dot(dnp.ones((2, 3), "float16"), dnp.ones((4, 3), "float16"), trans_b=True).dtype
      dtype('float32')
    """
    if a.ndim != 2 or b.ndim != 2:
        raise value_error(f"dot: a and b must be matrices, got: ranks {a.ndim} and {b.ndim}")
    if allow_tf32 is not None:
        if precision is not None:
            raise value_error("dot: only one of allow_tf32 and precision may be given, got: both")
        precision = lax.Precision.HIGH if allow_tf32 else lax.Precision.HIGHEST
    dtype = dnp.promote_types(a.dtype, b.dtype)
    wide = "float64" if dtype == "float64" else "float32"
    return lax.dot_general(
        a,
        b,
        (((0 if trans_a else 1,), (1 if trans_b else 0,)), ((), ())),
        precision=precision,
        preferred_element_type="int32" if dtypes.is_integer(dtype) else wide,
    )


def approx_tanh(x: Any) -> Any:
    """The hyperbolic tangent; not less accurate than `dovetail.numpy.tanh`.

    Args:
      x: an array of floats.

    Returns:
      An array of the same shape and dtype.

    Example:
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> plgpu.approx_tanh(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return dnp.tanh(x)


def atomic_add(x_ref_or_view: Any, idx: Any, val: Any, *, mask: Any = None) -> Any:
    """Add to the elements of a reference at an index; to one that occurs several times, each time.

    Args:
      x_ref_or_view: a reference, or a window of one.
      idx: any index of it.
      val: an array of the shape of `ref[idx]`.
      mask: a bool array of that shape: other elements stay.

    Returns:
      The elements before.

    Raises:
      ValueError: the values are of another type than the reference's elements.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> ref = dt.new_ref(dnp.zeros(3, "int32"))
      >>> plgpu.atomic_add(ref, dnp.array([1, 1]), dnp.array([2, 3]))
      Array([0, 0], dtype=int32)
      >>> ref[...]
      Array([0, 5, 0], dtype=int32)
    """
    before = x_ref_or_view[idx]
    val = of_type("atomic_add", val, before.dtype)
    x_ref_or_view.addupdate(val if mask is None else dnp.where(mask, val, 0 * val), idx)
    return before


def atomic_max(x_ref_or_view: Any, idx: Any, val: Any, *, mask: Any = None) -> Any:
    """Replace the elements of a reference at an index by larger ones, as `atomic_add` adds.

    Args:
      x_ref_or_view, idx, val, mask: those of `atomic_add`.

    Returns:
      The elements before.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> ref = dt.new_ref(dnp.zeros(3, "int32"))
      >>> plgpu.atomic_max(ref, dnp.array([1, 1]), dnp.array([2, 3]))
      Array([0, 0], dtype=int32)
      >>> ref[...]
      Array([0, 3, 0], dtype=int32)
    """
    return _extreme("max", x_ref_or_view, idx, val, mask)


def atomic_min(x_ref_or_view: Any, idx: Any, val: Any, *, mask: Any = None) -> Any:
    """Replace the elements of a reference at an index by smaller ones, as `atomic_add` adds.

    Args:
      x_ref_or_view, idx, val, mask: those of `atomic_add`.

    Returns:
      The elements before.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> ref = dt.new_ref(dnp.zeros(3, "int32"))
      >>> plgpu.atomic_min(ref, 1, -2)
      Array(0, dtype=int32)
    """
    return _extreme("min", x_ref_or_view, idx, val, mask)


def _extreme(which: str, ref: Any, idx: Any, val: Any, mask: Any) -> Any:
    before = ref[idx]
    val = of_type(f"atomic_{which}", val, before.dtype)
    part = ref[...].at[idx]
    ref[...] = getattr(part, which)(val if mask is None else dnp.where(mask, val, before))
    return before


def atomic_xchg(x_ref_or_view: Any, idx: Any, val: Any, *, mask: Any = None) -> Any:
    """Replace the elements of a reference at an index; `swap`.

    Args:
      x_ref_or_view, idx, val, mask: those of `atomic_add`.

    Returns:
      The elements before; where the mask does not hold, `val`.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> plgpu.atomic_xchg(dt.new_ref(dnp.zeros(3, "int32")), 1, 2)
      Array(0, dtype=int32)
    """
    return windows.swap(x_ref_or_view, idx, val, mask=mask)


def atomic_cas(ref: Any, cmp: Any, val: Any) -> Any:
    """Replace what a reference holds if it is a value.

    Args:
      ref: a reference, or a window of one.
      cmp: the value.
      val: the new one.

    Returns:
      What it held before.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> ref = dt.new_ref(dnp.array(1))
      >>> plgpu.atomic_cas(ref, 1, 5), ref[...]
      (Array(1, dtype=int32), Array(5, dtype=int32))
    """
    before = ref[...]
    ref[...] = dnp.where(before == cmp, of_type("atomic_cas", val, before.dtype), before)
    return before


def debug_barrier() -> None:
    """Nothing: no program sees another one that is unfinished.

    Example:
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> plgpu.debug_barrier()
    """


def max_contiguous(x: Any, values: int | Sequence[int]) -> Any:
    """The value, which is promised to have adjacent integers; nothing depends on it here.

    Args:
      x: an integer array.
      values: how many, or how many in each dimension.

    Returns:
      The value itself.

    Example:
      >>> from dovetail.experimental.pallas import triton as plgpu
      >>> plgpu.max_contiguous(8, 4)
      8
    """
    return x


__all__ = [
    "CompilerParams",
    "approx_tanh",
    "atomic_add",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_xchg",
    "debug_barrier",
    "dot",
    "load",
    "max_contiguous",
    "store",
]
