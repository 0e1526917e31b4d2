"""Makers of weakly typed arrays, for tests that need one as an operand."""

import numpy as np

from dovetail import Array as _A
from dovetail import lax as _lax
from dovetail import numpy as _jnp


def _convert_element_type(operand, new_dtype=None, weak_type=False, sharding=None):
    y = (
        _jnp.asarray(operand)
        if new_dtype is None
        else _lax.convert_element_type(operand, new_dtype)
    )
    if weak_type and isinstance(y, _A):
        from dovetail.tracer import constant

        return constant(np.asarray(y), True)
    return y


def _const(example, val):
    return _jnp.asarray(val, _jnp.asarray(example).dtype)
