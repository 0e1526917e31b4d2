"""Fourier transforms, compiled, compared with SciPy and JAX.

Usage: fft.py [--repeat N]

Times are the best of N rounds in which the libraries take turns; compare the ratios. JAX is
measured if it is installed. Errors are root mean square errors of the elements against a transform
in long doubles, in units of the machine epsilon.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft
from by_turns import measure

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config

Array = np.ndarray[Any, Any]
CALLS = (
    *(("fft", (1 << k,)) for k in range(6, 21, 2)),
    ("fft", (1009,)),
    ("fft", (100_000,)),
    ("fft", (1024, 1024)),
    ("fft", (1000, 1000)),
    ("fft", (16_384, 16)),
    ("fft2", (512, 512)),
    ("rfft", (1 << 18,)),
    ("rfft", (1024, 1024)),
    ("irfft", (1024, 513)),
)
PRECISIONS = (np.float32, np.float64)


def operand(name: str, shape: tuple[int, ...], precision: Any) -> Array:
    """Random numbers."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(precision)
    if name.startswith("r"):
        return x
    return x + x.dtype.type(1) * 1j * rng.standard_normal(shape).astype(precision)


def ways(name: str, x: Array) -> dict[str, Callable[[], Any]]:
    """One call for each library."""
    array = dnp.asarray(x)
    function = dt.jit(getattr(dnp.fft, name)).lower(array).compile()
    calls: dict[str, Callable[[], Any]] = {
        "SciPy": lambda: getattr(scipy.fft, name)(x),
        "Dovetail": lambda: np.asarray(function(array)),
    }
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        return calls
    jax.config.update("jax_enable_x64", True)
    peer, other = jax.jit(getattr(jax.numpy.fft, name)), jax.numpy.asarray(x)
    calls["JAX"] = lambda: np.asarray(peer(other))
    return calls


def errors(name: str, x: Array, calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The relative error of each library's result, over the machine epsilon."""
    wide = x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble)
    exact = getattr(scipy.fft, name)(wide)
    unit = np.linalg.norm(exact) * np.finfo(x.dtype).eps
    return {k: float(np.linalg.norm(call() - exact) / unit) for k, call in calls.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures Fourier transforms.")
    parser.add_argument("--repeat", type=int, default=20, help="rounds (default: %(default)s)")
    repeat = parser.parse_args().repeat
    print("| µs | SciPy | Dovetail | JAX | Dovetail / JAX | errors: SciPy | Dovetail | JAX |")
    print("|---" * 8 + "|")
    with config.enable_x64(True):
        for name, shape in CALLS:
            for precision in PRECISIONS:
                x = operand(name, shape, precision)
                calls = ways(name, x)
                wrong, best = errors(name, x, calls), measure(calls, repeat)
                order = ("SciPy", "Dovetail", "JAX")
                numbers = [f"{1e6 * best.get(k, float('nan')):.0f}" for k in order]
                numbers.append(f"{best['Dovetail'] / best.get('JAX', float('nan')):.2f}")
                numbers += [f"{wrong.get(k, float('nan')):.2f}" for k in order]
                size = " × ".join(map(str, shape))
                what = f"`{name}` {size} {np.dtype(precision)}"
                print(f"| {what} | {' | '.join(numbers)} |", flush=True)


if __name__ == "__main__":
    main()
