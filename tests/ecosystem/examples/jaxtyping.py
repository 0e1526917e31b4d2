"""Shapes and dtypes in annotations, checked when a jitted function is traced."""

import jax
import jax.numpy as jnp
from beartype import beartype
from jaxtyping import Array, Float, PRNGKeyArray, jaxtyped


@jax.jit
@jaxtyped(typechecker=beartype)
def product(
    x: Float[Array, "rows inner"], y: Float[Array, "inner columns"]
) -> Float[Array, "rows columns"]:
    return x @ y


@jaxtyped(typechecker=beartype)
def sample(key: PRNGKeyArray, size: int) -> Float[Array, " {size}"]:
    return jax.random.normal(key, (size,))


assert product(jnp.ones((2, 3)), jnp.ones((3, 4))).shape == (2, 4)
assert sample(jax.random.key(0), 5).shape == (5,)
try:
    product(jnp.ones((2, 3)), jnp.ones((4, 3)))
except Exception as error:
    print(type(error).__name__)
else:
    raise SystemExit("sizes that differ must be an error")
