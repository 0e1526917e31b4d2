"""Memory that cannot be allocated."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

# The message of IREE's allocators, on all devices. Other exhausted resources are not memory.
_EXHAUSTED = re.compile(r"RESOURCE_EXHAUSTED.*alloc", re.DOTALL)


class OutOfMemoryError(MemoryError, RuntimeError):
    """A program, or an array, needs more memory than can be allocated.

    Programs written for JAX catch it as the `RuntimeError` that JAX raises.

    Example:
      >>> import dovetail.numpy as dnp
      >>> try:
      ...     dnp.zeros(10**15)
      ... except MemoryError as error:
      ...     print(type(error).__name__)
      OutOfMemoryError
    """


def is_out_of_memory(error: BaseException) -> bool:
    """True if an IREE error reports that memory is exhausted."""
    return _EXHAUSTED.search(str(error)) is not None


@functools.cache
def memory_of_host() -> int:
    """The bytes of this machine's memory and swap, 0 if unknown."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        sizes = {key: int(rest.split()[0]) for key, _, rest in (x.partition(":") for x in lines)}
        return (sizes["MemTotal"] + sizes["SwapTotal"]) << 10
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0


def in_words(count: int) -> str:
    """A number of bytes.

    >>> in_words(1000), in_words(3 << 30)
    ('1000 bytes', '3.0 GiB')
    """
    if count < 1 << 10:
        return f"{count} bytes"
    power = min((count.bit_length() - 1) // 10, 6)
    return f"{count / (1 << 10 * power):.1f} {' KMGTPE'[power]}iB"
