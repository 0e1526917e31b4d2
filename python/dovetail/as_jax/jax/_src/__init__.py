"""`jax._src`: names of JAX's internals that well-known libraries import."""
