"""A multilayer perceptron and a transformer of Equinox learn with Optax."""

import sys
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from library_programs import transformer

key, data_key = jax.random.split(jax.random.key(0))
x = jax.random.uniform(data_key, (256, 2), minval=-1.0)
y = jnp.sin(3 * x[:, :1]) + x[:, 1:]
model = eqx.nn.MLP(2, 1, 32, 2, key=key)
optimizer = optax.adam(3e-3)
state = optimizer.init(eqx.filter(model, eqx.is_array))


@eqx.filter_value_and_grad
def loss(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


@eqx.filter_jit
def step(model, state, x, y):
    value, gradient = loss(model, x, y)
    updates, state = optimizer.update(gradient, state, model)
    return eqx.apply_updates(model, updates), state, value


losses = []
for _ in range(300):
    model, state, value = step(model, state, x, y)
    losses.append(float(value))
print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
assert losses[-1] < 0.02 < losses[0]

# Texts whose second half repeats the first: only attention can know it.
text_step = transformer()
losses = [float(text_step()) for _ in range(150)]
print("transformer", *(f"{value:.4f}" for value in losses[::30]), f"{losses[-1]:.4f}")
assert losses[-1] < 0.3 < losses[0]
