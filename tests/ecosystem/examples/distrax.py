"""A flow of Distrax is fitted to samples; log-probabilities, entropies and divergences."""

import distrax
import jax
import jax.numpy as jnp
import numpy as np
import optax

normal = distrax.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2))
print("entropy", float(normal.entropy()))
np.testing.assert_allclose(normal.entropy(), np.log(2 * np.pi * np.e), rtol=1e-6)
categorical = distrax.Categorical(logits=jnp.array([0.0, 1.0, 2.0]))
assert categorical.sample(seed=jax.random.key(0), sample_shape=(5,)).shape == (5,)
np.testing.assert_allclose(categorical.kl_divergence(categorical), 0, atol=1e-6)

data = 3.0 + 0.5 * jax.random.normal(jax.random.key(1), (500,))


def flow(params):
    shift = distrax.ScalarAffine(params["shift"], log_scale=params["log_scale"])
    return distrax.Transformed(distrax.Normal(0.0, 1.0), shift)


@jax.jit
def step(params, state):
    value, gradient = jax.value_and_grad(lambda p: -flow(p).log_prob(data).mean())(params)
    updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(params, updates), state, value


params = {"shift": jnp.array(0.0), "log_scale": jnp.array(0.0)}
optimizer = optax.adam(0.05)
state = optimizer.init(params)
for _ in range(300):
    params, state, value = step(params, state)
print(f"shift {float(params['shift']):.3f}, scale {float(jnp.exp(params['log_scale'])):.3f}")
np.testing.assert_allclose(params["shift"], data.mean(), atol=0.02)
np.testing.assert_allclose(jnp.exp(params["log_scale"]), data.std(), atol=0.02)
