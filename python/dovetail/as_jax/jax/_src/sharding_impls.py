"""`jax._src.sharding_impls`: shardings, and what stands for one that is not stated."""

from dovetail.placement.shardings import UNSPECIFIED as UNSPECIFIED
from dovetail.placement.shardings import UnspecifiedValue as UnspecifiedValue
from dovetail.sharding import *  # noqa: F403
