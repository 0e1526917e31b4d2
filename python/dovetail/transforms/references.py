"""Creation, ends and accesses of references."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.keys import is_key_type, is_keys
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.tracing import reference_ops
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.bind import zeros
from dovetail.tracing.held import Held
from dovetail.tracing.key_references import KeyRef
from dovetail.tracing.references import AbstractRef, Ref, copied

_KINDS = (None, "no_grad_no_remat")


def new_ref(init_val: Any, *, memory_space: Any = None, kind: str | None = None) -> Any:
    """Create a reference, a mutable place that holds an array.

    Args:
      init_val: the array that it holds first, of any shape and dtype, also of random keys, or a
        number.
      memory_space: must be None.
      kind: None or `no_grad_no_remat`, which is accepted and means nothing here: what a function
        writes to a reference from outside of it has no derivative in any case.

    Returns:
      The reference. It is read by `ref[index]` and written by `ref[index] = value`. Within a traced
      function that creates it, it is part of that function.

    Raises:
      TypeError: `init_val` is not an array or a number.
      ValueError: `memory_space` or `kind` is another one.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> ref = dt.new_ref(dnp.arange(3))
      >>> ref[1] = 7
      >>> ref[1:] += 1
      >>> ref
      Ref([0, 8, 3], dtype=int32)
    """
    if memory_space is not None or kind not in _KINDS:
        raise ValueError(
            "new_ref: memory_space must be None, and kind one of None and 'no_grad_no_remat', got: "
            f"{memory_space!r} and {kind!r} {here()}"
        )
    if is_keys(init_val):
        return KeyRef(new_ref(init_val._data, kind=kind), init_val.dtype)
    x = as_operand(init_val, "init_val of new_ref")
    in_progress = current()
    if in_progress is not None:
        aval = AbstractRef(x.aval.update(weak_type=False))
        return Ref(aval, None, in_progress, reference_ops.new(in_progress, x))
    array: Array = copied(x)
    return Ref(AbstractRef(array.aval), array, None, -1)


def empty_ref(ty: Any, memory_space: Any = None) -> Any:
    """Create a reference whose first array must not be relied on; here it is zeros.

    Args:
      ty: anything with shape and dtype, such as a `ShapeDtypeStruct`.
      memory_space: must be None.

    Returns:
      The reference.

    Raises:
      TypeError: `ty` has no shape or no dtype.

    Example:
      >>> import dovetail as dt
      >>> ref = dt.empty_ref(dt.ShapeDtypeStruct((2,), "float32"))
      >>> ref[...] = 1.0
      >>> ref[...]
      Array([1., 1.], dtype=float32)
    """
    if not (hasattr(ty, "shape") and hasattr(ty, "dtype")):
        raise type_error(f"empty_ref: ty must have a shape and a dtype, got: {ty!r}")
    if is_key_type(ty.dtype):
        shape = (*ty.shape, *ty.dtype.generator.key_shape)
        words = new_ref(zeros(ShapedArray(shape, np.dtype(np.uint32))), memory_space=memory_space)
        return KeyRef(words, ty.dtype)
    return new_ref(zeros(ShapedArray(ty.shape, dtypes.dtype(ty))), memory_space=memory_space)


def freeze(ref: Ref) -> Array:
    """End a reference; it must not be used any more.

    Args:
      ref: the reference.

    Returns:
      The array that it holds, without a copy.

    Raises:
      TypeError: it is not a reference.
      ValueError: it was frozen or freed before.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.freeze(dt.new_ref(dnp.zeros(2)))
      Array([0., 0.], dtype=float32)
    """
    return _checked("freeze", ref).end()


def free_ref(ref: Ref) -> None:
    """End a reference, and drop the array that it holds.

    Args:
      ref: the reference; it must not be used any more.

    Raises:
      TypeError: it is not a reference.
      ValueError: it was frozen or freed before.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.free_ref(dt.new_ref(dnp.zeros(2)))
    """
    _checked("free_ref", ref).end()


def _checked(what: str, ref: Any) -> Any:
    if not isinstance(ref, (Ref, KeyRef)):
        raise type_error(f"{what}: ref must be a reference made by new_ref, got: {ref!r}")
    return ref


def _window(what: str, ref: Any) -> Any:
    return ref if isinstance(ref, Held) else _checked(what, ref)


def get(ref: Any, idx: Any = ...) -> Array:
    """The elements of a reference at an index, like `ref[idx]`.

    Args:
      ref: a reference, or a window of one, `ref.at[index]`.
      idx: any index that arrays have.

    Returns:
      An array, which later writes leave alone.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.ref.get(dt.new_ref(dnp.arange(3)), 1)
      Array(1, dtype=int32)
    """
    return _window("get", ref)[idx]


def set(ref: Any, idx: Any, value: Any) -> None:
    """Replace the elements of a reference at an index, like `ref[idx] = value`.

    Args:
      ref: a reference, or a window of one, `ref.at[index]`.
      idx: any index that arrays have.
      value: an array that broadcasts to the shape of `ref[idx]`, of the reference's dtype; weakly
        typed ones and integers are converted.

    Raises:
      ValueError: the shape or the dtype does not fit.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> ref = dt.new_ref(dnp.arange(3))
      >>> dt.ref.set(ref, slice(1, None), 5)
      >>> ref[...]
      Array([0, 5, 5], dtype=int32)
    """
    _window("set", ref)[idx] = value


def swap(ref: Any, idx: Any, value: Any) -> Array:
    """Replace the elements of a reference at an index, as `set` does.

    Args:
      ref, idx, value: those of `set`.

    Returns:
      The elements before.

    Raises:
      ValueError: the shape or the dtype does not fit.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.ref.swap(dt.new_ref(dnp.arange(3)), 2, 5)
      Array(2, dtype=int32)
    """
    return _window("swap", ref).swap(value, idx)


def addupdate(ref: Any, idx: Any, x: Any) -> None:
    """Add to the elements of a reference at an index.

    Args:
      ref, idx: those of `set`; to an element whose index occurs several times, all are added, which
        `ref[idx] += x` does not do.
      x: an array that broadcasts to the shape of `ref[idx]`, of a dtype that `set` takes.

    Raises:
      ValueError: the shape or the dtype does not fit.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> ref = dt.new_ref(dnp.arange(3))
      >>> dt.ref.addupdate(ref, dnp.array([0, 0, 2]), 1)
      >>> ref[...]
      Array([2, 1, 3], dtype=int32)
    """
    _window("addupdate", ref).addupdate(x, idx)
