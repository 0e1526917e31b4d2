"""JAX's `random`: keys, and the samples that depend on nothing but them and parameters."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.random.creation import (
    PRNGKey,
    clone,
    fold_in,
    key,
    key_data,
    key_dtype,
    key_impl,
    split,
    wrap_key_data,
)
from dovetail.random.normal import normal
from dovetail.random.uniform import bernoulli, bits, rademacher, randint, uniform
