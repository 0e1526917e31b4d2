"""Draws what the digits example learned: the loss, the confusion matrix, the hardest digits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import PowerNorm

if TYPE_CHECKING:
    from digits import Digits, History

INK, BLUE, RED, GREY = "#1f2933", "#2563a8", "#c2410c", "#8a94a0"
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "xtick.color": INK,
    "ytick.color": INK,
}


def draw(
    path: Path, history: History, test_set: Digits, predicted: np.ndarray, norms: np.ndarray
) -> Path:
    """Writes the figure as PNG and returns its path.

    Args:
      path: the file to write.
      history: losses per step and test accuracies per epoch.
      test_set: the held-out digits.
      predicted: int[n], the network's predictions.
      norms: f32[n], the norm of each digit's gradient.
    """
    with plt.rc_context(STYLE):
        figure: Any = plt.figure(figsize=(12.5, 6.6), layout="constrained")
        figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
        top, bottom = figure.subfigures(2, 1, height_ratios=(2.35, 1))
        loss_axes, matrix_axes = top.subplots(1, 2, width_ratios=(1.5, 1))
        _draw_history(loss_axes, history)
        _draw_confusion(matrix_axes, test_set.labels, predicted)
        _draw_hardest(bottom, test_set, predicted, norms)
        figure.savefig(path, dpi=150)
        plt.close(figure)
    return path


def _draw_history(axes: Any, history: History) -> None:
    steps = np.arange(1, len(history.losses) + 1)
    per_epoch = len(history.losses) // len(history.accuracies)
    epochs = steps[per_epoch - 1 :: per_epoch]
    means = history.losses.reshape(-1, per_epoch).mean(axis=1)
    axes.plot(steps, history.losses, color=BLUE, alpha=0.25, linewidth=0.8, label="each step")
    axes.plot(epochs, means, color=BLUE, linewidth=2, label="mean of an epoch")
    axes.set(yscale="log", xlabel="step", ylabel="training loss (cross-entropy)")
    axes.set_title("Training")
    axes.margins(x=0.01)

    accuracy_axes = axes.twinx()
    accuracy_axes.plot(epochs, 100 * history.accuracies, color=RED, linewidth=1.6)
    accuracy_axes.set_ylabel("test accuracy (%)", color=RED)
    accuracy_axes.set_ylim(min(90, 100 * history.accuracies.min() - 1), 100)
    accuracy_axes.tick_params(axis="y", colors=RED)
    accuracy_axes.annotate(
        f"{history.accuracies[-1]:.1%}",
        (epochs[-1], 100 * history.accuracies[-1]),
        xytext=(0, 7),
        textcoords="offset points",
        ha="right",
        color=RED,
        weight="bold",
    )
    axes.legend(loc="center right", frameon=False)


def _draw_confusion(axes: Any, labels: np.ndarray, predicted: np.ndarray) -> None:
    counts = np.zeros((10, 10), int)
    np.add.at(counts, (labels, predicted), 1)
    # A single mistake must be visible next to forty hits.
    axes.imshow(counts, cmap="Blues", norm=PowerNorm(0.4))
    for (row, column), count in np.ndenumerate(counts):
        if count:
            color = "white" if row == column else RED
            axes.text(column, row, count, ha="center", va="center", color=color, weight="bold")
    axes.set(xticks=range(10), yticks=range(10), xlabel="predicted", ylabel="true")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    mistakes = int(np.sum(labels != predicted))
    axes.set_title(f"Held-out digits: {mistakes} of {len(labels)} wrong")


def _draw_hardest(figure: Any, test_set: Digits, predicted: np.ndarray, norms: np.ndarray) -> None:
    figure.suptitle(
        "The ten hardest test digits, by the norm of each one's gradient",
        x=0.012,
        ha="left",
        fontsize=STYLE["axes.titlesize"],
        weight="bold",
    )
    hardest = np.argsort(-norms, kind="stable")[:10]
    for axes, index in zip(figure.subplots(1, 10), hardest, strict=True):
        right = predicted[index] == test_set.labels[index]
        axes.imshow(test_set.images[index].reshape(8, 8), cmap="Greys", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(True)
        axes.spines[:].set_color(GREY if right else RED)
        axes.set_title(
            f"{test_set.labels[index]} read as {predicted[index]}",
            fontsize=9,
            loc="center",
            color=INK if right else RED,
        )
        axes.set_xlabel(f"‖∇‖ = {norms[index]:.3g}", fontsize=8)
