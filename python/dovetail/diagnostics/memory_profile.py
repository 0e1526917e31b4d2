"""Profiles of device memory for `pprof`."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from dovetail.diagnostics.environment import live_arrays

# Field numbers of profile.proto (github.com/google/pprof).
_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _STRINGS = 1, 2, 4, 5, 6
_TYPE, _UNIT = 1, 2
_SAMPLE_LOCATION, _SAMPLE_VALUE = 1, 2
_LOCATION_ID, _LOCATION_LINE = 1, 4
_LINE_FUNCTION = 1
_FUNCTION_ID, _FUNCTION_NAME = 1, 2


def device_memory_profile(backend: str | None = None) -> bytes:
    """The live arrays, by device, type and shape, as a profile for `pprof`.

    Args:
      backend: a platform such as "cpu"; None for the default.

    Returns:
      The bytes of a compressed protocol buffer `profile.proto`; its values are numbers of arrays
      and bytes. The lines of Python that made the arrays are not recorded.

    Example:
      >>> from dovetail import profiler
      >>> profiler.device_memory_profile()[:2] == bytes([0x1F, 0x8B])
      True
    """
    counts: Counter[tuple[str, str, int]] = Counter()
    for array in live_arrays(backend):
        for shard in array.addressable_shards:
            counts[str(shard.device), str(shard.data.aval), shard.data.nbytes] += 1
    return gzip.compress(_profile(counts), mtime=0)


def save_device_memory_profile(
    filename: os.PathLike[str] | str, backend: str | None = None
) -> None:
    """Write `device_memory_profile`, for `pprof` to read.

    Args:
      filename: the file to write.
      backend: a platform such as "cpu"; None for the default.

    Example:
      >>> import pathlib, tempfile
      >>> from dovetail import profiler
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     profiler.save_device_memory_profile(pathlib.Path(folder) / "memory.prof")
    """
    Path(filename).write_bytes(device_memory_profile(backend))


def _profile(counts: Counter[tuple[str, str, int]]) -> bytes:
    """A profile with one stack for each kind of array: its type, on its device."""
    strings = {"": 0}

    def text(value: str) -> int:
        return strings.setdefault(value, len(strings))

    frames: dict[str, int] = {}

    def frame(name: str) -> int:
        return frames.setdefault(name, len(frames) + 1)

    parts = [
        _message(_SAMPLE_TYPE, _number(_TYPE, text(what)) + _number(_UNIT, text(unit)))
        for what, unit in (("allocations", "count"), ("space", "bytes"))
    ]
    for (device, kind, size), count in sorted(counts.items()):
        stack = [frame(f"{kind} on {device}"), frame(device)]
        sample = _message(_SAMPLE_LOCATION, _packed(stack))
        sample += _message(_SAMPLE_VALUE, _packed([count, count * size]))
        parts.append(_message(_SAMPLE, sample))
    for name, number in frames.items():
        line = _message(_LOCATION_LINE, _number(_LINE_FUNCTION, number))
        parts.append(_message(_LOCATION, _number(_LOCATION_ID, number) + line))
        function = _number(_FUNCTION_ID, number) + _number(_FUNCTION_NAME, text(name))
        parts.append(_message(_FUNCTION, function))
    parts += [_message(_STRINGS, value.encode()) for value in strings]
    return b"".join(parts)


# The wire format of protocol buffers -------------------------------------------------------------


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _packed(values: Iterable[int]) -> bytes:
    return b"".join(map(_varint, values))
