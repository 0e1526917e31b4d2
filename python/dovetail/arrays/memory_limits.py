"""Memory that cannot be allocated: arrays and evaluations that are rejected.

The runtime, which this uses, is imported only then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dovetail.base.locations import here

if TYPE_CHECKING:
    from dovetail.arrays.array import Array
    from dovetail.arrays.shaped_array import ShapedArray
    from dovetail.runtime.memory import OutOfMemoryError

# For smaller arrays the machine's memory is not checked.
LARGE = 1 << 32


def check_size(array: np.ndarray | Array) -> None:
    """Reject an array larger than any memory, even if its storage is small (a broadcast view).

    Raises:
      OutOfMemoryError: it is larger than the machine's memory and swap.
    """
    from dovetail.runtime.memory import OutOfMemoryError, in_words, memory_of_host  # lazy

    limit = memory_of_host()
    if limit and array.nbytes > limit:
        raise OutOfMemoryError(
            f"RESOURCE_EXHAUSTED: an array of {in_words(array.nbytes)} is wanted, {array.dtype}"
            f"{list(array.shape)}, {there()}, {here()}"
        )


def check_scratch(name: str, avals: Sequence[ShapedArray]) -> None:
    """Reject scratch memory of a kernel that is larger than any memory, also if nothing uses it.

    Raises:
      OutOfMemoryError: it is larger than the machine's memory and swap.
    """
    from dovetail.runtime.memory import OutOfMemoryError, in_words, memory_of_host  # lazy

    wanted = sum(math.prod(aval.shape) * aval.dtype.itemsize for aval in avals)
    limit = memory_of_host()
    if limit and wanted > limit:
        raise OutOfMemoryError(
            f"RESOURCE_EXHAUSTED: the scratch memory of the kernel `{name}` must fit the device, "
            f"got: {in_words(wanted)}, {there()}, {here()}; use smaller scratch_shapes"
        )


def of_evaluation(name: str, error: Exception) -> OutOfMemoryError:
    """The error to raise when an op of a program could not be evaluated."""
    from dovetail.runtime.memory import OutOfMemoryError  # lazy

    return OutOfMemoryError(f"RESOURCE_EXHAUSTED: `{name}`: {error}, {there()}")


def there() -> str:
    """The machine's memory size, as text."""
    from dovetail.runtime.memory import in_words, memory_of_host  # lazy

    limit = memory_of_host()
    return f"this machine has {in_words(limit)}" if limit else "the machine has less"
