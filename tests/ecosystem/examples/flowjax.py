"""A masked autoregressive flow of FlowJAX, fitted to a scaled normal distribution."""

import jax.numpy as jnp
import jax.random as jr
import numpy as np
from flowjax.bijections import RationalQuadraticSpline
from flowjax.distributions import Normal
from flowjax.flows import masked_autoregressive_flow
from flowjax.train import fit_to_data

x = jr.normal(jr.key(0), (200, 2)) * jnp.array([1.0, 0.5]) + 1
flow = masked_autoregressive_flow(
    jr.key(1),
    base_dist=Normal(jnp.zeros(2)),
    transformer=RationalQuadraticSpline(knots=6, interval=4),
    flow_layers=2,
    nn_width=12,
)
before = -flow.log_prob(x).mean()
flow, losses = fit_to_data(
    key=jr.key(4), dist=flow, data=x, learning_rate=5e-3, max_epochs=3, show_progress=False
)
after = -flow.log_prob(x).mean()
print("negative log-likelihood", before, after)
assert after < before
assert np.isfinite(flow.sample(jr.key(3), (5,))).all()
