"""Makers of weakly typed arrays, for tests that need one as an operand."""

from dovetail import numpy as _jnp
from dovetail.lax.convert import convert as _convert


def _convert_element_type(operand, new_dtype=None, weak_type=False, sharding=None):
    x = _jnp.asarray(operand)
    return _convert(x, x.dtype if new_dtype is None else _jnp.dtype(new_dtype), weak_type)


def _const(example, val):
    return _jnp.asarray(val, _jnp.asarray(example).dtype)


def remaining(original, *removed_lists):
    removed = {each for removed in removed_lists for each in removed}
    return [each for each in original if each not in removed]
