"""`jax._src.interpreters`: what `jax.interpreters` has."""
