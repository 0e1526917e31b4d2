"""Two classifiers of scikit-learn's digits: one of Flax's linen modules, one of its nnx modules."""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from sklearn.datasets import load_digits

digits = load_digits()
x = (digits.data / 16).astype(np.float32)
y = digits.target.astype(np.int32)
(train_x, test_x), (train_y, test_y) = np.split(x, [1347]), np.split(y, [1347])


def cross_entropy(logits):
    return optax.softmax_cross_entropy_with_integer_labels(logits, train_y).mean()


class Linen(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(nn.relu(nn.Dense(64)(x)))


module = Linen()
params = module.init(jax.random.key(0), train_x)
optimizer = optax.adam(1e-2)
state = optimizer.init(params)


@jax.jit
def step(params, state):
    gradient = jax.grad(lambda p: cross_entropy(module.apply(p, train_x)))(params)
    updates, state = optimizer.update(gradient, state)
    return optax.apply_updates(params, updates), state


for _ in range(100):
    params, state = step(params, state)
accuracy = float((module.apply(params, test_x).argmax(1) == test_y).mean())
print(f"linen: accuracy {accuracy:.3f}")
assert accuracy > 0.9


class Network(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = nnx.Linear(64, 64, rngs=rngs)
        self.last = nnx.Linear(64, 10, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.relu(self.first(x)))


model = Network(nnx.Rngs(0))
nnx_optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)


@nnx.jit
def nnx_step(model, optimizer):
    gradient = nnx.grad(lambda m: cross_entropy(m(train_x)))(model)
    optimizer.update(model, gradient)


for _ in range(100):
    nnx_step(model, nnx_optimizer)
accuracy = float((jnp.argmax(model(test_x), 1) == test_y).mean())
print(f"nnx: accuracy {accuracy:.3f}")
assert accuracy > 0.9
