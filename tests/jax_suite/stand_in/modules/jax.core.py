"""The descriptions of arrays, of which test cases are made."""

from jax._src.core import ShapedArray  # noqa
