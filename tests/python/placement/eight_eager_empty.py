"""Arrays without elements: on which devices they are, as in JAX 0.10.2; and they decide nothing
of other arrays; run by `test_devices`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as jnp
from dovetail import lax
from dovetail.sharding import NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.divided import MESH, g, put

z = put((0, 8), None, "y")
NO_PLACES = np.zeros(0, np.int32)

# What an index does not find is a new array, on no mesh.
OF_NOTHING: dict[str, Callable[[], Any]] = {
    "slice": lambda: g[:0],
    "slice of a slice": lambda: g[3:3, :2],
    "places": lambda: g[NO_PLACES],
    "slice of nothing": lambda: z[:, 1:3],
    "row of nothing": lambda: z.T[0],
    "get": lambda: z.at[:, 0].get(),
    "take": lambda: jnp.take(g, NO_PLACES, axis=0),
    "compress": lambda: jnp.compress(np.zeros(8, bool), g, 0),
    "nonzero": lambda: jnp.nonzero(z)[0],
    "where": lambda: jnp.where(z > 0, 0.0, z),
    "trim_zeros": lambda: jnp.trim_zeros(g[0] * 0),
}

# Computed results are on all devices, and an operand without elements does not count.
ON_THE_MESH: dict[str, tuple[Callable[[], Any], P]] = {
    "sum": (lambda: z.sum(), P()),
    "product": (lambda: lax.dot(z.T, z), P()),
    "pad": (lambda: jnp.pad(z, 1), P()),
    "new dimension": (lambda: z[None], P()),
    "reverse": (lambda: z[::-1], P()),
    "concatenate before": (lambda: jnp.concatenate([z, g]), P("x", "y")),
    "concatenate after": (lambda: jnp.concatenate([g, z]), P("x", "y")),
    "update": (lambda: g.at[NO_PLACES].set(0.0), P("x", "y")),
}


@pytest.mark.parametrize("name", OF_NOTHING)
@dt.config.compile("never")
def test_nothing_is_on_no_mesh(name: str) -> None:
    result = OF_NOTHING[name]()
    assert 0 in result.shape
    assert not result.committed
    assert result.sharding.num_devices == 1


@pytest.mark.parametrize("name", ON_THE_MESH)
@dt.config.compile("never")
def test_what_is_computed_is_on_the_mesh(name: str) -> None:
    function, spec = ON_THE_MESH[name]
    result = function()
    assert result.sharding.is_equivalent_to(NamedSharding(MESH, spec), result.ndim)
