"""Logistic regression by Newton's method, compared with gradient descent.

The negative log-likelihood is convex, so steps with its gradient and Hessian converge
quadratically: the number of correct digits doubles with each step.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, nn, random

RIDGE = 1e-2


def draw(key: Any, count: int) -> tuple[Any, Any]:
    """Points of two overlapping clouds, with a column of ones, and the cloud of each point."""
    of_labels, of_points = random.split(key)
    labels = random.bernoulli(of_labels, 0.5, (count,))
    centres = dnp.where(labels[:, None], dnp.array([1.0, 0.5]), dnp.array([-0.5, -0.8]))
    points = centres + random.normal(of_points, (count, 2)) @ dnp.array([[1.0, 0.6], [0.0, 0.7]])
    return dnp.column_stack([dnp.ones(count), points]), labels


def loss(weights: Any, points: Any, labels: Any) -> Any:
    """The mean negative log-likelihood, plus a ridge."""
    scores = points @ weights
    mean = dnp.mean(nn.softplus(scores) - dnp.where(labels, scores, 0))
    return mean + RIDGE / 2 * dnp.sum(weights**2)


@dt.jit
def derivatives(weights: Any, points: Any, labels: Any) -> tuple[Any, Any, Any]:
    """Loss, gradient and Hessian."""
    value, gradient = dt.value_and_grad(loss)(weights, points, labels)
    return value, gradient, dt.hessian(loss)(weights, points, labels)


def newton(points: Any, labels: Any, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights after each step, and the norms of the gradients there."""
    weights, history, norms = np.zeros(points.shape[1]), [], []
    for _ in range(steps):
        _, gradient, curvature = derivatives(weights, points, labels)
        history.append(weights)
        norms.append(np.linalg.norm(gradient))
        weights = weights - np.linalg.solve(curvature, gradient)
    return np.array(history), np.array(norms)


@dt.jit
def descend(points: Any, labels: Any) -> Any:
    """The norms of the gradients along 200 steps of gradient descent."""

    def step(weights: Any, _: Any) -> Any:
        gradient = dt.grad(loss)(weights, points, labels)
        return weights - gradient, dnp.sqrt(dnp.sum(gradient**2))

    return lax.scan(step, dnp.zeros(points.shape[1]), length=200)[1]


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Fits in double precision, and draws the boundary and both convergences."""
    dt.config.update("enable_x64", True)
    points, labels = draw(random.key(0), 200 if quick else 5000)
    history, norms = newton(points, labels, 9)
    slow = np.asarray(descend(points, labels))
    weights = history[-1]
    accuracy = np.mean((np.asarray(points @ weights) > 0) == np.asarray(labels))

    def panels(left: Any, right: Any) -> None:
        x, y = np.asarray(points)[:600, 1:].T
        left.scatter(x, y, c=np.asarray(labels)[:600], cmap="coolwarm", s=8, alpha=0.6)
        line = np.array([x.min(), x.max()])
        left.plot(line, -(weights[0] + weights[1] * line) / weights[2], "k")
        left.set(title="Where both clouds are equally likely", ylim=(y.min(), y.max()))
        right.semilogy(norms, "o-", label="Newton")
        right.semilogy(slow[:40], label="gradient descent")
        right.set(xlabel="step", ylabel="norm of the gradient", title="Convergence")
        right.legend()

    common.figure(output / "logistic_newton.png", 2, panels)
    return {
        "weights": weights.round(6).tolist(),
        "accuracy": float(accuracy),
        "gradient_norms": [float(f"{n:.3g}") for n in norms],
        "gradient_norm_of_descent": float(slow[-1]),
    }


if __name__ == "__main__":
    common.run(main, __doc__)
