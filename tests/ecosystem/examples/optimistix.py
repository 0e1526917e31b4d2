"""A root, a minimum and a fit with Optimistix, and the derivative of the root."""

import jax
import jax.numpy as jnp
import numpy as np
import optimistix as optx

newton = optx.Newton(rtol=1e-6, atol=1e-6)


@jax.jit
def root(a):
    """The point where x = cos(a x)."""
    return optx.root_find(lambda x, a: x - jnp.cos(a * x), newton, jnp.array(0.5), args=a).value


value, slope = jax.value_and_grad(root)(1.2)
sine = np.sin(1.2 * float(value))
print(f"root {float(value):.5f}, slope {float(slope):.5f}")
np.testing.assert_allclose(value, np.cos(1.2 * value), rtol=1e-5)
np.testing.assert_allclose(slope, -value * sine / (1 + 1.2 * sine), rtol=1e-4)

times = jnp.linspace(0.0, 2.0, 20)
data = 3.0 * jnp.exp(-1.5 * times)


@jax.jit
def fit(start):
    def residual(params, _):
        return params[0] * jnp.exp(-params[1] * times) - data

    solver = optx.LevenbergMarquardt(rtol=1e-6, atol=1e-6)
    return optx.least_squares(residual, solver, start).value


params = fit(jnp.array([1.0, 1.0]))
print("fit", *(f"{float(param):.4f}" for param in params))
np.testing.assert_allclose(params, [3.0, 1.5], rtol=1e-3)


@jax.jit
def minimum(start):
    def rosenbrock(x, _):
        return (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2

    return optx.minimise(rosenbrock, optx.BFGS(rtol=1e-6, atol=1e-6), start).value


best = minimum(jnp.array([-0.5, 0.5]))
print("minimum", *(f"{float(x):.3f}" for x in best))
np.testing.assert_allclose(best, [1.0, 1.0], rtol=1e-2)
