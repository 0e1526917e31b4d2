"""A network of Haiku, with dropout and a running mean, learns."""

import haiku as hk
import jax
import jax.numpy as jnp
import optax

x = jax.random.uniform(jax.random.key(0), (256, 2), minval=-1.0)
y = jnp.sin(3 * x[:, :1]) + x[:, 1:]


def network(x, is_training):
    x = hk.Linear(32)(x)
    x = hk.BatchNorm(True, True, 0.9)(x, is_training)
    x = jax.nn.relu(x)
    if is_training:
        x = hk.dropout(hk.next_rng_key(), 0.05, x)
    return hk.nets.MLP([32, 1])(x)


model = hk.transform_with_state(network)
params, state = model.init(jax.random.key(1), x, True)
optimizer = optax.adam(1e-2)
opt_state = optimizer.init(params)


@jax.jit
def step(params, state, opt_state, key):
    def loss(params):
        out, new = model.apply(params, state, key, x, True)
        return jnp.mean((out - y) ** 2), new

    (value, state), gradient = jax.value_and_grad(loss, has_aux=True)(params)
    updates, opt_state = optimizer.update(gradient, opt_state)
    return optax.apply_updates(params, updates), state, opt_state, value


losses = []
for i in range(200):
    params, state, opt_state, value = step(params, state, opt_state, jax.random.key(i))
    losses.append(float(value))
print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
assert losses[-1] < 0.05 < losses[0]


@hk.transform
def recurrent(xs):
    core = hk.LSTM(8)
    return hk.dynamic_unroll(core, xs, core.initial_state(None))[0]


weights = recurrent.init(jax.random.key(2), jnp.ones((5, 3)))
assert jax.jit(recurrent.apply)(weights, None, jnp.ones((5, 3))).shape == (5, 8)
