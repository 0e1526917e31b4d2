"""Small libraries for examples, as in JAX: layers (`stax`) and optimizers."""
