"""Eager calls that are remembered: what a function did with arguments of some types is done again,
without its Python, when they come again.

The second call of a public function with the same types of arrays and the same other arguments is
recorded as a trace, which becomes a program of NumPy's functions; further calls replay it, in C++.
Settings are part of what a call is remembered by.
"""

from __future__ import annotations

import atexit
import enum
import functools
import inspect
import itertools
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.base import config
from dovetail.base.element_types import KINDS
from dovetail.base.trace_stack import stack
from dovetail.eager.recording import record
from dovetail.reference.checks import Unwanted, UnwantedValueError, first_of, unwanted
from dovetail.reference.table import quiet_state
from dovetail.trees.pytree import flatten, is_named_tuple


class Constant:
    """An object that never changes, and equals no other: calls are remembered by which it is."""

    __slots__ = ()


_core.set_package(
    array=Array,
    ndarray=np.ndarray,
    generic=np.generic,
    dtype=np.dtype,
    dtypes={dtype: dtype for dtype in KINDS},
    asarray=np.asarray,
    stack=stack,
    settings=config.state,
    snapshot=config.snapshot,
    errors=quiet_state[0],
    quiet=quiet_state[1],
    record=record,
    constants=(enum.Enum, Constant),
    flatten=flatten,
    is_named_tuple=is_named_tuple,
)
config.on_change(_core.clear_eager_cache)
config.on_change(_core.settings_changed)


def _check(function: FunctionType, result: Any, /, *args: Any, **kwargs: Any) -> None:
    """Refuse a value that the result of a public function has and that it was not given.

    Its ops are checked one by one, but those that choose between values may choose a constant.
    """
    for value in unwanted():
        found = _first_in(result, value)
        if found and not _first_in((args, kwargs), value):
            what = f"{found}, which come from its constants"
            raise UnwantedValueError(value.refused(function.__name__, what))


def _first_in(tree: Any, value: Unwanted) -> str | None:
    """The first among the arrays and numbers of a tree that has a value, as `first_of` says it."""
    for leaf in flatten(tree)[0]:
        if isinstance(leaf, (Array, np.ndarray, np.generic, float, complex)):
            found = first_of(np.asarray(leaf), (value,))
            if found:
                return found[1]
    return None


for _setting in (config.debug_nans, config.debug_infs):
    _setting.when_used(lambda: _core.set_checker(_check))
# The garbage collector does not see that C++ holds it, with all that this module refers to.
atexit.register(_core.set_checker, None)

# The flag of a function with *args.
_VARARGS = 0x04
# A bit for each position that C++ tells from the rest.
_ALL = (1 << 64) - 1


def remembered(function: FunctionType, module: str, name: str) -> _core.CachedFunction:
    """A function whose eager calls are remembered.

    Args:
      function: computes arrays from arrays by ops alone, and does nothing else. Scalars are
        operands where its annotations say `ArrayLike`.
      module, name: where it is public.
    """
    code, annotations = inspect.unwrap(function).__code__, function.__annotations__
    count = code.co_argcount + code.co_kwonlyargcount
    named, others = code.co_varnames[:count], code.co_varnames[count : count + 1]
    are_operands = ["ArrayLike" in str(annotations.get(name)) for name in named]
    positions = sum(flag << i for i, flag in enumerate(are_operands[: code.co_argcount]))
    rest = bool(code.co_flags & _VARARGS) and "ArrayLike" in str(annotations.get(*others))
    if rest:
        positions |= _ALL - (1 << code.co_argcount) + 1
    names = itertools.compress(named, are_operands)
    result = _core.CachedFunction(function, positions, rest, tuple(names))
    functools.update_wrapper(result, function)
    result.__module__, result.__qualname__ = module, name
    return result


def remember(
    package: dict[str, Any], impure: Sequence[str] = (), module: str | None = None
) -> None:
    """Remember the eager calls of a package's functions.

    Args:
      package: its global names.
      impure: names of functions that read or write anything but their arguments.
      module: where the functions are public; by default in the package.
    """
    made: dict[FunctionType, Any] = {}
    for name, value in list(package.items()):
        if type(value) is not FunctionType or name.startswith("_") or name in impure:
            continue
        if value.__module__.partition(".")[0] == __name__.partition(".")[0]:
            if value not in made:
                made[value] = remembered(value, module or package["__name__"], value.__name__)
            package[name] = made[value]
