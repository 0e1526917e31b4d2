"""NUTS of BlackJAX, with window adaptation, draws from a correlated Gaussian."""

import blackjax
import jax
import jax.numpy as jnp
import numpy as np

covariance = jnp.array([[1.0, 0.6], [0.6, 2.0]])
precision = jnp.linalg.inv(covariance)


def logdensity(x):
    return -0.5 * x @ precision @ x


adaptation = blackjax.window_adaptation(blackjax.nuts, logdensity)
(state, parameters), _ = adaptation.run(jax.random.key(0), jnp.zeros(2), num_steps=300)
kernel = jax.jit(blackjax.nuts(logdensity, **parameters).step)


def step(state, key):
    state, _ = kernel(key, state)
    return state, state.position


_, draws = jax.lax.scan(step, state, jax.random.split(jax.random.key(1), 1000))
print("mean", np.round(draws.mean(0), 2), "covariance", np.round(np.cov(draws.T), 2).tolist())
np.testing.assert_allclose(draws.mean(0), 0, atol=0.25)
np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.5)
