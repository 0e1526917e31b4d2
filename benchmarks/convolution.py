"""Convolutions and pooling, forward and with gradients, compared with JAX and PyTorch.

Usage: convolution.py [--repeat N]

Times are the best of N rounds in which the libraries take turns; compare the ratios. JAX and
PyTorch are measured if they are installed.
"""

from __future__ import annotations

import argparse
import importlib
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.lax as dlax
import dovetail.numpy as dnp

# Batch, image size, input features, kernel size, output features, stride.
CONVOLUTIONS = {
    "3x3, 64 to 64": (8, 58, 64, 3, 64, 1),
    "3x3, 256 to 256": (8, 16, 256, 3, 256, 1),
    "3x3, 64 to 64, stride 2": (8, 57, 64, 3, 64, 2),
    "1x1, 64 to 128": (8, 56, 64, 1, 128, 1),
    "5x5, 1 to 16": (32, 28, 1, 5, 16, 1),
    "3x3, 64 apart": (8, 58, 64, 3, None, 1),
}
ORDERS = {
    "NHWC": ("NHWC", "HWIO", "NHWC"),
    "NCHW": ("NCHW", "OIHW", "NCHW"),
}


def operands(order: str, case: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
    """An image and a kernel; without a number of output features, one for each input feature."""
    batch, size, inputs, width, outputs, _ = case
    rng = np.random.default_rng(0)
    x = {"N": batch, "H": size, "W": size, "C": inputs}
    k = {"H": width, "W": width, "I": inputs if outputs else 1, "O": outputs or inputs}
    spec = ORDERS[order]
    return tuple(  # type: ignore[return-value]
        rng.normal(size=[sizes[c] for c in letters]).astype(np.float32)
        for sizes, letters in ((x, spec[0]), (k, spec[1]))
    )


def jax_like(
    library: Any, lax: Any, order: str, case: tuple[Any, ...]
) -> dict[str, Callable[..., Any]]:
    """The convolution and its gradients, compiled by a library with JAX's interface."""
    groups = 1 if case[4] else case[2]

    def forward(x: Any, k: Any) -> Any:
        return lax.conv_general_dilated(
            x,
            k,
            (case[5], case[5]),
            "VALID",
            dimension_numbers=ORDERS[order],
            feature_group_count=groups,
        )

    return {
        "forward": library.jit(forward),
        "gradients": library.jit(library.grad(lambda x, k: (forward(x, k) ** 2).sum(), (0, 1))),
    }


def calls(order: str, case: tuple[Any, ...]) -> dict[str, dict[str, Callable[[], Any]]]:
    """The calls to time: by library, then by computation."""
    x, k = operands(order, case)
    result: dict[str, dict[str, Callable[[], Any]]] = {}

    def add(name: str, functions: dict[str, Callable[..., Any]], arrays: Any, wait: Any) -> None:
        result[name] = {key: lambda f=f: wait(f(*arrays)) for key, f in functions.items()}

    def ready(results: Any) -> None:
        for each in results if isinstance(results, tuple) else (results,):
            each.block_until_ready()

    add("Dovetail", jax_like(dt, dlax, order, case), (dnp.asarray(x), dnp.asarray(k)), ready)
    if jax := optional("jax"):
        put = jax.numpy.asarray
        add("JAX", jax_like(jax, jax.lax, order, case), (put(x), put(k)), ready)
    if order == "NCHW" and (torch := optional("torch")):
        groups = 1 if case[4] else case[2]

        def forward(x: Any, k: Any) -> Any:
            return torch.nn.functional.conv2d(x, k, stride=case[5], groups=groups)

        def gradients(x: Any, k: Any) -> Any:
            return torch.autograd.grad((forward(x, k) ** 2).sum(), (x, k))

        tensors = [torch.tensor(a, requires_grad=True) for a in (x, k)]
        add("PyTorch", {"forward": forward, "gradients": gradients}, tensors, lambda _: None)
    return result


def optional(name: str) -> Any:
    """A library, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def main() -> None:
    """Prints a table in milliseconds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=10)
    repeat = parser.parse_args().repeat
    for order in ORDERS:
        for title, case in CONVOLUTIONS.items():
            by_library = calls(order, case)
            for what in ("forward", "gradients"):
                times: dict[str, float] = {}
                for functions in by_library.values():
                    functions[what]()
                for _ in range(repeat):
                    for name, functions in by_library.items():
                        time = timeit.timeit(functions[what], number=1) * 1e3
                        times[name] = min(times.get(name, time), time)
                line = "  ".join(f"{name} {time:8.2f} ms" for name, time in times.items())
                print(f"{order} {title:24} {what:10} {line}", flush=True)


if __name__ == "__main__":
    main()
