"""Compile time, compared with JAX: from traced to callable, and from the disk cache.

Usage: compile_time.py [--repeat N] [--only TEXT] [--edits]

Times are the best of N, after both compilers have compiled something else. *apart* is Dovetail with
a dispatch for each small op, *again* finds the compiled program on disk. JAX is measured if it is
installed, without its cache. With `--edits`, the programs are changes of the training step that was
compiled before: *after* finds the code of dispatches that did not change.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dovetail
from dovetail import config

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import digits

RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def programs(module: Any) -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Functions of one library, each with its arguments."""
    numpy, lax, nn = (
        importlib.import_module(f"{module.__name__}.{n}") for n in ("numpy", "lax", "nn")
    )

    def classifier(w: Any, x: Any, labels: Any) -> Any:
        return -numpy.mean(numpy.sum(nn.log_softmax(x @ w) * nn.one_hot(labels, 10), axis=-1))

    def attention(x: Any, wq: Any, wk: Any, wv: Any) -> Any:
        q, k, v = x @ wq, x @ wk, x @ wv
        return nn.softmax(q @ k.T / 8.0, axis=-1) @ v

    def recurrent(w: Any, xs: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h = numpy.tanh(h @ w + x)
            return h, h

        return numpy.sum(lax.scan(step, numpy.zeros(64), xs)[1])

    def chain(x: Any) -> Any:
        for _ in range(40):
            x = numpy.sin(x) * 1.1 + numpy.exp(-x * x)
        return x

    def convolution(x: Any, k: Any) -> Any:
        y = lax.conv_general_dilated(x, k, (1, 1), "SAME")
        return numpy.sum(nn.relu(y))

    # The example with the other library's functions.
    digits.dt, digits.dnp = module, numpy
    params = digits.init_params(seed=0)
    batch = (normal(digits.BATCH, 64), np.zeros(digits.BATCH, np.int32))
    square = tuple(normal(64, 64) for _ in range(4))
    return {
        "x + 1": (lambda x: x + 1, (normal(4),)),
        "softmax": (nn.softmax, (normal(64, 10),)),
        "layer norm": (lambda x: nn.standardize(x), (normal(64, 100),)),
        "elementwise chain": (chain, (normal(256, 256),)),
        "classifier, gradient": (
            module.grad(classifier),
            (normal(64, 10), normal(32, 64), np.zeros(32, np.int32)),
        ),
        "attention": (attention, square),
        "attention, gradient": (
            module.grad(lambda *a: numpy.sum(attention(*a)), argnums=(0, 1, 2, 3)),
            square,
        ),
        "recurrent, gradient": (module.grad(recurrent), (normal(64, 64), normal(32, 64))),
        "convolution, gradient": (
            module.grad(convolution, argnums=(0, 1)),
            (normal(8, 3, 32, 32), normal(16, 3, 3, 3)),
        ),
        "sort": (numpy.sort, (normal(10_000),)),
        "fft": (lambda x: numpy.abs(numpy.fft.fft(x)), (normal(1024),)),
        "hessian": (
            module.hessian(lambda x: numpy.sum(numpy.tanh(x) ** 2 * x[::-1])),
            (normal(16),),
        ),
        "training step": (digits.train_step, (params, digits.init_optimizer(params), *batch)),
    }


def seconds(lowered: Any) -> float:
    start = time.perf_counter()
    lowered.compile()
    return time.perf_counter() - start


def ours(name: str, repeat: int) -> dict[str, float]:
    function, arguments = programs(dovetail)[name]

    # One line for all: results of passes are found again for programs of the same lines.
    def lowered() -> Any:
        return dovetail.jit(function).lower(*arguments)

    found: dict[str, list[float]] = {"merged": [], "apart": [], "again": []}
    for _ in range(repeat):
        for way, merges in (("apart", False), ("merged", True)):
            with tempfile.TemporaryDirectory() as cache, config.merge_small_ops(merges):
                config.update("compilation_cache_dir", cache)
                found[way].append(seconds(lowered()))
                dovetail.clear_caches()
                found["again"].append(seconds(lowered()))
    return {way: min(times) for way, times in found.items()}


def theirs(name: str, repeat: int) -> float:
    jax = importlib.import_module("jax")
    function, arguments = programs(jax)[name]
    times = []
    for _ in range(repeat):
        jax.clear_caches()
        times.append(seconds(jax.jit(function).lower(*arguments)))
    return min(times)


def edits(module: Any) -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Changes of the training step, the original first."""
    numpy = importlib.import_module(f"{module.__name__}.numpy")
    step, arguments = programs(module)["training step"]

    def changed(name: str, value: Any) -> Callable[..., Any]:
        def edited(*args: Any) -> Any:
            before = getattr(digits, name)
            setattr(digits, name, value)
            try:
                return step(*args)
            finally:
                setattr(digits, name, before)

        return edited

    def logits(params: Any, images: Any) -> Any:
        *hidden, last = params
        for layer in hidden:
            images = numpy.tanh(images @ layer["weights"] + layer["bias"])
        return images @ last["weights"] + last["bias"]

    def and_norm(*args: Any) -> Any:
        params, state, value = step(*args)
        return params, state, value, numpy.sum(params[0]["weights"] ** 2)

    deeper = [arguments[0][0], arguments[0][1], *arguments[0][1:]]
    return {
        "none": (step, arguments),
        "learning rate": (changed("LEARNING_RATE", 4e-3), arguments),
        "one more result": (and_norm, arguments),
        "activation": (changed("logits", logits), arguments),
        "one more layer": (step, (deeper, digits.init_optimizer(deeper), *arguments[2:])),
    }


def after_edits(repeat: int) -> dict[str, dict[str, float]]:
    """The times to compile each change, with an empty cache and after the original."""
    found: dict[str, dict[str, list[float]]] = {}
    for _ in range(repeat):
        for name, (function, arguments) in edits(dovetail).items():
            original, first = edits(dovetail)["none"]
            for way in ("empty", "after"):
                with tempfile.TemporaryDirectory() as cache:
                    config.update("compilation_cache_dir", cache)
                    if way == "after":
                        dovetail.jit(original).lower(*first).compile()
                        dovetail.clear_caches()
                    lowered = dovetail.jit(function).lower(*arguments)
                    found.setdefault(name, {}).setdefault(way, []).append(seconds(lowered))
                    dovetail.clear_caches()
    return {name: {way: min(t) for way, t in each.items()} for name, each in found.items()}


def jax_after_edits(repeat: int) -> dict[str, float]:
    jax = importlib.import_module("jax")
    found: dict[str, list[float]] = {}
    for _ in range(repeat):
        for name, (function, arguments) in edits(jax).items():
            jax.clear_caches()
            found.setdefault(name, []).append(seconds(jax.jit(function).lower(*arguments)))
    return {name: min(times) for name, times in found.items()}


def report_edits(repeat: int, has_jax: bool) -> None:
    ours("x + 1", 1)
    theirs_by_name = jax_after_edits(repeat) if has_jax else {}
    print(f"{'change':24} {'empty s':>8} {'after s':>8} {'JAX s':>7}")
    for name, best in after_edits(repeat).items():
        jax = f"{theirs_by_name[name]:7.2f}" if has_jax else ""
        print(f"{name:24} {best['empty']:8.2f} {best['after']:8.2f} {jax}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default: %(default)s)")
    parser.add_argument(
        "--only", default="", help="measure the programs whose names have this text"
    )
    parser.add_argument("--edits", action="store_true", help="measure changes of one program")
    options = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    has_jax = importlib.util.find_spec("jax") is not None
    if options.edits:
        report_edits(options.repeat, has_jax)
        return
    print(f"{'program':24} {'apart s':>8} {'merged s':>8} {'again ms':>9} {'JAX s':>7}")
    ours("x + 1", 1)
    for name in programs(dovetail):
        if options.only in name:
            best = ours(name, options.repeat)
            jax = f"{theirs(name, options.repeat):7.2f}" if has_jax else ""
            print(
                f"{name:24} {best['apart']:8.2f} {best['merged']:8.2f} "
                f"{best['again'] * 1e3:9.1f} {jax}",
                flush=True,
            )


if __name__ == "__main__":
    main()
