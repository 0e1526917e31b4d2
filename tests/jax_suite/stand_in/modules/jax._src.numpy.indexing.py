"""Empty: strategies of indexing are internal to JAX."""
