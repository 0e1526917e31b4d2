"""Programs of JAX's libraries: functions that build one, and return what makes a step of it.

A step gives the loss. `jax` is what the process that imports this module has chosen.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Step = Callable[[], Any]


def transformer() -> Step:
    """A transformer of Equinox learns to repeat the first half of texts; Optax's Adam."""
    import equinox as eqx
    import optax

    class Block(eqx.Module):
        attention: eqx.nn.MultiheadAttention
        network: eqx.nn.MLP
        norms: tuple[eqx.nn.LayerNorm, eqx.nn.LayerNorm]

        def __init__(self, width: int, key: Any) -> None:
            first, second = jax.random.split(key)
            self.attention = eqx.nn.MultiheadAttention(4, width, key=first)
            self.network = eqx.nn.MLP(width, width, 4 * width, 1, jax.nn.gelu, key=second)
            self.norms = eqx.nn.LayerNorm(width), eqx.nn.LayerNorm(width)

        def __call__(self, x: Any) -> Any:
            mask = jnp.tril(jnp.ones((len(x), len(x)), bool))
            inner = jax.vmap(self.norms[0])(x)
            x = x + self.attention(inner, inner, inner, mask)
            return x + jax.vmap(lambda row: self.network(self.norms[1](row)))(x)

    class Transformer(eqx.Module):
        tokens: eqx.nn.Embedding
        places: jax.Array
        blocks: list[Block]
        out: eqx.nn.Linear

        def __init__(self, letters: int, count: int, width: int, depth: int, key: Any) -> None:
            first, second, third, *rest = jax.random.split(key, 3 + depth)
            self.tokens = eqx.nn.Embedding(letters, width, key=first)
            self.places = 0.1 * jax.random.normal(second, (count, width))
            self.blocks = [Block(width, each) for each in rest]
            self.out = eqx.nn.Linear(width, letters, key=third)

        def __call__(self, text: Any) -> Any:
            x = jax.vmap(self.tokens)(text) + self.places
            for block in self.blocks:
                x = block(x)
            return jax.vmap(self.out)(x)

    half = jax.random.randint(jax.random.key(1), (32, 16), 0, 32)
    texts = jnp.concatenate([half, half], axis=1)
    model: Any = Transformer(32, 31, 64, 2, jax.random.key(2))
    optimizer = optax.adam(3e-3)
    state: Any = optimizer.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_value_and_grad
    def loss(model: Any) -> Any:
        logits = jax.vmap(model)(texts[:, :-1])[:, 15:]
        return optax.softmax_cross_entropy_with_integer_labels(logits, texts[:, 16:]).mean()

    @eqx.filter_jit
    def train(model: Any, state: Any) -> Any:
        value, gradient = loss(model)
        updates, state = optimizer.update(gradient, state, model)
        return eqx.apply_updates(model, updates), state, value

    def step() -> Any:
        nonlocal model, state
        model, state, value = train(model, state)
        return value

    return step


def digits() -> Step:
    """A network of Flax's nnx learns the digits of scikit-learn, all of them in each step."""
    import optax
    from flax import nnx
    from sklearn.datasets import load_digits

    data: Any = load_digits()
    x, y = (data.data[:1347] / 16).astype(np.float32), data.target[:1347].astype(np.int32)

    class Network(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.first = nnx.Linear(64, 64, rngs=rngs)
            self.last = nnx.Linear(64, 10, rngs=rngs)

        def __call__(self, x: Any) -> Any:
            return self.last(nnx.relu(self.first(x)))

    model = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)

    def loss(model: Any) -> Any:
        return optax.softmax_cross_entropy_with_integer_labels(model(x), y).mean()

    @nnx.jit
    def train(model: Any, optimizer: Any) -> Any:
        value, gradient = nnx.value_and_grad(loss)(model)
        optimizer.update(model, gradient)
        return value

    return lambda: train(model, optimizer)


def neural_ode() -> Step:
    """A neural ODE of Diffrax learns a spiral, by gradients through the solver."""
    import diffrax
    import equinox as eqx
    import optax

    times = jnp.linspace(0.0, 2.0, 16)
    start = jnp.array([2.0, 0.0])
    spiral = start[0] * jnp.exp(-0.3 * times)[:, None]
    spiral = spiral * jnp.stack([jnp.cos(2 * times), jnp.sin(2 * times)], axis=1)
    term = diffrax.ODETerm(lambda t, y, network: network(y))
    controller = diffrax.PIDController(rtol=1e-3, atol=1e-5)

    @eqx.filter_value_and_grad
    def loss(network: Any) -> Any:
        solution = diffrax.diffeqsolve(
            *(term, diffrax.Tsit5(), times[0], times[-1], 0.1, start, network),
            stepsize_controller=controller,
            saveat=diffrax.SaveAt(ts=times),
            max_steps=64,
        )
        return jnp.mean((solution.ys - spiral) ** 2)

    network: Any = eqx.nn.MLP(2, 2, 16, 1, activation=jnp.tanh, key=jax.random.key(0))
    optimizer = optax.adam(1e-2)
    state: Any = optimizer.init(eqx.filter(network, eqx.is_array))

    @eqx.filter_jit
    def train(network: Any, state: Any) -> Any:
        value, gradient = loss(network)
        updates, state = optimizer.update(gradient, state)
        return eqx.apply_updates(network, updates), state, value

    def step() -> Any:
        nonlocal network, state
        network, state, value = train(network, state)
        return value

    return step


def stiff_system() -> Step:
    """The gradient of Robertson's chemical reactions by their rates, through an implicit solver of
    Diffrax, whose steps check for errors.
    """
    import diffrax

    def reactions(t: Any, y: Any, rates: Any) -> Any:
        first, second, third = rates[0] * y[0], rates[1] * y[1] ** 2, rates[2] * y[1] * y[2]
        return jnp.array([third - first, first - second - third, second])

    def loss(rates: Any) -> Any:
        solution = diffrax.diffeqsolve(
            *(diffrax.ODETerm(reactions), diffrax.Kvaerno5()),
            *(0.0, 100.0, 2e-4, jnp.array([1.0, 0.0, 0.0]), rates),
            stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-7),
        )
        return solution.ys[-1] @ jnp.arange(3.0)

    rates = jnp.array([0.04, 3e4, 1e2])
    differentiate = jax.jit(jax.value_and_grad(loss))

    def step() -> Any:
        nonlocal rates
        value, slopes = differentiate(rates)
        rates = rates * (1 - 1e-3 * jnp.sign(slopes))
        return value

    return step


def root() -> Step:
    """A root in 64 unknowns by Optimistix, whose steps Lineax solves, and its derivative."""
    import lineax as lx
    import optimistix as optx

    matrix = jax.random.normal(jax.random.key(0), (64, 64)) / 32
    solver = optx.Newton(rtol=1e-4, atol=1e-4, linear_solver=lx.LU())

    @jax.jit
    @jax.value_and_grad
    def solve(a: Any) -> Any:
        """The norm of the x for which x = cos(a M x)."""

        def residual(x: Any, a: Any) -> Any:
            return x - jnp.cos(a * (matrix @ x))

        return jnp.sum(optx.root_find(residual, solver, jnp.ones(64), args=a).value ** 2)

    values = itertools.cycle(np.linspace(0.5, 0.7, 20, dtype=np.float32))

    def step() -> Any:
        value, slope = solve(next(values))
        return value + slope

    return step
