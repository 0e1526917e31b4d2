"""`jax._src.sharding_impls`: shardings, and what stands for one that is not stated."""

from dovetail.sharding import *  # noqa: F403


class UnspecifiedValue:
    """The class of what stands for a sharding that is not stated."""

    def __repr__(self) -> str:
        return "UnspecifiedValue"


UNSPECIFIED = UnspecifiedValue()
