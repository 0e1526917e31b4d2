"""`jax.interpreters.batching`: batching rules of primitives of users."""

from typing import Any

from dovetail import numpy as dnp
from dovetail.as_jax.primitives import registration

primitive_batchers: dict[Any, Any] = {}
axis_primitive_batchers: dict[Any, Any] = {}
fancy_primitive_batchers: dict[Any, Any] = {}
not_mapped = None

defvectorized = registration(primitive_batchers)
defbroadcasting = registration(primitive_batchers)
defreducer = registration(primitive_batchers)


def broadcast(x: Any, sz: int, axis: int) -> Any:
    """A batch of `sz` copies of `x` along `axis`."""
    return dnp.repeat(dnp.expand_dims(x, axis), sz, axis)


def bdim_at_front(x: Any, bdim: int | None, size: int) -> Any:
    """A batch, with the batched dimension first."""
    return broadcast(x, size, 0) if bdim is None else dnp.moveaxis(x, bdim, 0)
