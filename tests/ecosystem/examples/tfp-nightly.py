"""TFP on JAX: HMC on a joint distribution, bijectors, and derivatives of distributions."""

import jax
import jax.numpy as jnp
import numpy as np
from tensorflow_probability.substrates import jax as tfp

tfd, tfb = tfp.distributions, tfp.bijectors
gamma = tfd.Gamma(3.0, 2.0)
slope = jax.grad(lambda rate: tfd.Gamma(3.0, rate).log_prob(1.0))(2.0)
np.testing.assert_allclose(slope, 3.0 / 2.0 - 1.0, rtol=1e-5)
log_normal = tfb.Exp()(tfd.Normal(0.0, 0.5))
np.testing.assert_allclose(
    log_normal.log_prob(2.0), tfd.LogNormal(0.0, 0.5).log_prob(2.0), rtol=1e-5
)
assert gamma.sample(4, seed=jax.random.PRNGKey(0)).shape == (4,)


def log_density(x):
    return tfd.MultivariateNormalDiag(jnp.array([1.0, -1.0]), jnp.array([1.0, 0.5])).log_prob(x)


@jax.jit
def draw(key):
    kernel = tfp.mcmc.HamiltonianMonteCarlo(log_density, step_size=0.4, num_leapfrog_steps=5)
    return tfp.mcmc.sample_chain(
        1000, jnp.zeros(2), kernel=kernel, num_burnin_steps=200, trace_fn=None, seed=key
    )


draws = draw(jax.random.PRNGKey(1))
print("mean", np.round(draws.mean(0), 2), "deviation", np.round(draws.std(0), 2))
np.testing.assert_allclose(draws.mean(0), [1.0, -1.0], atol=0.25)
np.testing.assert_allclose(draws.std(0), [1.0, 0.5], atol=0.2)
