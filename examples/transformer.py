"""A small transformer learns to write like this project's documentation, letter by letter.

It is trained with AdamW on windows of the text, its weights are saved and loaded, and then it
writes: each letter is sampled from its predictions.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, nn, optim, random

REPOSITORY = Path(__file__).parents[1]
HEADS = 4


class Size(NamedTuple):
    """The size of a run."""

    layers: int
    width: int
    window: int
    batch: int
    steps: int
    written: int


QUICK = Size(layers=1, width=16, window=16, batch=8, steps=20, written=40)
WHOLE = Size(layers=2, width=64, window=64, batch=24, steps=2000, written=600)


def read() -> tuple[str, np.ndarray]:
    """The letters of the documentation, and its text as their numbers."""
    files = [*sorted(REPOSITORY.glob("*.md")), *sorted(REPOSITORY.glob("docs/*.md"))]
    files += [REPOSITORY / "dialects" / name for name in ("README.md", "RATIONALE.md")]
    text = "\n".join(file.read_text() for file in files)
    # Rules of tables are neither prose nor code, and would be learned last.
    text = text.replace("|---", "")
    letters = "".join(sorted(set(text)))
    return letters, np.array([letters.index(c) for c in text], np.int32)


def init_params(key: Any, letters: int, size: Size) -> Any:
    """Weights with standard deviation 0.02, as in GPT-2 (Radford et al., 2019)."""
    make = nn.initializers.normal(0.02)
    width = size.width

    def layer(key: Any) -> Any:
        keys = random.split(key, 4)
        return {
            "attend": {
                "in": make(keys[0], (width, 3 * width)),
                "out": make(keys[1], (width, width)),
            },
            "think": {
                "in": make(keys[2], (width, 4 * width)),
                "out": make(keys[3], (4 * width, width)),
            },
            "scales": dnp.ones((2, width)),
        }

    of_letters, of_places, *of_layers = random.split(key, 2 + size.layers)
    return {
        "letters": make(of_letters, (letters, width)),
        "places": make(of_places, (size.window, width)),
        "layers": [layer(k) for k in of_layers],
        "scale": dnp.ones(width),
    }


def attend(weights: Any, x: Any) -> Any:
    """Attention of each position to earlier ones: float[batch, window, width] to the same."""
    batch, window, width = x.shape
    parts = dnp.reshape(x @ weights["in"], (batch, window, 3, HEADS, width // HEADS))
    gathered = nn.dot_product_attention(*dnp.moveaxis(parts, 2, 0), is_causal=True)
    return dnp.reshape(gathered, x.shape) @ weights["out"]


def scores(params: Any, numbers: Any) -> Any:
    """The logits of the next letter at each position: int32[batch, window] to float[batch, window,
    letters].
    """
    x = params["letters"][numbers] + params["places"][: numbers.shape[1]]
    for layer in params["layers"]:
        first, second = layer["scales"]
        x = x + attend(layer["attend"], first * nn.standardize(x))
        inner = nn.gelu(second * nn.standardize(x) @ layer["think"]["in"])
        x = x + inner @ layer["think"]["out"]
    return params["scale"] * nn.standardize(x) @ params["letters"].T


def loss(params: Any, windows: Any) -> Any:
    """The mean cross-entropy in nats per letter; windows have one letter more than the input."""
    logarithms = nn.log_softmax(scores(params, windows[:, :-1]))
    return -dnp.mean(dnp.take_along_axis(logarithms, windows[:, 1:, None], -1))


def train(key: Any, text: np.ndarray, letters: int, size: Size) -> tuple[Any, np.ndarray]:
    """The weights at the end, and the losses."""
    of_params, of_batches = random.split(key)
    params = init_params(of_params, letters, size)
    schedule = optim.warmup_cosine_decay_schedule(0.0, 3e-3, size.steps // 10, size.steps, 1e-4)
    decayed = dt.tree.map(lambda p: p.ndim > 1, params)
    optimizer = optim.chain(
        optim.clip_by_global_norm(1.0), optim.adamw(schedule, b2=0.99, mask=decayed)
    )
    state = optimizer.init(params)

    @dt.jit
    def step(params: Any, state: Any, text: Any, key: Any) -> Any:
        starts = random.randint(key, (size.batch, 1), 0, len(text) - size.window)
        windows = text[starts + dnp.arange(size.window + 1)]
        value, gradient = dt.value_and_grad(loss)(params, windows)
        updates, state = optimizer.update(gradient, state, params)
        return optim.apply_updates(params, updates), state, value

    losses = []
    on_device = dnp.asarray(text)
    for number in range(size.steps):
        params, state, value = step(params, state, on_device, random.fold_in(of_batches, number))
        losses.append(value)
    return params, np.array([float(value) for value in losses])


@functools.partial(dt.jit, static_argnums=(3,))
def write(params: Any, window: Any, key: Any, count: int) -> Any:
    """Letters that follow a window, each drawn given the previous ones: int32[count]."""

    def step(window: Any, key: Any) -> Any:
        letter = random.categorical(key, scores(params, window[None])[0, -1] / 0.7)
        letter = letter.astype(window.dtype)
        return dnp.append(window[1:], letter), letter

    return lax.scan(step, window, random.split(key, count))[1]


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains, saves, loads, writes."""
    size = QUICK if quick else WHOLE
    letters, text = read()
    held_out = len(text) // 20
    params, losses = train(random.key(0), text[:-held_out], len(letters), size)

    dt.checkpoint.save(output / "transformer.safetensors", params)
    params = dt.checkpoint.load(output / "transformer.safetensors", like=params)
    windows = text[-held_out:][: held_out // (size.window + 1) * (size.window + 1)]
    test_loss = float(dt.jit(loss)(params, windows.reshape(-1, size.window + 1)))
    written = np.asarray(write(params, text[: size.window], random.key(1), size.written))
    sample = "".join(letters[i] for i in written)
    (output / "transformer.txt").write_text(sample)
    print(sample)

    def panel(axes: Any) -> None:
        axes.plot(losses, lw=0.4)
        smooth = max(1, size.steps // 50)
        axes.plot(
            np.arange(size.steps - smooth + 1) + smooth / 2,
            np.convolve(losses, np.ones(smooth) / smooth, "valid"),
            label="training",
        )
        axes.axhline(test_loss, color="k", ls=":", label="text held out")
        axes.set(xlabel="step", ylabel="nats per letter", title="A small transformer")
        axes.legend()

    common.figure(output / "transformer.png", 1, panel)
    return {
        "letters": len(letters),
        "text": len(text),
        "weights": sum(p.size for p in dt.tree.leaves(params)),
        "first_loss": losses[0],
        "last_loss": float(losses[-size.steps // 20 :].mean()),
        "test_loss": test_loss,
    }


if __name__ == "__main__":
    common.run(main, __doc__)
