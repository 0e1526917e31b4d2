"""`jax.interpreters`: tables of the rules that libraries give their primitives."""
