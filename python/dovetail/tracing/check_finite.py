"""Programs that report which op was the first to produce a NaN or an infinity, in the same run.

With `debug_nans` or `debug_infs`, a compiler pass adds a result that identifies that op, if any. It
is read only if another result has such a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from dovetail.reference.checks import UNWANTED, UnwantedValueError, first_of

# The element type of the additional result, and its value if no op produced a NaN or an infinity.
CODE = np.dtype(np.int32)
_NONE = np.iinfo(CODE).max

# Functions whose names differ from those of their ops.
_FUNCTIONS = {"case": "cond", "while": "while_loop"}


def known_as(op: str) -> str:
    """The name by which users know an op."""
    return _FUNCTIONS.get(op, op)


def accepted(
    results: Sequence[Any],
    checks: Sequence[str],
    name: str,
    module: Callable[[], Any],
    arguments: Iterable[tuple[Any, Any]] = (),
) -> Sequence[Any]:
    """The results of a checked program without the additional one.

    Args:
      results: arrays, or buffers.
      checks: the names of the values that the program was made to find.
      name: the program's name in messages.
      module: returns the module before the phase that added the result.
      arguments: names and values of the program's arguments, for the message if they already have
        the value.

    Raises:
      UnwantedValueError: one of the others has one of the values.
    """
    *results, code = results
    values = [UNWANTED[check] for check in checks]
    found = next(filter(None, (first_of(np.asarray(x), values) for x in results)), None)
    if found is None:
        return results
    value, what = found
    what += f", in what `{name}` returns"
    sources = [str(source) for source, x in arguments if first_of(np.asarray(x), values)]
    code = int(np.asarray(code))
    if code == _NONE:
        what += f", which come from {' and '.join(sources) or 'its arguments or constants'}"
        raise UnwantedValueError(value.refused(f"`{name}`", what))
    number, kind = divmod(code, 2)
    made = list(UNWANTED.values())[kind]
    what = f"the first here, and in the end {what if made is value else f'{value.value}: {what}'}"
    if sources:
        what += f", while {' and '.join(sources)} came with some"
    op, location = module().op_numbered(number)
    raise UnwantedValueError(made.refused(known_as(op), what), location)
