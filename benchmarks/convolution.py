"""Convolutions and pooling, forward and with gradients, compared with JAX and PyTorch.

Usage: convolution.py [--repeat N] [--forms]

Times are the best of N rounds in which the libraries take turns; compare the ratios. JAX and
PyTorch are measured if they are installed. With --forms, other forms are compared with JAX alone:
kernels along one dimension, groups, batches by vmap, elements with zeros between them.
"""

from __future__ import annotations

import argparse
import importlib
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
from by_turns import measure

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


# Other forms: shapes of image and kernel, options, and the axes of vmap.
FORMS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any], Any]] = {
    "1x3": ((8, 64, 28, 28), (64, 64, 1, 3), {}, None),
    "7x1": ((8, 64, 28, 28), (64, 64, 7, 1), {}, None),
    "3x3, 8 groups": ((8, 64, 28, 28), (64, 8, 3, 3), {"feature_group_count": 8}, None),
    "3x3, 3 times the images": ((3, 8, 64, 28, 28), (64, 64, 3, 3), {}, (0, None)),
    "3x3, 3 times the kernels": ((8, 64, 28, 28), (3, 64, 64, 3, 3), {}, (None, 0)),
    "3x3, 3 times both": ((3, 8, 64, 28, 28), (3, 64, 64, 3, 3), {}, (0, 0)),
    "2x2, transposed": ((8, 64, 28, 28), (64, 64, 2, 2), {"lhs_dilation": (2, 2)}, None),
    "3x3, transposed": ((8, 64, 28, 28), (64, 64, 3, 3), {"lhs_dilation": (2, 2)}, None),
    "4x4, transposed": ((8, 64, 28, 28), (64, 64, 4, 4), {"lhs_dilation": (2, 2)}, None),
}


def form(library: Any, lax: Any, name: str) -> Callable[[], Any]:
    """The call of a form, in a library with JAX's interface."""
    image, kernel, options, axes = FORMS[name]
    rng = np.random.default_rng(0)
    x, k = (rng.normal(size=shape).astype(np.float32) for shape in (image, kernel))
    pads = tuple((n // 2, n // 2) for n in kernel[-2:])

    def forward(x: Any, k: Any) -> Any:
        return lax.conv_general_dilated(
            x, k, (1, 1), pads, dimension_numbers=ORDERS["NCHW"], **options
        )

    function = library.jit(library.vmap(forward, axes) if axes else forward)
    x, k = library.jit(lambda x, k: (x + 0, k + 0))(x, k)
    return lambda: function(x, k).block_until_ready()


def print_forms(repeat: int) -> None:
    """Prints times of the forms in milliseconds."""
    jax = optional("jax")
    for name in FORMS:
        functions = {"Dovetail": form(dt, dlax, name)}
        if jax:
            functions["JAX"] = form(jax, jax.lax, name)
        for function in functions.values():
            function()
        times = measure(functions, repeat)
        line = "  ".join(f"{library} {time * 1e3:8.2f} ms" for library, time in times.items())
        print(f"NCHW {name:26} {line}", flush=True)


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
    parser.add_argument("--forms", action="store_true")
    arguments = parser.parse_args()
    repeat = arguments.repeat
    if arguments.forms:
        return print_forms(repeat)
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
