"""L-BFGS, projected gradients and implicit derivatives of JAXopt."""

import jax
import jax.numpy as jnp
import jaxopt
import numpy as np

matrix = jax.random.normal(jax.random.key(0), (30, 5))
target = jax.random.normal(jax.random.key(1), (30,))


def ridge(w, l2):
    return jnp.mean((matrix @ w - target) ** 2) + l2 * jnp.sum(w**2)


def exact(l2):
    return jnp.linalg.solve(matrix.T @ matrix / 30 + l2 * jnp.eye(5), matrix.T @ target / 30)


for solver in (jaxopt.LBFGS(ridge, maxiter=100), jaxopt.GradientDescent(ridge, maxiter=500)):
    w = solver.run(jnp.zeros(5), 0.1).params
    np.testing.assert_allclose(w, exact(0.1), atol=1e-3)
solver = jaxopt.LBFGS(ridge, maxiter=100, implicit_diff=True)
jacobian = jax.jacobian(lambda l2: solver.run(jnp.zeros(5), l2).params)(0.1)
np.testing.assert_allclose(jacobian, jax.jacobian(exact)(0.1), atol=1e-2)
projected = jaxopt.ProjectedGradient(ridge, jaxopt.projection.projection_simplex, maxiter=500)
w = projected.run(jnp.ones(5) / 5, l2=0.1).params
print("w", np.round(w, 3))
np.testing.assert_allclose(w.sum(), 1, rtol=1e-5)
