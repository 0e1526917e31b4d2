"""Donated arguments: arrays that a call consumes, so that results can reuse their memory."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, _Deleted
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.errors import JaxRuntimeError
from dovetail.base.locations import here
from dovetail.programs.options import Options
from dovetail.trees.pytree import flatten, unflatten


def donated_leaves(options: Options, spec: Any, count: int) -> tuple[int, ...]:
    """The positions of the donated leaves among those of (args, kwargs).

    Args:
      options: which arguments are donated.
      spec: the structure of (args, kwargs).
      count: the number of leaves.
    """
    if not options.donates:
        return ()
    args, kwargs = unflatten(spec, range(count))
    numbers = {n % len(args) for n in options.donate_argnums if -len(args) <= n < len(args)}
    given = [args[n] for n in sorted(numbers)]
    given += [kwargs[name] for name in options.donate_argnames if name in kwargs]
    return tuple(sorted(flatten(given)[0]))


def warn_of_useless(
    name: str, donated: Sequence[int], inputs: Sequence[ShapedArray], outputs: Sequence[ShapedArray]
) -> None:
    """Warn about donated arrays without a result of their type that could reuse their memory."""
    wanted = Counter((aval.shape, aval.dtype) for aval in outputs)
    useless = []
    for number in donated:
        kind = inputs[number].shape, inputs[number].dtype
        if wanted[kind] > 0:
            wanted[kind] -= 1
        else:
            useless.append(str(inputs[number]))
    if useless:
        warnings.warn(
            f"Some donated buffers were not usable: {', '.join(useless)} of `{name}`, which has no "
            f"result of their type, {here()}; they are of no more use all the same",
            UserWarning,
            stacklevel=2,
        )


class DoubleDonationError(ValueError, JaxRuntimeError):
    """A donated array is passed to the same call twice."""


def check_donated(leaves: Sequence[Any], donated: Sequence[int]) -> None:
    """Check the arrays of a call before it consumes any.

    Raises:
      DoubleDonationError: a donated array is passed more than once.
      RuntimeError: an array was consumed by an earlier call.
    """
    for leaf in leaves:
        if leaf.is_deleted():
            leaf._value()
    uses = Counter(map(id, leaves))
    for number in donated:
        leaf = leaves[number]
        if uses[id(leaf)] > 1:
            raise DoubleDonationError(
                "a donated array must be only one of a call's arguments, got: the same array "
                f"{uses[id(leaf)]} times: {leaf.aval} {here()}; donate a copy, `x.copy()`"
            )


def remains_of(aval: ShapedArray) -> Any:
    """The placeholder for the data of a consumed array of a type."""
    return _Deleted(aval)


def take(leaves: Sequence[Array], donated: Sequence[int]) -> list[Array]:
    """Take the data of the donated arrays from their owners.

    From now on, the given arrays are deleted: if two threads donate one array, only one gets it.

    Returns:
      The arrays of the call; the donated ones are new objects, which only the call knows.

    Raises:
      RuntimeError: a donated array was consumed before; then all arrays stay as they are.
    """
    own = list(leaves)
    for i, number in enumerate(donated):
        leaf = leaves[number]
        data = _core.exchange_data(leaf, remains_of(leaf.aval))
        own[number] = Array(data, leaf.weak_type, leaf._place)
        if own[number].is_deleted():
            give_back(leaves, own, donated[:i])
            own[number]._value()
    return own


def give_back(leaves: Sequence[Array], own: Sequence[Array], donated: Sequence[int]) -> None:
    """Undo `take`, for a call that fails before it runs."""
    for number in donated:
        _core.exchange_data(leaves[number], own[number].buffer)


def surrender(
    leaves: Sequence[Array], donated: Sequence[int], device: Any, data: list[Any]
) -> None:
    """Replace the data of donated arrays by buffers that the program may overwrite.

    Args:
      leaves: the arrays of the call, as `take` returns them.
      donated: the indices of the donated ones.
      device: the runtime device of the program.
      data: the data of each array; entries of donated ones are replaced.
    """
    from dovetail.runtime import put  # lazy

    for number in donated:
        leaf = leaves[number]
        data[number] = None
        buffer = leaf.buffer
        # This reference, and that of the array.
        if not _may_be_overwritten(buffer, device, references=2):
            buffer = put(np.asarray(buffer), device)
            leaf.delete()
        data[number] = buffer


def own_parts(parts: list[Any], devices: Sequence[Any]) -> None:
    """Replace the parts of a donated array by buffers that the program may overwrite.

    Args:
      parts: those of the devices, of an array as `take` returns it.
      devices: the runtime devices of the program.
    """
    from dovetail.runtime import put  # lazy

    for i, device in enumerate(devices):
        part = parts[i]
        # This reference, that of the list, and that of the array's own list.
        if not _may_be_overwritten(part, device, references=3):
            parts[i] = put(np.asarray(part), device)


def _may_be_overwritten(data: Any, device: Any, references: int) -> bool:
    """Whether an array's data is a buffer of the device that only a call knows, by so many
    references: any other would see what is written.
    """
    from dovetail.runtime import Buffer  # lazy

    # Those of the parameter and of `getrefcount` come on top.
    is_own = type(data) is Buffer and sys.getrefcount(data) <= references + 2
    return is_own and not data.is_shared and data.device.space is device.space
