"""`jax.experimental.shard_map`: `shard_map`, by its former name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dovetail
from dovetail.sharding import AbstractMesh, Mesh


def shard_map(
    f: Callable[..., Any],
    mesh: Mesh | AbstractMesh,
    in_specs: Any,
    out_specs: Any,
    check_rep: bool = True,
) -> Any:
    """`dovetail.shard_map`, whose arguments may be positional.

    Args:
      f, mesh, in_specs, out_specs: as for `dovetail.shard_map`.
      check_rep: its `check_vma`.

    Returns:
      The function of whole arrays.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.as_jax.deprecated.shard_map import shard_map
      >>> mesh = dt.make_mesh((1,), ("x",))
      >>> double = shard_map(lambda x: 2 * x, mesh, dt.P("x"), dt.P("x"))
      >>> print(double(dt.numpy.arange(3)))
      [0 2 4]
    """
    return dovetail.shard_map(
        f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check_rep
    )
