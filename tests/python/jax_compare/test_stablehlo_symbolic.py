"""JAX refines and compiles programs that are exported here for symbolic shapes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

from jax._src.interpreters import mlir  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from dovetail import lax  # noqa: E402
from support.stablehlo_programs import compiled_by_jax  # noqa: E402

A, B = dt.export.symbolic_shape("a, b")
X = np.random.default_rng(0).normal(size=(5, 6)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(6, 3)).astype(np.float32)
I = np.array([0, 2, -1], np.int32)  # noqa: E741
ELEMENTS = {"float32": "f32", "int32": "i32"}
Case = tuple[Any, list[Any], list[np.ndarray]]

# By name: the function, its symbolic shapes, and arguments.
CASES: dict[str, Case] = {
    "dot": (lambda x, w: dnp.tanh(x @ w).sum(0), [(A, B), (B, 3)], [X, W]),
    "join": (
        lambda x: dnp.concatenate([x[::2], dnp.zeros((x.shape[0] * 2, 6))]),
        [(A, 6)],
        [X],
    ),
    "slice": (lambda x: x[:, 1 : x.shape[1] // 2], [(A, B)], [X]),
    "take": (lambda x, i: x[i], [(A, 6), (B,)], [X, I]),
    "take rows": (lambda x, i: x[i], [(A, B), (3,)], [X, I]),
    "pad": (lambda x: dnp.pad(x, ((1, x.shape[0]), (0, 2))), [(A, B)], [X]),
    "reshape": (lambda x: x.reshape(-1) + dnp.arange(x.size), [(A, B)], [X]),
    "loop": (
        lambda x: lax.fori_loop(0, x.shape[0], lambda _, c: dnp.sin(c) * 2, x),
        [(A, B)],
        [X],
    ),
    "scan": (
        lambda x: lax.scan(lambda c, r: (c + r, c * r), dnp.zeros(x.shape[1:]), x),
        [(A, B)],
        [X],
    ),
    "branch": (
        lambda x: lax.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, x),
        [(A, B)],
        [X],
    ),
    "cumsum": (lambda x: dnp.cumsum(x, 0), [(A, B)], [X]),
    "softmax": (lambda x: dt.nn.softmax(x, -1), [(A, B)], [X]),
    "sort": (lambda x: dnp.sort(x, 0), [(A, B)], [X]),
    "argmax": (lambda x: dnp.argmax(x, 1), [(A, B)], [X]),
    "scatter": (lambda x, i: dnp.asarray(x).at[i].add(1.0), [(A, 6), (3,)], [X, I]),
    "variance": (lambda x: dnp.var(x, 1), [(A, B)], [X]),
    "size as a number": (lambda x: dnp.where(x > 0, x, x.shape[0]), [(A, B)], [X]),
    "stack": (lambda x: dnp.stack([x, x * 2]).transpose(1, 2, 0), [(A, B)], [X]),
    "reverse": (lambda x: x[::-1], [(A, B)], [X]),
    "triangle": (dnp.tril, [(A, B)], [X]),
    "gradient": (
        lambda x, w: dt.grad(lambda w: (dt.nn.softmax(x @ w) ** 2).sum())(w),
        [(A, B), (B, 3)],
        [X, W],
    ),
}


def text_for(function: Any, shapes: list[Any], args: list[np.ndarray]) -> str:
    specs = [dt.ShapeDtypeStruct(s, a.dtype) for s, a in zip(shapes, args, strict=True)]
    return dt.jit(function).lower(*specs).as_text("stablehlo")


def refined(text: str, args: list[np.ndarray]) -> str:
    """The program for arguments of these shapes, as JAX's export calls one that is symbolic."""
    found = re.search(r"func\.func @main\((.*?)\) -> (\(.*?\)|\S+) \{", text)
    assert found, text
    results = found[2].strip("()").split(", ")
    stated = re.findall(r": (tensor<.*?>)", found[1])
    known = [
        f"tensor<{''.join(f'{size}x' for size in arg.shape)}{ELEMENTS[arg.dtype.name]}>"
        for arg in args
    ]
    lines = [
        f"  %c{i} = stablehlo.convert %x{i} : ({known[i]}) -> {stated[i]}\n"
        for i in range(len(args))
    ]
    outs = ", ".join(f"%y#{i}" for i in range(len(results)))
    main = (
        f"func.func public @main({', '.join(f'%x{i}: {k}' for i, k in enumerate(known))})"
        f" -> ({', '.join(results)}) {{\n"
        f"{''.join(lines)}"
        f"  %y:{len(results)} = call @inner({', '.join(f'%c{i}' for i in range(len(args)))})"
        f" : ({', '.join(stated)}) -> ({', '.join(results)})\n"
        f"  return {outs} : {', '.join(results)}\n}}\n"
    )
    inner = text.replace("func.func @main(", "func.func private @inner(")
    place = inner.rindex("}")
    with mlir.make_ir_context():
        module = mlir.ir.Module.parse(f"{inner[:place]}{main}}}\n")
        return str(mlir.refine_polymorphic_shapes(module))


@pytest.mark.parametrize("name", CASES)
def test_compiled_by_jax(name: str) -> None:
    function, shapes, args = CASES[name]
    text = text_for(function, shapes, args)
    wanted = dt.tree_util.tree_leaves(function(*args))
    for a, b in zip(compiled_by_jax(refined(text, args), args), wanted, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_loaded_again(name: str) -> None:
    function, shapes, args = CASES[name]
    loaded = dt.stablehlo.load(text_for(function, shapes, args))
    wanted = dt.tree_util.tree_leaves(function(*args))
    with dt.config.compile("never"):
        ours = dt.tree_util.tree_leaves(loaded(*args))
    for a, b in zip(ours, wanted, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)
