"""A neural ODE of Diffrax learns a spiral: its gradient goes through the solver."""

import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import optax

times = jnp.linspace(0.0, 2.0, 16)
start = jnp.array([2.0, 0.0])
spiral = start[0] * jnp.exp(-0.3 * times)[:, None]
spiral = spiral * jnp.stack([jnp.cos(2 * times), jnp.sin(2 * times)], axis=1)


class Field(eqx.Module):
    network: eqx.nn.MLP

    def __call__(self, t, y, args):
        return self.network(y)


def solve(field, times, start):
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(field),
        diffrax.Tsit5(),
        t0=times[0],
        t1=times[-1],
        dt0=0.1,
        y0=start,
        stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-5),
        saveat=diffrax.SaveAt(ts=times),
        max_steps=64,
    )
    return solution.ys


@eqx.filter_value_and_grad
def loss(field):
    return jnp.mean((solve(field, times, start) - spiral) ** 2)


optimizer = optax.adam(1e-2)


@eqx.filter_jit
def step(field, state):
    value, gradient = loss(field)
    updates, state = optimizer.update(gradient, state)
    return eqx.apply_updates(field, updates), state, value


field = Field(eqx.nn.MLP(2, 2, 16, 1, activation=jnp.tanh, key=jax.random.key(0)))
state = optimizer.init(eqx.filter(field, eqx.is_array))
losses = []
for _ in range(60):
    field, state, value = step(field, state)
    losses.append(float(value))
print("losses", *(f"{value:.4f}" for value in losses[::10]), f"{losses[-1]:.4f}")
assert losses[-1] < 0.3 * losses[0]
