"""Assertions about shapes and trees, and a dataclass that is a tree, in a jitted function."""

import chex
import jax
import jax.numpy as jnp


@chex.dataclass
class State:
    position: chex.Array
    velocity: chex.Array


@jax.jit
@chex.assert_max_traces(n=1)
def step(state: State) -> State:
    chex.assert_equal_shape([state.position, state.velocity])
    chex.assert_type(state.position, jnp.float32)
    velocity = state.velocity - 0.1 * state.position
    return State(position=state.position + 0.1 * velocity, velocity=velocity)


state = State(position=jnp.ones(3), velocity=jnp.zeros(3))
for _ in range(10):
    state = step(state)
chex.assert_tree_all_finite(state)
chex.assert_shape(state.position, (3,))
try:
    chex.assert_rank(state.position, 2)
except AssertionError as error:
    print(str(error).splitlines()[0])
else:
    raise SystemExit("assert_rank must fail")
