"""`jax._src.state`: types of arrays that can be written to."""
