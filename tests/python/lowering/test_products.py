"""Products of matrices by the library: all element types, layouts and numbers of threads."""

from __future__ import annotations

import gzip
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core
from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from dovetail.profiler import trace
from dovetail.runtime import Executable

RNG = np.random.default_rng(0)
DTYPES = (np.float32, np.float64, np.complex64, np.complex128)
# Products that the library computes, of operands as they are, transposed, and in batches.
SUBSCRIPTS = {
    "ik,kj->ij": {"i": 260, "k": 250, "j": 240},
    "ki,kj->ij": {"i": 260, "k": 250, "j": 240},
    "ik,jk->ij": {"i": 260, "k": 250, "j": 240},
    "ki,jk->ij": {"i": 260, "k": 250, "j": 240},
    "ik,kj->ji": {"i": 260, "k": 250, "j": 240},
    "bik,bkj->bij": {"b": 3, "i": 210, "k": 200, "j": 220},
    "bik,bjk->bij": {"b": 3, "i": 210, "k": 200, "j": 220},
    "ik,k->i": {"i": 500, "k": 600},
    "ki,k->i": {"i": 500, "k": 600},
    "k,kj->j": {"j": 300, "k": 1100},
    "abkl,klc->abc": {"a": 15, "b": 16, "k": 20, "l": 15, "c": 250},
    # Operands that are transposed in memory first.
    "iak,kj->iaj": {"i": 20, "a": 15, "k": 300, "j": 250},
    "ika,kj->iaj": {"i": 20, "a": 15, "k": 300, "j": 250},
    "bqhk,bkhd->bhqd": {"b": 2, "q": 260, "h": 3, "k": 250, "d": 240},
    "bkhq,dbhk->bhqd": {"b": 2, "q": 260, "h": 3, "k": 250, "d": 240},
    "ilk,klj->ij": {"i": 260, "k": 25, "l": 10, "j": 240},
    # A few rows or columns: fewer than a vector has, and more.
    "ik,kj->ij ": {"i": 3, "k": 700, "j": 500},
    "ik,jk->ij ": {"i": 7, "k": 709, "j": 501},
    "ki,kj->ij ": {"i": 15, "k": 300, "j": 1100},
    "ki,jk->ij ": {"i": 2, "k": 300, "j": 700},
    "ik,kj->ij  ": {"i": 500, "k": 700, "j": 3},
    "ik,jk->ij  ": {"i": 501, "k": 709, "j": 7},
    "ki,kj->ij  ": {"i": 1100, "k": 300, "j": 15},
    "ki,jk->ij  ": {"i": 700, "k": 300, "j": 2},
    # Short rows of a matrix, times a few columns.
    "ik,kj->ij   ": {"i": 1003, "k": 70, "j": 13},
    "ik,jk->ij   ": {"i": 2001, "k": 50, "j": 8},
    "ki,jk->ij   ": {"i": 5, "k": 60, "j": 1502},
    "ik,kj->ij    ": {"i": 1999, "k": 300, "j": 15},
}


def _arrays(dtype: Any, subscripts: str, sizes: dict[str, int]) -> list[np.ndarray]:
    def array(shape: tuple[int, ...]) -> np.ndarray:
        values = RNG.normal(size=shape)
        return (
            values + 1j * RNG.normal(size=shape) if np.dtype(dtype).kind == "c" else values
        ).astype(dtype)

    terms = subscripts.strip().partition("->")[0].split(",")
    return [array(tuple(sizes[name] for name in term)) for term in terms]


def _count(text: str) -> int:
    return len(re.findall(r"entry_points = \[@product::@product\]", text))


