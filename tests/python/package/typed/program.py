"""A user's program, which pyright accepts in strict mode.

Functions that take any number of arguments cannot tell the types of a lambda's parameters: the line
with the comment is such a case, where others use a function with annotations.
"""

# pyright: strict

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import Array, NamedSharding, P, lax, nn, optim, random
from dovetail.experimental import pallas as pl
from dovetail.experimental.ode import odeint
from dovetail.typing import ArrayLike

# Arrays ------------------------------------------------------------------------------------------

x: Array = dnp.linspace(0.0, 1.0, 12).reshape(3, 4)
y = dnp.sin(x) + dnp.exp(-x) * 2.0 - x @ x.T @ x
z = dnp.where(y > 0, y, 0.0).sum(axis=1, keepdims=True)
w = x.at[0, 1:].set(7.0).at[:, 0].add(1)
masked = x[x > 0.5]
rows, columns = x.shape
total: float = float(z.mean())
count: int = int((x > 0).sum())
numbers = np.asarray(x, dtype=np.float64)
stacked = dnp.concatenate([x, x[:1]], axis=0).astype(dnp.float16)
order = dnp.argsort(x.ravel())
norm = dnp.linalg.norm(x) + dnp.linalg.det(x @ x.T)
spectrum = dnp.fft.rfft(x, axis=-1).real
largest, where = lax.top_k(x, 2)
same = dnp.allclose(x, x.copy())
print(x.dtype, x.ndim, x.size, x.T.shape, total, count, numbers.shape, stacked.dtype, same)
print(masked.shape, w[0, 0], order[0], norm, spectrum.shape, largest, where, rows, columns)


# Functions ---------------------------------------------------------------------------------------


class Layer(NamedTuple):
    """The parameters of a layer."""

    weights: Array
    bias: Array


Params = list[Layer]


def init(key: Array, sizes: tuple[int, ...]) -> Params:
    """Layers with random weights."""
    keys = random.split(key, len(sizes) - 1)
    return [
        Layer(nn.initializers.he_normal()(k, (n, m)), dnp.zeros(m))
        for k, n, m in zip(keys, sizes[:-1], sizes[1:], strict=True)
    ]


def predict(params: Params, inputs: Array) -> Array:
    """The network's outputs."""
    for weights, bias in params[:-1]:
        inputs = nn.relu(inputs @ weights + bias)
    weights, bias = params[-1]
    return nn.softmax(inputs @ weights + bias)


def loss(params: Params, inputs: Array, targets: Array) -> Array:
    """The mean squared error."""
    return dnp.mean((predict(params, inputs) - targets) ** 2)


@dt.jit
def value(params: Params, inputs: Array, targets: Array) -> Array:
    """The loss, compiled."""
    return loss(params, inputs, targets)


@partial(dt.jit, static_argnames="power")
def moment(values: Array, power: int = 2) -> Array:
    """A moment of numbers."""
    return (values**power).mean()


params = init(random.key(0), (4, 8, 2))
targets = dnp.zeros((3, 2))
print(value(params, x, targets), moment(x, power=3))
gradient = dt.grad(loss)(params, x, targets)
both = dt.value_and_grad(loss)
per_row = dt.vmap(dt.grad(loss), in_axes=(None, 0, 0))(params, x, targets)
print(dt.tree.map(dnp.shape, per_row), dt.tree.leaves(gradient)[0])
primal, tangent = dt.jvp(dnp.sin, (x,), (dnp.ones_like(x),))
primal, pullback = dt.vjp(dnp.sin, x)
jacobian = dt.jacfwd(dnp.cos)(x[0])
curvature = dt.hessian(lambda v: v @ v)(x[0])  # pyright: ignore
print(primal, tangent, pullback(primal), jacobian, curvature)

# Training ----------------------------------------------------------------------------------------

schedule = optim.cosine_decay_schedule(1e-2, 100)
optimizer = optim.chain(optim.clip_by_global_norm(1.0), optim.adam(schedule))
state = optimizer.init(params)
for _ in range(3):
    error, gradient = both(params, x, targets)
    updates, state = optimizer.update(gradient, state, params)
    params = optim.apply_updates(params, updates)
    print(float(error))


