"""Training steps: of perceptrons, convolutional, recurrent networks and transformers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .registry import Draw, program

Params = dict[str, Any]


def cross_entropy(lib: Any, logits: Any, labels: Any) -> Any:
    log_p = lib.nn.log_softmax(logits, axis=-1)
    return -lib.numpy.mean(lib.numpy.take_along_axis(log_p, labels[..., None], -1))


def descended(lib: Any, loss: Any, params: Params, *batch: Any) -> Any:
    """Returns the loss and the parameters after a step of gradient descent."""
    value, gradient = lib.value_and_grad(loss)(params, *batch)
    return value, {name: params[name] - 0.05 * gradient[name] for name in params}


def descended_torch(torch: Any, loss: Any, params: Params, *batch: Any) -> Any:
    given = {name: p.detach().requires_grad_() for name, p in params.items()}
    value = loss(torch, given, *batch)
    gradient = torch.autograd.grad(value, list(given.values()))
    with torch.no_grad():
        new = {n: p - 0.05 * g for (n, p), g in zip(given.items(), gradient, strict=True)}
    return value, new


def moments(params: Params) -> tuple[Params, Params]:
    first, second = ({name: np.zeros_like(p) for name, p in params.items()} for _ in range(2))
    return first, second


def adam(lib: Any, loss: Any, params: Params, state: Any, *batch: Any) -> Any:
    """Returns the loss, and the parameters and moments after a step of Adam."""
    xp = lib.numpy
    value, gradient = lib.value_and_grad(loss)(params, *batch)
    first = {n: 0.9 * state[0][n] + 0.1 * gradient[n] for n in params}
    second = {n: 0.999 * state[1][n] + 0.001 * gradient[n] ** 2 for n in params}
    new = {
        n: params[n] - 0.001 * first[n] / 0.1 / (xp.sqrt(second[n] / 0.001) + 1e-4) for n in params
    }
    return value, new, (first, second)


def adam_torch(torch: Any, loss: Any, params: Params, state: Any, *batch: Any) -> Any:
    given = {name: p.detach().requires_grad_() for name, p in params.items()}
    value = loss(torch, given, *batch)
    gradients = torch.autograd.grad(value, list(given.values()))
    with torch.no_grad():
        old = list(given.values())
        first = torch._foreach_mul(list(state[0].values()), 0.9)
        torch._foreach_add_(first, torch._foreach_mul(gradients, 0.1))
        second = torch._foreach_mul(list(state[1].values()), 0.999)
        torch._foreach_addcmul_(second, gradients, gradients, 0.001)
        root = torch._foreach_sqrt(torch._foreach_div(second, 0.001))
        torch._foreach_add_(root, 1e-4)
        new = torch._foreach_addcdiv(old, first, root, -0.01)
    return value, *(dict(zip(given, part, strict=True)) for part in (new, first, second))


# Perceptrons --------------------------------------------------------------------------------------

PERCEPTRON = ((32, 64, 128), (128, 784, 512), (512, 1024, 2048))


def perceptron(draw: Draw, batch: int, inputs: int, hidden: int) -> tuple[Any, ...]:
    widths = [inputs, hidden, hidden, 10]
    params = {}
    for i, (n, m) in enumerate(pairwise(widths)):
        params[f"w{i}"] = draw.normal(n, m, scale=n**-0.5)
        params[f"b{i}"] = np.zeros(m, np.float32)
    return params, draw.normal(batch, inputs), draw.integers(10, batch)


def weights(inputs: int, hidden: int) -> int:
    return inputs * hidden + hidden * hidden + 10 * hidden


def perceptron_loss(lib: Any, params: Params, x: Any, labels: Any) -> Any:
    for i in range(2):
        x = lib.nn.relu(x @ params[f"w{i}"] + params[f"b{i}"])
    return cross_entropy(lib, x @ params["w2"] + params["b2"], labels)


def perceptron_loss_torch(torch: Any, params: Params, x: Any, labels: Any) -> Any:
    for i in range(2):
        x = torch.relu(torch.addmm(params[f"b{i}"], x, params[f"w{i}"]))
    logits = torch.addmm(params["b2"], x, params["w2"])
    return torch.nn.functional.cross_entropy(logits, labels.long())


@program(
    "training",
    sizes=PERCEPTRON,
    arguments=perceptron,
    bytes=lambda b, n, h: 12 * weights(n, h),
    flops=lambda b, n, h: 6 * b * weights(n, h),
    torch=lambda torch, *given: descended_torch(torch, perceptron_loss_torch, *given),
)
def step_of_a_perceptron(lib: Any, params: Params, x: Any, labels: Any) -> Any:
    return descended(lib, lambda *given: perceptron_loss(lib, *given), params, x, labels)


def perceptron_and_moments(draw: Draw, *shape: int) -> tuple[Any, ...]:
    params, *batch = perceptron(draw, *shape)
    return params, moments(params), *batch


@program(
    "training",
    sizes=PERCEPTRON,
    arguments=perceptron_and_moments,
    bytes=lambda b, n, h: 28 * weights(n, h),
    flops=lambda b, n, h: 6 * b * weights(n, h) + 12 * weights(n, h),
    torch=lambda torch, *given: adam_torch(torch, perceptron_loss_torch, *given),
    tolerance=1e-3,
)
def step_of_adam(lib: Any, params: Params, state: Any, x: Any, labels: Any) -> Any:
    return adam(lib, lambda *given: perceptron_loss(lib, *given), params, state, x, labels)


@program(
    "training",
    sizes=((16, 32, 32), (64, 128, 128), (128, 512, 256)),
    arguments=perceptron,
    bytes=lambda b, n, h: 4 * b * weights(n, h),
    flops=lambda b, n, h: 6 * b * weights(n, h),
    torch=lambda torch, params, x, labels: torch.func.vmap(
        torch.func.grad(
            lambda params, x, label: perceptron_loss_torch(torch, params, x[None], label[None])
        ),
        (None, 0, 0),
    )(params, x, labels),
)
def gradients_of_examples(lib: Any, params: Params, x: Any, labels: Any) -> Any:
    def loss(params: Any, x: Any, label: Any) -> Any:
        return perceptron_loss(lib, params, x[None], label[None])

    return lib.vmap(lib.grad(loss), (None, 0, 0))(params, x, labels)


@program(
    "training",
    sizes=((256, 64), (4096, 256), (65536, 512)),
    arguments=lambda draw, n, k: (
        {"w": draw.normal(k, scale=0.1), "b": np.zeros((), np.float32)},
        draw.normal(n, k),
        draw.integers(2, n).astype(np.float32),
    ),
    bytes=lambda n, k: 8 * n * k,
    flops=lambda n, k: 4 * n * k,
    torch=lambda torch, *given: descended_torch(
        torch,
        lambda torch, p, x, y: torch.nn.functional.binary_cross_entropy_with_logits(
            x @ p["w"] + p["b"], y
        ),
        *given,
    ),
)
def step_of_logistic_regression(lib: Any, params: Params, x: Any, y: Any) -> Any:
    def loss(p: Any, x: Any, y: Any) -> Any:
        z = x @ p["w"] + p["b"]
        return lib.numpy.mean(lib.nn.softplus(z) - y * z)

    return descended(lib, loss, params, x, y)


# Convolutional networks ---------------------------------------------------------------------------


def convolutional(draw: Draw, batch: int, side: int, channels: int) -> tuple[Any, ...]:
    c = channels
    params = {
        "k0": draw.normal(c, 3, 3, 3, scale=0.2),
        "k1": draw.normal(2 * c, c, 3, 3, scale=(9 * c) ** -0.5),
        "w": draw.normal(2 * c * (side // 4) ** 2, 10, scale=0.02),
        "b": np.zeros(10, np.float32),
    }
    return params, draw.normal(batch, 3, side, side), draw.integers(10, batch)


def convolutional_loss(lib: Any, params: Params, x: Any, labels: Any) -> Any:
    lax = lib.lax
    for name in ("k0", "k1"):
        x = lib.nn.relu(lax.conv_general_dilated(x, params[name], (1, 1), "SAME"))
        window = (1, 1, 2, 2)
        x = lax.reduce_window(x, -lib.numpy.inf, lax.max, window, window, "VALID")
    logits = x.reshape(x.shape[0], -1) @ params["w"] + params["b"]
    return cross_entropy(lib, logits, labels)


def convolutional_loss_torch(torch: Any, params: Params, x: Any, labels: Any) -> Any:
    functional = torch.nn.functional
    for name in ("k0", "k1"):
        x = functional.max_pool2d(torch.relu(functional.conv2d(x, params[name], padding=1)), 2)
    logits = x.reshape(x.shape[0], -1) @ params["w"] + params["b"]
    return functional.cross_entropy(logits, labels.long())


@program(
    "training",
    sizes=((4, 16, 8), (32, 32, 16), (64, 32, 64)),
    arguments=convolutional,
    bytes=lambda b, s, c: 12 * b * c * s * s,
    flops=lambda b, s, c: 6 * b * s * s * (27 * c + 18 * c * c / 4),
    torch=lambda torch, *given: descended_torch(torch, convolutional_loss_torch, *given),
    tolerance=1e-3,
)
def step_of_a_convolutional_network(lib: Any, params: Params, x: Any, labels: Any) -> Any:
    return descended(lib, lambda *given: convolutional_loss(lib, *given), params, x, labels)


# Transformers -------------------------------------------------------------------------------------

HEADS = 4


def transformer(draw: Draw, batch: int, length: int, width: int) -> tuple[Any, ...]:
    scale = width**-0.5
    params = {
        "embedding": draw.normal(256, width, scale=0.5),
        "qkv": draw.normal(width, 3 * width, scale=scale),
        "out": draw.normal(width, width, scale=scale),
        "up": draw.normal(width, 4 * width, scale=scale),
        "down": draw.normal(4 * width, width, scale=scale / 2),
        "scale0": np.ones(width, np.float32),
        "scale1": np.ones(width, np.float32),
    }
    tokens = draw.integers(256, batch, length + 1)
    return params, tokens[:, :-1].copy(), tokens[:, 1:].copy()


def transformer_flops(b: int, n: int, d: int) -> float:
    return 6 * b * n * (12 * d * d + 256 * d + 2 * n * d)


def normalized(lib: Any, x: Any, scale: Any) -> Any:
    xp = lib.numpy
    x = x - xp.mean(x, -1, keepdims=True)
    return x / xp.sqrt(xp.mean(x * x, -1, keepdims=True) + 1e-5) * scale


def transformer_loss(lib: Any, p: Params, tokens: Any, labels: Any) -> Any:
    xp = lib.numpy
    x = p["embedding"][tokens]
    batch, length, width = x.shape
    qkv = (normalized(lib, x, p["scale0"]) @ p["qkv"]).reshape(batch, length, 3, HEADS, -1)
    q, k, v = xp.transpose(qkv, (2, 0, 3, 1, 4))
    scores = q @ xp.swapaxes(k, -1, -2) / (width // HEADS) ** 0.5
    scores = xp.where(xp.tril(xp.ones((length, length), bool)), scores, -1e9)
    seen = xp.transpose(lib.nn.softmax(scores, axis=-1) @ v, (0, 2, 1, 3))
    x = x + seen.reshape(batch, length, width) @ p["out"]
    x = x + lib.nn.gelu(normalized(lib, x, p["scale1"]) @ p["up"]) @ p["down"]
    return cross_entropy(lib, x @ p["embedding"].T, labels)


def transformer_loss_torch(torch: Any, p: Params, tokens: Any, labels: Any) -> Any:
    functional = torch.nn.functional
    x = functional.embedding(tokens, p["embedding"])
    batch, length, width = x.shape
    normal = functional.layer_norm(x, (width,), p["scale0"])
    qkv = (normal @ p["qkv"]).reshape(batch, length, 3, HEADS, -1)
    q, k, v = qkv.permute(2, 0, 3, 1, 4)
    seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
    x = x + seen.reshape(batch, length, width) @ p["out"]
    hidden = functional.layer_norm(x, (width,), p["scale1"]) @ p["up"]
    x = x + functional.gelu(hidden, approximate="tanh") @ p["down"]
    logits = x @ p["embedding"].T
    return functional.cross_entropy(logits.reshape(-1, 256), labels.long().reshape(-1))


@program(
    "training",
    sizes=((2, 16, 32), (8, 64, 128), (8, 256, 256)),
    arguments=transformer,
    bytes=lambda b, n, d: 4 * b * n * 30 * d,
    flops=transformer_flops,
    torch=lambda torch, *given: descended_torch(torch, transformer_loss_torch, *given),
    tolerance=1e-3,
)
def step_of_a_transformer(lib: Any, params: Params, tokens: Any, labels: Any) -> Any:
    return descended(lib, lambda *given: transformer_loss(lib, *given), params, tokens, labels)


@program(
    "training",
    sizes=((2, 16, 32), (8, 64, 128), (8, 256, 256)),
    arguments=transformer,
    bytes=lambda b, n, d: 4 * b * n * 10 * d,
    flops=lambda *shape: transformer_flops(*shape) / 3,
    torch=lambda torch, *given: transformer_loss_torch(torch, *given),
)
def loss_of_a_transformer(lib: Any, params: Params, tokens: Any, labels: Any) -> Any:
    return transformer_loss(lib, params, tokens, labels)


# Recurrent networks -------------------------------------------------------------------------------

# Sequences, length, width.
RECURRENT = ((8, 16, 32), (32, 50, 128), (64, 100, 256))


def recurrent(gates: int) -> Any:
    def made(draw: Draw, batch: int, length: int, width: int) -> tuple[Any, ...]:
        params = {
            "w": draw.normal(width, gates * width, scale=width**-0.5),
            "u": draw.normal(width, gates * width, scale=width**-0.5),
            "b": np.zeros(gates * width, np.float32),
        }
        return params, draw.normal(length, batch, width), draw.normal(batch, width)

    return made


def lstm_loss(lib: Any, params: Params, xs: Any, y: Any) -> Any:
    xp, sigmoid = lib.numpy, lib.nn.sigmoid

    def step(state: Any, x: Any) -> Any:
        h, c = state
        i, f, g, o = xp.split(x @ params["w"] + h @ params["u"] + params["b"], 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * xp.tanh(g)
        return (sigmoid(o) * xp.tanh(c), c), None

    zeros = xp.zeros_like(xs[0])
    (h, _), _ = lib.lax.scan(step, (zeros, zeros), xs)
    return xp.mean((h - y) ** 2)


def lstm_loss_torch(torch: Any, params: Params, xs: Any, y: Any) -> Any:
    h = c = torch.zeros_like(xs[0])
    for x in xs @ params["w"] + params["b"]:
        i, f, g, o = (x + h @ params["u"]).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
    return ((h - y) ** 2).mean()


@program(
    "training",
    sizes=RECURRENT,
    arguments=recurrent(4),
    bytes=lambda b, n, d: 4 * n * b * 12 * d,
    flops=lambda b, n, d: 6 * n * b * 8 * d * d,
    torch=lambda torch, *given: descended_torch(torch, lstm_loss_torch, *given),
    tolerance=1e-3,
)
def step_of_an_lstm(lib: Any, params: Params, xs: Any, y: Any) -> Any:
    return descended(lib, lambda *given: lstm_loss(lib, *given), params, xs, y)


def simple_loss(lib: Any, params: Params, xs: Any, y: Any) -> Any:
    xp = lib.numpy

    def step(h: Any, x: Any) -> Any:
        h = xp.tanh(x + h @ params["u"])
        return h, h

    inputs = xs @ params["w"] + params["b"]
    h, _ = lib.lax.scan(step, xp.zeros_like(xs[0]), inputs)
    return xp.mean((h - y) ** 2)


def simple_loss_torch(torch: Any, params: Params, xs: Any, y: Any) -> Any:
    h = torch.zeros_like(xs[0])
    for x in xs @ params["w"] + params["b"]:
        h = torch.tanh(x + h @ params["u"])
    return ((h - y) ** 2).mean()


@program(
    "training",
    sizes=RECURRENT,
    arguments=recurrent(1),
    bytes=lambda b, n, d: 4 * n * b * 5 * d,
    flops=lambda b, n, d: 6 * n * b * 2 * d * d,
    torch=lambda torch, *given: descended_torch(torch, simple_loss_torch, *given),
    tolerance=1e-3,
)
def step_of_a_recurrent_network(lib: Any, params: Params, xs: Any, y: Any) -> Any:
    return descended(lib, lambda *given: simple_loss(lib, *given), params, xs, y)
