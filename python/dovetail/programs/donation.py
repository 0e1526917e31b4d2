"""Donated arguments: arrays that a call may use up, so that results take their memory."""

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
    """The numbers of the donated ones among the leaves of (args, kwargs).

    Args:
      options: which arguments are donated.
      spec: the structure of (args, kwargs).
      count: how many leaves there are.
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
    """Warn if there are donated arrays of whose types there are not as many results."""
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
    """An array is donated that a call is given in another place as well."""


def check_donated(leaves: Sequence[Any], donated: Sequence[int]) -> None:
    """Refuse a call that would use arrays up and then fail.

    Raises:
      DoubleDonationError: it is given an array in several places, in one of them donated.
      RuntimeError: it is given an array that was used up before.
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
    """What an array of a type is left with when it is used up."""
    return _Deleted(aval)


def taken(leaves: Sequence[Array], donated: Sequence[int]) -> list[Array]:
    """The arrays of a call, the donated ones as others that only the call knows.

    The given ones are of no use from now on: of two threads that donate one array, one gets it.

    Raises:
      RuntimeError: a donated array was used up before; then all stay as they are.
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
    """Undo `taken`, for a call that does not come to run."""
    for number in donated:
        _core.exchange_data(leaves[number], own[number].buffer)


def surrender(
    leaves: Sequence[Array], donated: Sequence[int], device: Any, data: list[Any]
) -> None:
    """Replace what a call is given for donated arrays by what may be written over.

    Args:
      leaves: the arrays of the call, as `taken` gives them.
      donated: the numbers of the donated ones.
      device: what runs the program.
      data: what the call is given for each array.
    """
    from dovetail.runtime import Buffer, put  # lazy

    for number in donated:
        leaf = leaves[number]
        data[number] = None
        buffer = leaf.buffer
        # Names of it: here, in `getrefcount`, and the array's. Others would see what is written.
        is_own = type(buffer) is Buffer and sys.getrefcount(buffer) <= 3 and not buffer.is_shared
        if not is_own or buffer.device.space is not device.space:
            buffer = put(np.asarray(buffer), device)
            leaf.delete()
        data[number] = buffer