def step(carry: Array, item: Array) -> tuple[Array, Array]:
    """Adds up."""
    carry = carry + item
    return carry, carry


last, sums = lax.scan(step, dnp.zeros(4), x)
looped = lax.fori_loop(0, 10, lambda i, v: v + i, dnp.zeros(()))
until = lax.while_loop(lambda v: v < 100, lambda v: 2 * v, dnp.ones(()))
chosen = lax.cond(total > 0, dnp.sin, dnp.cos, x)
print(last, sums, looped, until, chosen)


# Randomness, custom rules, trees -----------------------------------------------------------------

first, second = random.split(random.key(1))
samples = random.normal(first, (1000,)) + random.uniform(second, (1000,), minval=-1.0)
print(samples.std(), dnp.histogram(samples, bins=5)[0], random.permutation(first, 5))


@dt.custom_jvp
def softplus(v: ArrayLike) -> Array:
    """log(1 + exp(v))."""
    return dnp.log1p(dnp.exp(v))


@softplus.defjvp
def softplus_tangent(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    return softplus(primals[0]), tangents[0] * nn.sigmoid(primals[0])


@dt.tree_util.register_dataclass
@dataclass
class State:
    """A position and its speed."""

    position: Array
    speed: Array


def incremented(leaf: Array) -> Array:
    """The next numbers."""
    return leaf + 1


moved = dt.tree.map(incremented, State(x[0], x[1]))
print(dt.grad(softplus)(1.0), moved, dt.tree.structure(moved))


# References, kernels, images, differential equations ---------------------------------------------

total_ref = dt.new_ref(dnp.zeros(3))
total_ref[0] = 2.0
total_ref[1:] += 1
print(total_ref[...], dt.freeze(total_ref))


def double(x_ref: dt.Ref, o_ref: dt.Ref) -> None:
    """Doubles a block."""
    o_ref[...] = 2 * x_ref[...]


def row(i: Array) -> tuple[Array, int]:
    """The block of a program."""
    return i, 0


block = pl.BlockSpec((1, 4), row)
doubled = pl.pallas_call(
    double, dt.ShapeDtypeStruct((3, 4), dnp.float32), grid=3, in_specs=[block], out_specs=block
)
print(doubled(x))
print(dt.image.resize(x, (6, 8), "linear").shape)


def decay(state: Array, time: Array, rate: float) -> Array:
    """The slope of an exponential decay."""
    return -rate * state


print(odeint(decay, dnp.ones(2), dnp.linspace(0.0, 1.0, 3), 0.5))


def squares(v: Array) -> Array:
    """The square of a vector's length."""
    return dnp.sum(v**2)


solution = dt.scipy.optimize.minimize(squares, dnp.ones(2), method="BFGS")
print(solution.x)
text = str(dt.make_jaxpr(dnp.sin)(x).jaxpr)
print(text, dt.scipy.stats.norm.logpdf(x), dt.scipy.special.gammaln(x + 1))


# Looking inside, devices, files ------------------------------------------------------------------

lowered = dt.jit(loss).lower(params, x, targets)
print(lowered.as_text("simplify")[:40], lowered.cost_analysis())
compiled = lowered.compile()
print(compiled(params, x, targets))
device = dt.devices()[0]
print(device.platform, dt.device_count(), dt.device_put(x, device).device)
mesh = dt.make_mesh((1,), ("data",))
placed = dt.device_put(x, NamedSharding(mesh, P("data")))
print(placed.sharding, placed.addressable_shards[0].data)
with dt.debug_nans(True), dt.named_scope("checked"):
    print(dnp.log(dnp.ones(2)))
spec = dt.ShapeDtypeStruct((3, 4), dnp.float32)
print(dt.eval_shape(incremented, spec).shape)
dt.config.update("compile", "auto")


def main() -> None:
    """Writes a program into a file, and runs it."""
    files = dt.export(predict, params, spec, path="predict.vmfb")
    module = dt.runtime.load(files["cpu"])
    print(module.main(params, np.asarray(x)))
    dt.checkpoint.save("state", {"params": params})
    print(dt.checkpoint.load("state"))


if __name__ == "__main__":
    main()