@pytest.mark.parametrize("dtype", [np.float32, np.complex128], ids=lambda dtype: dtype.__name__)
def test_layouts_of_unknown_sizes(dtype: Any) -> None:
    """Every order of the dimensions of a batch's operands, as one program for all sizes."""
    orders = list(itertools.product(itertools.permutations("bik"), itertools.permutations("bkj")))
    subscripts = [f"{''.join(left)},{''.join(right)}->bij" for left, right in orders]
    shapes = {s: [", ".join(term) for term in s[:7].split(",")] for s in subscripts}

    def program(arrays: Any) -> Any:
        return {s: dnp.einsum(s, *operands) for s, operands in arrays.items()}

    with dt.enable_x64():
        jitted = dt.jit(program, dynamic_shapes=(shapes,), compile="now")
        for sizes in ((3, 5, 7, 4), (1, 1, 1, 1), (2, 130, 1, 9), (1, 65, 300, 33)):
            of = dict(zip("bikj", sizes, strict=True))
            arrays = {s: _arrays(dtype, s, of) for s in subscripts}
            if sizes[0] == 3:
                text = jitted.lower(arrays).as_text("lower")
                assert _count(text) == len(subscripts)
            results = jitted(arrays)
            for s, operands in arrays.items():
                expected = np.einsum(s, *(x.astype(np.complex128) for x in operands))
                np.testing.assert_allclose(results[s], expected, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_layouts(dtype: Any) -> None:
    arrays = {s: _arrays(dtype, s, sizes) for s, sizes in SUBSCRIPTS.items()}

    def program(arrays: Any) -> Any:
        return {s: dnp.einsum(s.strip(), *operands) for s, operands in arrays.items()}

    with dt.enable_x64():
        jitted = dt.jit(program, compile="now")
        assert _count(jitted.lower(arrays).as_text("lower")) == len(SUBSCRIPTS)
        results = jitted(arrays)
    rtol = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-11
    for s, operands in arrays.items():
        expected = np.einsum(s.strip(), *(x.astype(np.complex128) for x in operands))
        assert results[s].dtype == dtype
        np.testing.assert_allclose(results[s], expected, rtol=rtol, atol=100 * rtol)


@pytest.mark.parametrize(
    ("batch", "rows", "columns", "terms"),
    [(1, 20, 20, 1000), (1, 50, 50, 50), (20, 20, 20, 20), (1, 100, 1000, 20), (1, 500, 24, 100)],
)
def test_products_of_uneven_sizes(batch: int, rows: int, columns: int, terms: int) -> None:
    """Sizes that are no multiples of the code generator's tiles."""
    x = RNG.normal(size=(batch, rows, terms)).astype(np.float32)
    y = RNG.normal(size=(batch, terms, columns)).astype(np.float32)
    program = dt.jit(dnp.matmul, compile="now")
    assert _count(program.lower(x, y).as_text("lower")) == 1
    expected = np.matmul(x.astype(np.float64), y)
    np.testing.assert_allclose(program(x, y), expected, rtol=1e-4, atol=1e-3)


MODULE = """
!a = tensor<{b}x{m}x{k}xf64>
!b = tensor<{b}x{k}x{n}xf64>
!c = tensor<{b}x{m}x{n}xf64>
module attributes {{dovetail.host_functions, dovetail.threads = {threads} : i64}} {{
  func.func @main(%a: !a, %b: !b) -> !c {{
    %0 = dovetail.dot_general %a, %b batch [0] x [0] contract [2] x [1] : !a, !b
    return %0 : !c
  }}
}}
"""


@pytest.mark.parametrize("threads", [1, 6, 7])
@pytest.mark.parametrize("device", ["local-sync", "local-task"])
def test_parts_of_threads(threads: int, device: str) -> None:
    for b, m, n, k in ((1, 170, 90, 130), (2, 40, 300, 60), (9, 64, 64, 64)):
        module = _core.Module.parse(MODULE.format(threads=threads, b=b, m=m, n=n, k=k))
        phases.run(module, "lower", start="check")
        assert _count(module.text()) == 1
        x, y = RNG.normal(size=(b, m, k)), RNG.normal(size=(b, k, n))
        [result] = Executable(compile_lowered(module), "main", device)([x, y])
        np.testing.assert_allclose(result.numpy(), x @ y, rtol=1e-11, atol=1e-11)


def test_sizes_of_a_call() -> None:
    program = dt.jit(lambda a, b: a @ b, dynamic_shapes=("m, k", "k, n"), compile="now")
    for m, k, n in ((300, 200, 250), (1, 200, 250), (300, 200, 1), (5, 1, 7), (1, 4, 1)):
        a, b = (RNG.normal(size=shape).astype(np.float32) for shape in ((m, k), (k, n)))
        np.testing.assert_allclose(program(a, b), a @ b, rtol=1e-4, atol=1e-4)


def test_in_loops_and_derivatives() -> None:
    w = (RNG.normal(size=(256, 256)) / 16).astype(np.float32)
    x = RNG.normal(size=(256, 256)).astype(np.float32)

    def f(w: Any) -> Any:
        return dnp.sum(dt.lax.fori_loop(0, 3, lambda _, y: dnp.tanh(y @ w), x) ** 2)

    compiled = dt.jit(dt.grad(f), compile="now")(w)
    np.testing.assert_allclose(compiled, dt.grad(f)(w), rtol=2e-3, atol=2e-3)


def test_on_constants() -> None:
    """They are computed when the program runs, not when it is compiled."""
    constant = RNG.normal(size=(300, 300)).astype(np.float32)

    def program(x: Any) -> list[Any]:
        eye = 4 * dnp.eye(30)
        return [
            x + dnp.arange(90_000.0).reshape(300, 300) @ dnp.eye(300),
            x + dnp.asarray(constant) @ dnp.asarray(constant),
            x + dt.scipy.linalg.cholesky(eye)[0, 0],
            x + dnp.sum(dnp.linalg.solve(eye, dnp.ones(30))),
        ]

    x = np.ones((300, 300), np.float32)
    for result, expected in zip(dt.jit(program, compile="now")(x), program(x), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def test_files_do_not_need_it(tmp_path: Path) -> None:
    x = np.ones((300, 300), np.float32)
    path = tmp_path / "product.vmfb"
    jitted = dt.jit(lambda x: x @ x)
    assert _count(jitted.lower(x).as_text("lower")) == 1
    for function, specs in ((jitted, (x,)), (jitted.lower(x), ())):
        dt.export(function, *specs, path=path)
        assert b"dovetail_blas_" not in path.read_bytes()


def test_profiles_time_it(tmp_path: Path) -> None:
    x = np.ones((300, 300), np.float32)
    program = dt.jit(lambda x: dnp.tanh(x @ x), compile="now")
    program(x)
    with trace(tmp_path):
        program(x).block_until_ready()
    [file] = tmp_path.rglob("*.json.gz")
    assert "product" in gzip.decompress(file.read_bytes()).decode()


# Sequences in batches, with channels before or after the positions: the layouts, the kernel's size,
# strides, dilations of the kernel, and how many calls there are.
SEQUENCES = [
    ("NCH", "OIH", 5, 1, 1, 1),
    ("NCH", "IOH", 4, 1, 3, 1),
    ("NHC", "HIO", 5, 1, 1, 1),
    ("NHC", "OIH", 3, 2, 2, 1),
    ("NCH", "OIH", 5, 2, 1, 0),
    ("CNH", "OIH", 5, 1, 1, 0),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("layout", "kernel", "size", "stride", "dilation", "calls"), SEQUENCES)
def test_convolutions_of_sequences(
    dtype: Any, layout: str, kernel: str, size: int, stride: int, dilation: int, calls: int
) -> None:
    sizes = {"N": 3, "C": 24, "O": 40, "I": 24, "H": 300}
    x = RNG.normal(size=[sizes[d] for d in layout]).astype(dtype)
    w = RNG.normal(size=[size if d == "H" else sizes[d] for d in kernel]).astype(dtype)

    def conv(x: Any, w: Any) -> Any:
        numbers = (layout, kernel, layout)
        return dt.lax.conv_general_dilated(
            x, w, (stride,), "SAME", rhs_dilation=(dilation,), dimension_numbers=numbers
        )

    def gradients(x: Any, w: Any) -> Any:
        return dt.grad(lambda x, w: dnp.sum(abs(conv(x, w)) ** 2), (0, 1))(x, w)

    with dt.config.enable_x64(True):
        jitted = dt.jit(lambda x, w: (conv(x, w), gradients(x, w)))
        results = dt.tree.leaves(jitted(x, w))
        text = dt.jit(conv).lower(x, w).as_text("lower")
        with dt.disable_jit():
            wanted = dt.tree.leaves((conv(x, w), gradients(x, w)))
    for result, each in zip(results, wanted, strict=True):
        scale = float(np.max(np.abs(np.asarray(each))))
        tolerance = 1e-5 if np.dtype(dtype).name in ("float32", "complex64") else 1e-12
        np.testing.assert_allclose(result, each, rtol=tolerance, atol=tolerance * scale)
    assert len(re.findall(r"entry_points = \[@windows::@windows\]", text)) == calls
