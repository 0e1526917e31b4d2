"""`jax._src.dispatch`: waiting for side effects."""

from dovetail.diagnostics.environment import effects_barrier as wait_for_tokens

__all__ = ["wait_for_tokens"]
