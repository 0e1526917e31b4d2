"""Spectra of random symmetric matrices: Wigner's semicircle, and its shape for mixed sizes.

The eigenvalues of one large symmetric matrix with normal elements fill a semicircle (Wigner, 1955).
In the mixed ensemble the order of each matrix is drawn from a binomial distribution, and spectra of
smaller matrices are continued cyclically, from the largest magnitudes on, to the length of the
largest: the semicircle grows ears, "Wigner's cat" (Süzen, 2021, hal-03464130).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import random


def gaussian(key: Any, order: int) -> Any:
    """A symmetric matrix of the Gaussian orthogonal ensemble."""
    x = random.normal(key, (order, order))
    return (x + x.T) / 2


def semicircle(x: Any) -> np.ndarray:
    """The density of eigenvalues, in units of sqrt(n / 2)."""
    return np.sqrt(np.maximum(4 - np.square(x), 0)) / (2 * np.pi)


def continued(eigenvalues: Any, length: int) -> Any:
    """The eigenvalues, from the largest magnitudes on, repeated up to a length."""
    order = dnp.argsort(-dnp.abs(eigenvalues))
    return dnp.resize(eigenvalues[order], (length,))


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Draws both densities; returns their distances from the semicircle."""
    order, largest, count, mixture = (200, 60, 10, 0.8) if quick else (2000, 1000, 100, 0.8)
    of_one, of_orders, of_many = random.split(random.key(0), 3)

    matrix = gaussian(of_one, order)
    values, vectors = dnp.linalg.eigh(matrix)
    residual = float(dnp.max(dnp.abs(matrix @ vectors - vectors * values)))
    one = np.asarray(values) / np.sqrt(order / 2)

    orders = [int(n) for n in random.binomial(of_orders, largest, mixture, (count,))]
    spectra = [
        continued(dnp.linalg.eigvalsh(gaussian(key, n)), largest) / np.sqrt(largest / 2)
        for n, key in zip(orders, random.split(of_many, count), strict=True)
    ]
    mixed = np.concatenate([np.asarray(spectrum) for spectrum in spectra])

    edges = np.linspace(-2.2, 2.2, 45)
    densities = [np.histogram(x, edges, density=True)[0] for x in (one, mixed)]
    centres = (edges[1:] + edges[:-1]) / 2
    distances = [float(np.abs(d - semicircle(centres)).mean()) for d in densities]

    def panels(left: Any, right: Any) -> None:
        x = np.linspace(-2.2, 2.2, 400)
        for axes, density, title in zip(
            (left, right),
            densities,
            (
                f"One matrix of order {order}",
                f"{count} matrices of orders {min(orders)}–{max(orders)}",
            ),
            strict=True,
        ):
            axes.stairs(density, edges, fill=True, alpha=0.5, label="eigenvalues")
            axes.plot(x, semicircle(x), "k", lw=1, label="semicircle")
            axes.set(title=title, xlabel=r"$\lambda / \sqrt{n/2}$", ylabel="density")
            axes.legend(loc="lower center")

    common.figure(output / "wigner.png", 2, panels)
    return {
        "residual": residual,
        "distance to the semicircle": distances[0],
        "distance of the mixed ensemble": distances[1],
        "orders": [min(orders), max(orders)],
    }


if __name__ == "__main__":
    dt.config.update("enable_x64", True)
    common.run(main, __doc__)
