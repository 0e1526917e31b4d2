"""Small libraries for examples, as JAX has them: layers (`stax`) and optimizers."""
