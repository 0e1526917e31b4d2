"""`jax.interpreters.batching`: batching rules of primitives of users."""

from dovetail.as_jax.batching_rules import bdim_at_front as bdim_at_front
from dovetail.as_jax.batching_rules import broadcast as broadcast
from dovetail.as_jax.batching_rules import defbroadcasting as defbroadcasting
from dovetail.as_jax.batching_rules import defreducer as defreducer
from dovetail.as_jax.batching_rules import defvectorized as defvectorized
from dovetail.as_jax.batching_rules import moveaxis as moveaxis
from dovetail.transforms.primitive_rules import AxisData as AxisData
from dovetail.transforms.primitives import axis_batchers as axis_primitive_batchers  # noqa: F401
from dovetail.transforms.primitives import batchers as primitive_batchers  # noqa: F401
from dovetail.transforms.primitives import fancy_batchers as fancy_primitive_batchers  # noqa: F401

not_mapped = None
