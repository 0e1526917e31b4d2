"""Makes a linear system stable by descending along the gradient of its spectral radius.

The steps x' = (A + B K) x shrink all states if and only if no eigenvalue of A + B K has a magnitude
of 1 or more. The gain K, with fewer inputs than states, is found by following the gradient of the
largest magnitude, through the eigenvalues of matrices that are not symmetric: dλ = wᴴ dA v / wᴴ v
for left and right eigenvectors w and v. It works for real systems, whose eigenvalues come in
conjugate pairs, and for complex ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import random


def spectral_radius(matrix: Any) -> Any:
    """The largest magnitude of an eigenvalue, smoothed: all eigenvalues near it contribute."""
    magnitudes = dnp.abs(dnp.linalg.eigvals(matrix))
    largest = dnp.max(magnitudes)
    return largest + dnp.log(dnp.mean(dnp.exp(SHARPNESS * (magnitudes - largest)))) / SHARPNESS


SHARPNESS = 40.0


def system(key: Any, states: int, inputs: int, dtype: Any) -> tuple[Any, Any]:
    """An unstable system and its input matrix."""
    of_a, of_b = random.split(key)
    a = 1.3 * random.normal(of_a, (states, states), dtype) / np.sqrt(states)
    return a, random.normal(of_b, (states, inputs), dtype)


def stabilized(a: Any, b: Any, steps: int) -> tuple[Any, list[float]]:
    """The gain after a given number of descent steps, which become shorter, and the radii on
    the way.
    """

    @dt.jit
    def step(gain: Any, length: Any) -> Any:
        radius, slope = dt.value_and_grad(lambda k: spectral_radius(a + b @ k))(gain)
        # The gradient with respect to a complex array is the conjugate of the ascent direction.
        return gain - length * dnp.conj(slope) / dnp.linalg.norm(slope), radius

    gain = dnp.zeros((b.shape[1], a.shape[0]), a.dtype)
    radii = []
    for length in np.geomspace(0.05, 0.002, steps):
        gain, radius = step(gain, length)
        radii.append(float(radius))
    return gain, radii


def check(a: Any) -> float:
    """The difference between the derivative along a direction and a difference quotient."""
    direction = dnp.ones_like(a) * (1 + 0.5j if dnp.iscomplexobj(a) else 1)
    step = 1e-6
    ahead, behind = (spectral_radius(a + sign * step * direction) for sign in (1, -1))
    slope = dt.grad(spectral_radius)(a)
    along = float(dnp.real(dnp.sum(slope * direction)))
    return abs(along - float(ahead - behind) / (2 * step)) / abs(along)


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Stabilizes a real and a complex system."""
    states, inputs, steps = (6, 2, 100) if quick else (20, 4, 400)
    results = {}
    runs = []
    for name, dtype in (("real", np.float64), ("complex", np.complex128)):
        a, b = system(random.key(1), states, inputs, dtype)
        error = check(a)
        gain, radii = stabilized(a, b, steps)
        before, after = (np.asarray(dnp.linalg.eigvals(m)) for m in (a, a + b @ gain))
        runs.append((name, before, after, radii))
        results[f"{name}: error of the gradient"] = error
        results[f"{name}: radius before"] = float(np.abs(before).max())
        results[f"{name}: radius after"] = float(np.abs(after).max())

    def panels(left: Any, middle: Any, right: Any) -> None:
        circle = np.exp(2j * np.pi * np.linspace(0, 1, 200))
        for axes, (name, before, after, radii) in zip((left, middle), runs, strict=True):
            axes.plot(np.real(circle), np.imag(circle), "k", lw=0.8)
            axes.plot(
                np.real(before), np.imag(before), "x", color="tab:red", label="without control"
            )
            axes.plot(
                np.real(after), np.imag(after), "o", ms=4, color="tab:blue", label="with control"
            )
            axes.set(
                title=f"Eigenvalues, {name}", xlabel="real", ylabel="imaginary", aspect="equal"
            )
            axes.legend(loc="upper right", fontsize=8)
            right.plot(radii, label=name)
        right.axhline(1, color="k", lw=0.8)
        right.set(title="Spectral radius", xlabel="step")
        right.legend()

    common.figure(output / "spectral_gradients.png", 3, panels)
    return results


if __name__ == "__main__":
    dt.config.update("enable_x64", True)
    common.run(main, __doc__)
