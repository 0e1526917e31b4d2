"""A multilayer perceptron and a transformer of Equinox learn with Optax."""

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

key, data_key = jax.random.split(jax.random.key(0))
x = jax.random.uniform(data_key, (256, 2), minval=-1.0)
y = jnp.sin(3 * x[:, :1]) + x[:, 1:]
model = eqx.nn.MLP(2, 1, 32, 2, key=key)
optimizer = optax.adam(3e-3)
state = optimizer.init(eqx.filter(model, eqx.is_array))


@eqx.filter_value_and_grad
def loss(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


@eqx.filter_jit
def step(model, state, x, y):
    value, gradient = loss(model, x, y)
    updates, state = optimizer.update(gradient, state, model)
    return eqx.apply_updates(model, updates), state, value


losses = []
for _ in range(300):
    model, state, value = step(model, state, x, y)
    losses.append(float(value))
print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")
assert losses[-1] < 0.02 < losses[0]


class Block(eqx.Module):
    attention: eqx.nn.MultiheadAttention
    network: eqx.nn.MLP
    norms: tuple[eqx.nn.LayerNorm, eqx.nn.LayerNorm]

    def __init__(self, width, key):
        first, second = jax.random.split(key)
        self.attention = eqx.nn.MultiheadAttention(2, width, key=first)
        self.network = eqx.nn.MLP(width, width, 2 * width, 1, jax.nn.gelu, key=second)
        self.norms = eqx.nn.LayerNorm(width), eqx.nn.LayerNorm(width)

    def __call__(self, x):
        count = len(x)
        mask = jnp.tril(jnp.ones((count, count), bool))
        inner = jax.vmap(self.norms[0])(x)
        x = x + self.attention(inner, inner, inner, mask)
        return x + jax.vmap(lambda row: self.network(self.norms[1](row)))(x)


class Transformer(eqx.Module):
    tokens: eqx.nn.Embedding
    places: jax.Array
    blocks: list[Block]
    out: eqx.nn.Linear

    def __init__(self, letters, count, width, depth, key):
        first, second, third, *rest = jax.random.split(key, 3 + depth)
        self.tokens = eqx.nn.Embedding(letters, width, key=first)
        self.places = 0.1 * jax.random.normal(second, (count, width))
        self.blocks = [Block(width, each) for each in rest]
        self.out = eqx.nn.Linear(width, letters, key=third)

    def __call__(self, text):
        x = jax.vmap(self.tokens)(text) + self.places
        for block in self.blocks:
            x = block(x)
        return jax.vmap(self.out)(x)


# Texts whose second half repeats the first: only attention can know it.
half = jax.random.randint(jax.random.key(1), (64, 6), 0, 8)
texts = jnp.concatenate([half, half], axis=1)
model = Transformer(8, 11, 32, 2, jax.random.key(2))
state = optimizer.init(eqx.filter(model, eqx.is_array))


@eqx.filter_value_and_grad
def text_loss(model):
    logits = jax.vmap(model)(texts[:, :-1])[:, 5:]
    return optax.softmax_cross_entropy_with_integer_labels(logits, texts[:, 6:]).mean()


@eqx.filter_jit
def text_step(model, state):
    value, gradient = text_loss(model)
    updates, state = optimizer.update(gradient, state, model)
    return eqx.apply_updates(model, updates), state, value


losses = []
for _ in range(150):
    model, state, value = text_step(model, state)
    losses.append(float(value))
print("transformer", *(f"{value:.4f}" for value in losses[::30]), f"{losses[-1]:.4f}")
assert losses[-1] < 0.3 < losses[0]
