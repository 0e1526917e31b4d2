"""Programs as data, under JAX's names: views of the compiler's IR, made when they are looked at."""
