"""Trains a small neural network on scikit-learn's digits, then ships it without Python."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import optree
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import dovetail as dt
import dovetail.numpy as dnp

LAYERS = (64, 128, 128, 10)
BATCH = 64
LEARNING_RATE = 5e-3
WEIGHT_DECAY = 0.1

Tree = Any


class Digits(NamedTuple):
    """Images of 8×8 pixels between 0 and 1, as rows of 64, and the digits they show."""

    images: np.ndarray
    labels: np.ndarray

    def take(self, rows: Any) -> Digits:
        """Returns the given rows, in the order of `rows`."""
        return Digits(self.images[rows], self.labels[rows])


class History(NamedTuple):
    """The training log: the loss of each step, and the test accuracy after each epoch."""

    losses: np.ndarray
    accuracies: np.ndarray


def load() -> tuple[Digits, Digits]:
    """Returns the training set and a held-out quarter, with every digit in the same proportion."""
    pixels, labels = load_digits(return_X_y=True)
    data = Digits((pixels / 16).astype(np.float32), labels.astype(np.int32))
    train_rows, test_rows = train_test_split(
        np.arange(len(labels)), test_size=0.25, stratify=labels, random_state=0
    )
    return data.take(train_rows), data.take(test_rows)


def init_params(seed: int) -> Tree:
    """Returns weights drawn as He et al. (2015) recommend for rectifiers, and zero biases."""
    random = np.random.default_rng(seed)
    return [
        {
            "weights": random.normal(0, np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32),
            "bias": np.zeros(outputs, np.float32),
        }
        for inputs, outputs in pairwise(LAYERS)
    ]


def init_optimizer(params: Tree) -> Tree:
    """Returns Adam's state: a step count, and means of the gradient and of its square."""
    zeros = optree.tree_map(np.zeros_like, params)
    return {"step": np.float32(0), "mean": zeros, "square": zeros}


def logits(params: Tree, images: Any) -> Any:
    """Returns the unnormalized log-probability of each digit: f32[..., 64] to f32[..., 10]."""
    *hidden, last = params
    activations = images
    for layer in hidden:
        activations = dnp.maximum(activations @ layer["weights"] + layer["bias"], 0)
    return activations @ last["weights"] + last["bias"]


def predict(params: Tree, images: Any) -> Any:
    """Returns the most probable digit for each image."""
    return dnp.argmax(logits(params, images), axis=-1)


def loss(params: Tree, images: Any, labels: Any) -> Any:
    """Returns the mean cross-entropy of the predictions, for a batch or for one example."""
    scores = logits(params, images)
    scores = scores - dnp.max(scores, axis=-1, keepdims=True)
    is_label = labels[..., None] == dnp.arange(10)
    score_of_label = dnp.sum(dnp.where(is_label, scores, 0), axis=-1)
    return dnp.mean(dnp.log(dnp.sum(dnp.exp(scores), axis=-1)) - score_of_label)


def train_step(params: Tree, state: Tree, images: Any, labels: Any) -> tuple[Tree, Tree, Any]:
    """Takes one step of AdamW (Loshchilov and Hutter, 2019); the loss is that before the step."""
    value, gradient = dt.value_and_grad(loss)(params, images, labels)
    step = state["step"] + 1
    mean = optree.tree_map(lambda m, g: 0.9 * m + 0.1 * g, state["mean"], gradient)
    square = optree.tree_map(lambda s, g: 0.999 * s + 0.001 * g * g, state["square"], gradient)
    # Both means start at zero; this removes that bias.
    mean_scale, square_scale = 1 / (1 - 0.9**step), 1 / (1 - 0.999**step)

    def update(param: Any, m: Any, s: Any) -> Any:
        direction = m * mean_scale / (dnp.sqrt(s * square_scale) + 1e-8)
        return param - LEARNING_RATE * (direction + WEIGHT_DECAY * param)

    params = optree.tree_map(update, params, mean, square)
    return params, {"step": step, "mean": mean, "square": square}, value


def gradient_norm(params: Tree, image: Any, label: Any) -> Any:
    """Returns the norm of each example's own gradient, a measure of how hard it is."""
    gradient = dt.grad(loss)(params, image, label)
    return dnp.sqrt(sum(dnp.sum(g * g) for g in optree.tree_leaves(gradient)))


def batches(data: Digits, random: np.random.Generator) -> Iterator[Digits]:
    """Yields one epoch of full batches in random order."""
    order = random.permutation(len(data.labels))
    for start in range(0, len(order) - BATCH + 1, BATCH):
        yield data.take(order[start : start + BATCH])


def train(train_set: Digits, test_set: Digits, epochs: int, seed: int) -> tuple[Tree, History]:
    """Returns the trained parameters and the training log."""
    step, classify = dt.jit(train_step), dt.jit(predict)
    params = init_params(seed)
    state = init_optimizer(params)
    random = np.random.default_rng(seed)
    losses, accuracies = [], []
    with tqdm(range(epochs), "training", unit="epoch") as progress:
        for _ in progress:
            for batch in batches(train_set, random):
                params, state, value = step(params, state, *batch)
                losses.append(value)
            predicted = np.asarray(classify(params, test_set.images))
            accuracies.append(float(np.mean(predicted == test_set.labels)))
            progress.set_postfix_str(f"loss {float(losses[-1]):.4f}, test {accuracies[-1]:.1%}")
    return params, History(np.asarray([float(v) for v in losses]), np.asarray(accuracies))


def main() -> None:
    """Trains, draws the figure, exports, and checks that the exported files compute the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/demo"), metavar="DIR")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="of the initial weights and batches")
    parser.add_argument("--train-only", action="store_true", help="no figure, no export")
    options = parser.parse_args()

    train_set, test_set = load()
    print(f"{len(train_set.labels)} digits to train on, {len(test_set.labels)} held out")
    start = time.perf_counter()
    params, history = train(train_set, test_set, options.epochs, options.seed)
    print(
        f"test accuracy {history.accuracies[-1]:.2%} after {len(history.losses)} steps "
        f"in {time.perf_counter() - start:.1f} s"
    )
    if options.train_only:
        return

    # These need more than training does: matplotlib, and the compiler.
    from digits_export import export_predict, export_train_step
    from digits_figure import draw

    predicted = np.asarray(dt.jit(predict)(params, test_set.images))
    norms_of = dt.jit(dt.vmap(gradient_norm, in_axes=(None, 0, 0)))
    norms = np.asarray(norms_of(params, *test_set))
    options.output.mkdir(parents=True, exist_ok=True)
    figure = draw(options.output / "digits.png", history, test_set, predicted, norms)
    print(f"figure: {figure}")
    summary = {
        "accuracy": float(np.mean(predicted == test_set.labels)),
        "steps": len(history.losses),
        "hardest": np.argsort(-norms, kind="stable")[:10].tolist(),
        "predict": export_predict(options.output, params, test_set, predicted),
        "train_step": export_train_step(options.output, train_set, options.seed),
    }
    (options.output / "summary.json").write_text(json.dumps(summary, indent=2) + "\n")


if __name__ == "__main__":
    main()
