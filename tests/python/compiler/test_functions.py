"""Long scalar computations are functions while IREE forms dispatches, and make no difference to the
code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import dtypes, lax
from dovetail.compiler import iree_compiler, module_files
from dovetail.compiler.iree_compiler.functions import PLACEHOLDER, Functions
from dovetail.compiler.targets import Target

TARGET = Target.parse("cpu")
FLAGS = (*TARGET.flags, module_files.WITHOUT_LIBRARY)


def chain(x: Any) -> Any:
    for _ in range(6):
        x = dnp.sin(x) * 1.01
    return x


def with_reductions(x: Any) -> Any:
    return dnp.sum(dnp.exp(x - dnp.max(x, axis=0)), axis=1) @ dnp.tanh(x)


def of_two(x: Any) -> Any:
    return dnp.arctan2(x, dnp.cos(x)) ** x[::-1]


def in_loops(x: Any) -> Any:
    def body(carry: Any, row: Any) -> Any:
        carry = dnp.sin(0.1 * carry + row @ x / 40)
        return carry, dnp.exp(carry)

    return lax.scan(body, dnp.ones(x.shape[1], x.dtype), x)


PROGRAMS: list[Callable[..., Any]] = [chain, with_reductions]


def text_of(f: Callable[..., Any], x: Any) -> str:
    with dt.enable_x64():
        return dt.jit(f).lower(x).as_text("carry")


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.float16], ids=str)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_code_is_the_same(f: Callable[..., Any], dtype: np.dtype) -> None:
    text = text_of(f, np.ones((300, 300), dtype))
    assert "dovetail.function" in text
    outcomes = [iree_compiler._compile(text, FLAGS, each)[0] for each in (True, False)]
    assert outcomes[0] == outcomes[1]
    assert outcomes[0].vmfb is not None


@pytest.mark.parametrize("f", [*PROGRAMS, of_two, in_loops], ids=lambda f: f.__name__)
def test_values(f: Callable[..., Any]) -> None:
    x = np.random.default_rng(0).uniform(0.1, 1, (40, 40)).astype(np.float32)
    with dt.config.compile("never"):
        expected = f(x)
    for given, wanted in zip(
        dt.tree.leaves(dt.jit(f, compile="now")(x)), dt.tree.leaves(expected), strict=True
    ):
        np.testing.assert_allclose(given, wanted, rtol=2e-5)


def test_what_is_computed_ahead() -> None:
    text = text_of(chain, np.ones((300, 300), np.float32))
    constant = "dense<2.5> : tensor<300x300xf32>"
    head, argument, rest = text.partition("func.func @main(%arg0: tensor<300x300xf32>)")
    assert argument
    first, brace, rest = rest.partition("{\n")
    text = f"{head}func.func @main(){first}{brace}    %arg0 = arith.constant {constant}\n{rest}"
    late = iree_compiler._compile(text, FLAGS, True)[0]
    whole = iree_compiler.compile_text(text, FLAGS)
    assert whole.vmfb == iree_compiler._compile(text, FLAGS, False)[0].vmfb is not None
    assert late.vmfb in (None, whole.vmfb)


def test_code_in_place_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    text = text_of(chain, np.ones((300, 300), np.float32))
    monkeypatch.setattr(Functions, "put_in_place", lambda self, module: None)
    outcome = iree_compiler._compile(text, FLAGS, True)[0]
    assert outcome.vmfb is None
    assert PLACEHOLDER in "".join(outcome.diagnostics)


def test_compilation_sets_them_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    put = Functions.put_in_place

    def counted(functions: Functions, module: Any) -> None:
        sizes.append(len(functions._each))
        put(functions, module)

    monkeypatch.setattr(Functions, "put_in_place", counted)
    text = text_of(chain, np.ones((300, 300), np.float32))
    assert iree_compiler.compile_text(text, FLAGS).vmfb is not None
    assert sizes == [1]
