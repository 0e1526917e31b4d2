"""`jax.extend.core.primitives`: JAX's own primitives, which are ops of the compiler here."""
