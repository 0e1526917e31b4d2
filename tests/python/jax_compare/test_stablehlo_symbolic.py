"""JAX refines and compiles programs that are exported here for symbolic shapes."""

from __future__ import annotations

import re

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

from jax._src.interpreters import mlir  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
from support.stablehlo_programs import compiled_by_jax  # noqa: E402
from support.stablehlo_sizes import CASES, Case, bound, specs  # noqa: E402

ELEMENTS = {"float32": "f32", "int32": "i32"}
HERE = [name for name, case in CASES.items() if case.here]


def text_of(case: Case) -> str:
    return dt.jit(bound(case, dt)).lower(*specs(case, dt)).as_text("stablehlo")


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


@pytest.mark.parametrize("name", HERE)
def test_compiled_by_jax(name: str) -> None:
    case = CASES[name]
    wanted = dt.tree_util.tree_leaves(bound(case, dt)(*case.args))
    text = text_of(case)
    for a, b in zip(compiled_by_jax(refined(text, case.args), case.args), wanted, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", HERE)
def test_loaded_again(name: str) -> None:
    case = CASES[name]
    loaded = dt.stablehlo.load(text_of(case))
    wanted = dt.tree_util.tree_leaves(bound(case, dt)(*case.args))
    with dt.config.compile("never"):
        ours = dt.tree_util.tree_leaves(loaded(*case.args))
    for a, b in zip(ours, wanted, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)
