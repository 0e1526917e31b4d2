"""`jax.extend.random`: the generators of random bits."""

from typing import Any

from dovetail import random
from dovetail.random.generators import GENERATORS as _GENERATORS

threefry_prng_impl = _GENERATORS["threefry2x32"]
rbg_prng_impl = _GENERATORS["rbg"]
unsafe_rbg_prng_impl = _GENERATORS["unsafe_rbg"]


def seed_with_impl(impl: Any, seed: Any) -> Any:
    """A key of a generator.

    Args:
      impl: the generator, such as `threefry_prng_impl`.
      seed: an integer.

    Example:
      >>> from dovetail.as_jax.jax.extend import random
      >>> random.seed_with_impl(random.rbg_prng_impl, 0).shape
      ()
    """
    return random.key(seed, impl=impl)
