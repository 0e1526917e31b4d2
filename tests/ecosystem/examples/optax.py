"""Logistic regression with Adam and a schedule; the loss falls as with JAX."""

import jax
import jax.numpy as jnp
import optax

key = jax.random.key(0)
x = jax.random.normal(key, (256, 8))
y = (x @ jnp.arange(-4.0, 4.0) > 0).astype(jnp.float32)
optimizer = optax.chain(
    optax.clip_by_global_norm(1.0), optax.adam(optax.cosine_decay_schedule(0.1, 200))
)


def loss(w):
    return optax.sigmoid_binary_cross_entropy(x @ w, y).mean()


@jax.jit
def step(w, state):
    value, gradient = jax.value_and_grad(loss)(w)
    updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(w, updates), state, value


w = jnp.zeros(8)
state = optimizer.init(w)
losses = []
for _ in range(200):
    w, state, value = step(w, state)
    losses.append(float(value))
print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
assert abs(losses[0] - 0.6931) < 1e-3
assert losses[-1] < 0.1
