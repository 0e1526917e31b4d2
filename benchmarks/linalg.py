"""Decompositions of matrices: as plain ops, compiled, compared with LAPACK as called by NumPy and
SciPy.

Usage: linalg.py [--sizes 8,64,200,512] [--only TEXT] [--repeat N]

Times are the best of N rounds in which both take turns. The operands are f32, with normally
distributed elements; `compile` is the time of the code generator, once.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from dovetail import _core
from dovetail.base.mlir_types import dtype_name
from dovetail.compiler.cache import Cache
from dovetail.compiler.module_files import compile_module
from dovetail.runtime import Executable

Operands = tuple[np.ndarray, ...]
# Makes operands; the same by LAPACK; attributes of the op.
Case = tuple[Callable[[np.ndarray], Operands], Callable[..., Any], dict[str, Any]]

CASES: dict[str, Case] = {
    "cholesky": (
        lambda a: (a @ a.T + len(a) * np.eye(len(a), dtype=a.dtype),),
        np.linalg.cholesky,
        {},
    ),
    "triangular_solve": (
        lambda a: (np.tril(a) + len(a) * np.eye(len(a), dtype=a.dtype), a),
        lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True),
        {"left_side": True, "lower": True},
    ),
    "lu": (lambda a: (a,), scipy.linalg.lu_factor, {}),
    "qr": (lambda a: (a,), np.linalg.qr, {"full_matrices": False, "pivoting": False}),
    "eigh": (lambda a: (a + a.T,), np.linalg.eigh, {"vectors": True}),
    "svd": (
        lambda a: (a,),
        lambda a: np.linalg.svd(a, full_matrices=False),
        {"vectors": True, "full_matrices": False},
    ),
    "eig": (lambda a: (a,), np.linalg.eig, {"left": False, "right": True}),
}


def compiled(name: str, operands: Operands, attributes: dict[str, Any]) -> Executable:
    types = [(x.shape, dtype_name(x.dtype)) for x in operands]
    module = _core.wrap(name, attributes, types, None)
    module.run("", "lower")
    vmfb = compile_module(module.text(), cache=Cache(None))
    return Executable(vmfb, "main", "local-task")


def seconds(function: Callable[..., Any], operands: Operands) -> float:
    start = time.perf_counter()
    function(*operands)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="8,64,200,512")
    parser.add_argument("--only", default="")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    print("| op | n | compile s | LAPACK ms | plain ops ms | ratio |\n|---|---|---|---|---|---|")
    for name, (make, lapack, attributes) in CASES.items():
        if options.only not in name:
            continue
        for size in map(int, options.sizes.split(",")):
            operands = make(np.random.default_rng(0).normal(size=(size, size)).astype(np.float32))
            start = time.perf_counter()
            executable = compiled(name, operands, attributes)
            compile_time = time.perf_counter() - start

            def call(*xs: np.ndarray, run: Executable = executable) -> None:
                for x in run(list(xs)):
                    x.numpy()

            rounds = [
                [seconds(function, operands) for function in (lapack, call)]
                for _ in range(options.repeat)
            ]
            best = [min(times) for times in zip(*rounds, strict=True)]
            print(
                f"| {name} | {size} | {compile_time:.1f} | {best[0] * 1e3:.2f} "
                f"| {best[1] * 1e3:.2f} | {best[1] / best[0]:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
