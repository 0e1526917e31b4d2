"""Display and inspection of an array's sharding."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.methods import ArrayMethods
from dovetail.base.errors import type_error, value_error
from dovetail.diagnostics.environment import devices
from dovetail.placement.shardings import Sharding, SingleDeviceSharding
from dovetail.tracing.trace import Tracer
from dovetail.trees.pytree import flatten

ColorMap = Callable[[float], Sequence[float]]

# Colors that are easy to tell apart, as red, green and blue.
_PALETTE = [(57, 59, 121), (140, 109, 49), (132, 60, 57), (123, 65, 115), (99, 121, 57)]
_PALETTE += [(82, 84, 163), (189, 158, 57), (173, 73, 74), (165, 81, 148), (140, 162, 82)]


def inspect_array_sharding(value: Any, *, callback: Callable[[Sharding], Any]) -> None:
    """Call a function with the sharding of each array of a tree, also of one that is traced.

    Args:
      value: the tree of arrays.
      callback: takes a `Sharding`. Where an array is traced, it is called while it is, with the
        default device, on which programs run whose arguments are not committed to another.

    Raises:
      TypeError: there is something else than arrays.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.debug.inspect_array_sharding(dnp.zeros(3), callback=print)
      SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)
    """
    for leaf in flatten(value)[0]:
        callback(_sharding_of(leaf))


def visualize_array_sharding(arr: Any, **kwargs: Any) -> None:
    """Print which device holds which part of an array with one or two dimensions.

    Args:
      arr: the array.
      kwargs: as for `visualize_sharding`.

    Raises:
      TypeError: `arr` is not an array.
      ValueError: it does not have one or two dimensions.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.debug.visualize_array_sharding(dnp.zeros(4))
      ┌───────┐
      │ CPU 0 │
      └───────┘
    """
    visualize_sharding(arr.shape, _sharding_of(arr), **kwargs)


def visualize_sharding(
    shape: Sequence[int],
    sharding: Sharding,
    *,
    use_color: bool = True,
    scale: float = 1.0,
    min_width: int = 9,
    max_width: int = 80,
    color_map: ColorMap | None = None,
) -> None:
    """Print which device has which part of an array of a shape of one or two dimensions.

    Args:
      shape: the array's.
      sharding: how it is spread.
      use_color: whether parts have colors, if the output is a terminal.
      scale: how large the picture is.
      min_width: the least width of a part, in characters, its frame included.
      max_width: the width of the picture that is not exceeded unless names of devices need it.
      color_map: gives, for a number from 0 to 1, red, green and blue from 0 to 1.

    Raises:
      ValueError: there are not one or two dimensions.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.debug.visualize_sharding((4,), dnp.zeros(4).sharding)
      ┌───────┐
      │ CPU 0 │
      └───────┘
    """
    if len(shape) not in (1, 2):
        raise value_error(
            "`visualize_sharding` only works for shapes with 1 and 2 dimensions, got: "
            f"{tuple(shape)}"
        )
    labels = _labels(shape, sharding)
    heights, widths = _sizes(shape, labels, scale, min_width, max_width)
    colors = None
    if use_color and sys.stdout.isatty():
        colors = _colors(len(heights) * len(widths), color_map)
    sys.stdout.write(_picture(labels, heights, widths, colors))


def _labels(shape: Sequence[int], sharding: Sharding) -> list[list[str]]:
    """The devices of each part, in rows; an array of one dimension is a row."""
    sharding.check_compatible_aval(shape)
    counts, tiles = sharding._tiling(len(shape))
    rows, columns = counts if len(shape) == 2 else (1, *counts)
    found: dict[tuple[int, ...], list[int]] = {}
    assigned = sharding._device_assignment
    for device, tile in zip(assigned, tiles, strict=True):
        found.setdefault(tile if len(tile) == 2 else (0, *tile), []).append(device.id)
    name = assigned[0].platform.upper()
    return [
        [f"{name} {','.join(map(str, sorted(found[i, j])))}" for j in range(columns)]
        for i in range(rows)
    ]


def _sizes(
    shape: Sequence[int],
    labels: list[list[str]],
    scale: float,
    min_width: int,
    max_width: int,
) -> tuple[list[int], list[int]]:
    """The heights of rows and the widths of columns, in characters, without frames."""
    base = int(10 * scale)
    # Characters are higher than they are wide.
    width = int(base * (shape[1] if len(shape) == 2 else 1) / max(shape[0], 1)) * 2.5
    count = len(labels[0])
    room = (max_width - count - 1) // count
    widths = []
    for column, part in enumerate(_fractions(shape[-1], count)):
        longest = max(len(row[column]) for row in labels)
        wanted = min(max(int(part * width), min_width), max_width) - 2
        widths.append(max(longest, min(wanted, room)))
    if len(shape) == 1:
        return [1], widths
    return [max(int(part * base) - 1, 1) for part in _fractions(shape[0], len(labels))], widths


def _fractions(size: int, count: int) -> list[float]:
    """The fraction of a dimension that each of its parts is."""
    length = max(-(-size // count), 1)
    bounds = [min(i * length, size) for i in range(count + 1)]
    return [(stop - start) / max(size, 1) for start, stop in itertools.pairwise(bounds)]


def _picture(
    labels: list[list[str]],
    heights: Sequence[int],
    widths: Sequence[int],
    colors: list[str] | None,
) -> str:
    def rule(left: str, cross: str, right: str) -> str:
        return left + cross.join("─" * width for width in widths) + right + "\n"

    rows = []
    for i, (row, height) in enumerate(zip(labels, heights, strict=True)):
        text = ""
        for line in range(height):
            cells = []
            for j, (label, width) in enumerate(zip(row, widths, strict=True)):
                cell = label.center(width) if line == (height - 1) // 2 else " " * width
                if colors is not None:
                    cell = f"{colors[i * len(row) + j]}{cell}\x1b[0m"
                cells.append(cell)
            text += "│" + "│".join(cells) + "│\n"
        rows.append(text)
    return rule("┌", "┬", "┐") + rule("├", "┼", "┤").join(rows) + rule("└", "┴", "┘")


def _colors(count: int, color_map: ColorMap | None) -> list[str]:
    """The terminal's codes of so many different backgrounds, with a readable foreground each."""
    codes = []
    for i in range(count):
        red, green, blue = _PALETTE[i % len(_PALETTE)]
        if color_map is not None:
            red, green, blue = (int(255 * part) for part in color_map(i / max(count - 1, 1))[:3])
        is_bright = 0.3 * red + 0.6 * green + 0.1 * blue > 160
        codes.append(f"\x1b[48;2;{red};{green};{blue};{30 if is_bright else 97}m")
    return codes


def _sharding_of(value: Any) -> Sharding:
    if type(value) is Tracer:
        return SingleDeviceSharding(devices()[0])
    if not isinstance(value, ArrayMethods):
        raise type_error(f"value must be an array, got: {type(value).__name__}")
    return value.sharding
