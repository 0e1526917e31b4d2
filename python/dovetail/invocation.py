"""What calls in C++ must know of a compiled program: they then need no Python of ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from iree.runtime import VmVariantList

from dovetail import _core
from dovetail.array import Array
from dovetail.pytree import unflatten
from dovetail.runtime.buffer import Buffer, put
from dovetail.runtime.devices import SHARE_BYTES
from dovetail.runtime.dtypes import ELEMENT_OF_DTYPE
from dovetail.runtime.executable import Executable, unshare
from dovetail.shaped import ShapedArray

_core.set_runtime(Buffer)


def invocation(
    executable: Executable,
    inputs: Sequence[ShapedArray],
    captured: Sequence[Buffer],
    outputs: Sequence[ShapedArray],
    out_spec: Any,
) -> Any:
    """A call of a program, from the leaves of its arguments to the tree of its results.

    Args:
      executable: the program.
      inputs: the types of its arguments.
      captured: its last arguments, the same in each call.
      outputs: the types of its results.
      out_spec: their structure.

    Returns:
      A `_core.Invocation` for `CompiledCalls._remember`.
    """
    device = executable.device

    def place(leaf: Any, dtype: np.dtype) -> tuple[Any, np.ndarray | None]:
        data = data_for_call(leaf, device) if type(leaf) is Array else np.asarray(leaf, dtype)
        return executable.argument(data)

    return _core.Invocation(
        {
            "inputs": [
                (
                    aval.dtype,
                    ELEMENT_OF_DTYPE[aval.dtype],
                    math.prod(aval.shape) * aval.dtype.itemsize < SHARE_BYTES,
                )
                for aval in inputs
            ],
            "outputs": [
                (aval.dtype, aval.shape, aval.weak_type, i in executable.sharing)
                for i, aval in enumerate(outputs)
            ],
            "captured": [buffer._ref for buffer in captured],
            "example": unflatten(out_spec, range(len(outputs))),
            "unflatten": out_spec.unflatten,
            "invoke": executable.invoke,
            "function": executable.function,
            "device": device,
            "space": device.space,
            "put": device.put,
            "buffer": Buffer,
            "list": VmVariantList,
            "push": VmVariantList.push_ref,
            "get": VmVariantList.get_as_ref,
            "place": place,
            "unshare": unshare,
        }
    )


def data_for_call(leaf: Array, device: Any) -> Any:
    """An array's data. What would be copied to the device at every call is copied once."""
    data = leaf.buffer
    if type(data) is not np.ndarray or data.nbytes < SHARE_BYTES or device.can_share(data):
        return data
    return leaf.move_to(put(data, device))
