"""NUTS of NumPyro finds the slope and the noise of a line; its variational inference does, too."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

x = jnp.linspace(-1.0, 1.0, 60)
y = 0.5 + 2.0 * x + 0.3 * jax.random.normal(jax.random.key(0), x.shape)


def model(x, y=None):
    intercept = numpyro.sample("intercept", dist.Normal(0.0, 2.0))
    slope = numpyro.sample("slope", dist.Normal(0.0, 2.0))
    noise = numpyro.sample("noise", dist.HalfNormal(1.0))
    with numpyro.plate("data", len(x)):
        numpyro.sample("y", dist.Normal(intercept + slope * x, noise), obs=y)


mcmc = MCMC(NUTS(model), num_warmup=200, num_samples=300, progress_bar=False)
mcmc.run(jax.random.key(1), x, y)
samples = mcmc.get_samples()
means = {name: float(value.mean()) for name, value in samples.items()}
print("NUTS", *(f"{name} {mean:.3f}" for name, mean in sorted(means.items())))
np.testing.assert_allclose([means["intercept"], means["slope"]], [0.5, 2.0], atol=0.2)
np.testing.assert_allclose(means["noise"], 0.3, atol=0.1)
drawn = Predictive(model, samples)(jax.random.key(2), x)["y"]
assert drawn.shape == (300, 60)

guide = AutoNormal(model)
svi = SVI(model, guide, numpyro.optim.Adam(0.02), Trace_ELBO())
result = svi.run(jax.random.key(3), 500, x, y, progress_bar=False)
medians = guide.median(result.params)
print("SVI", f"slope {float(medians['slope']):.3f}, loss {float(result.losses[-1]):.2f}")
np.testing.assert_allclose(medians["slope"], 2.0, atol=0.3)
