"""`jax._src.compiler`: empty; libraries that replace JAX's compile functions find none."""
