"""Describes a compiled program for calls in C++, which then run without Dovetail's Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from iree.runtime import VmVariantList

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray

# Tells C++ of the package, which calls need also where no eager call has been made.
from dovetail.eager import cache as cache
from dovetail.programs.donation import remains_of
from dovetail.runtime import iree_internals
from dovetail.runtime.buffer import Buffer, put
from dovetail.runtime.devices import SHARE_BYTES
from dovetail.runtime.dtypes import ELEMENT_OF_DTYPE
from dovetail.runtime.executable import Executable, unshare
from dovetail.symbolic.size import has_sizes
from dovetail.trees.pytree import unflatten

if TYPE_CHECKING:
    from dovetail.programs.program import Program

_core.set_runtime(Buffer)


def invocation(
    executable: Executable, program: Program, captured: Sequence[Buffer]
) -> _core.Invocation:
    """A call of a program, from the leaves of its arguments to the tree of its results.

    Args:
      executable: the loaded executable.
      program: the program.
      captured: the arrays that it closes over, its last arguments.

    Returns:
      A `_core.Invocation` for `CompiledCalls._cache_call`.
    """
    device = executable.device

    def argument(leaf: Any, dtype: np.dtype) -> tuple[Any, np.ndarray | None]:
        data = data_for_call(leaf, device) if type(leaf) is Array else np.asarray(leaf, dtype)
        return executable.argument(data)

    def copied(leaf: Any, dtype: np.dtype) -> Any:
        data = leaf.buffer if type(leaf) is Array else leaf
        return put(np.asarray(data, dtype), device)._ref

    def failure(error: Exception, leaves: Sequence[Any]) -> Exception:
        found = executable.failure(error, leaves)
        if found is not error:
            found.__cause__ = error
        return found

    donated = set(program.donated)
    return _core.Invocation(
        inputs=[
            _core.InvocationInput(
                dtype=aval.dtype,
                element=ELEMENT_OF_DTYPE[aval.dtype],
                is_small=_is_small(aval),
                remains=remains_of(aval) if i in donated else None,
                is_handed_back=i in executable.handed_back,
            )
            for i, aval in enumerate(program.signature.avals)
        ],
        outputs=[
            _core.InvocationOutput(
                dtype=aval.dtype,
                shape=_known(aval.shape),
                is_weak=aval.weak_type,
                is_shared=i in executable.sharing,
            )
            for i, aval in enumerate(program.avals)
        ],
        captured=[buffer.ref for buffer in captured],
        example=unflatten(program.out_spec, range(len(program.avals))),
        unflatten=program.out_spec.unflatten,
        invoke=executable.invoke,
        function=executable.function,
        device=device,
        space=device.space,
        put=device.put,
        list=VmVariantList,
        push=iree_internals.push,
        get=iree_internals.get,
        argument=argument,
        copied=copied,
        unshare=unshare,
        failure=failure,
        place=program.place,
        share_bytes=SHARE_BYTES,
    )


def _known(shape: tuple[Any, ...]) -> tuple[int, ...] | None:
    """A shape, or None if it is symbolic."""
    return None if has_sizes(shape) else shape


def _is_small(aval: ShapedArray) -> bool | None:
    shape = _known(aval.shape)
    return None if shape is None else math.prod(shape) * aval.dtype.itemsize < SHARE_BYTES


def data_for_call(leaf: Array, device: Any) -> Any:
    """The data of an array; moved to the device if every call would copy it there."""
    data = leaf.buffer
    if type(data) is not np.ndarray or data.nbytes < SHARE_BYTES or device.can_share(data):
        return data
    return leaf.move_to(put(data, device))
