"""`jax._src.effects`: sets of the effects that libraries define, which nothing reads."""

from __future__ import annotations

from dovetail.as_jax.jax.core import Effect as Effect
from dovetail.as_jax.jax.core import Effects as Effects
from dovetail.jaxprs.structure import no_effects as no_effects


class EffectTypeSet:
    """Classes of effects: the effects of ops are known to the compiler, which needs none."""

    def __init__(self) -> None:
        self._types: set[type] = set()

    def add_type(self, effect_type: type) -> None:
        """Add a class."""
        self._types.add(effect_type)

    def contains(self, effect: Effect) -> bool:
        """Whether an effect is of one of the classes."""
        return isinstance(effect, tuple(self._types))

    __contains__ = contains


lowerable_effects = EffectTypeSet()
ordered_effects = EffectTypeSet()
control_flow_allowed_effects = EffectTypeSet()
custom_derivatives_allowed_effects = EffectTypeSet()
remat_allowed_effects = EffectTypeSet()
