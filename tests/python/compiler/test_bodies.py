"""The code of executables that a program comes with is set aside while IREE schedules, and is whole
in what is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.compiler import iree_compiler, module_files
from dovetail.compiler.iree_compiler import bodies
from dovetail.compiler.iree_compiler.native import text_of
from dovetail.compiler.targets import Target


def both_transforms(x: Any) -> Any:
    # Executables that are equal but for their code.
    return dnp.fft.fft(x), dnp.fft.ifft(x) * x.shape[-1]


def twice(x: Any) -> Any:
    return dnp.fft.fft(dnp.fft.fft(x)) + dnp.fft.fft(x[::-1])


def factors(x: Any) -> Any:
    return dnp.linalg.eigvalsh(x[:, :16].real), dnp.linalg.cholesky(3 * dnp.eye(16) + x[0, 0].real)


def of_constants(x: Any) -> Any:
    """IREE computes the first transform ahead, for which it needs the code."""
    return dnp.fft.fft(dnp.arange(64.0, dtype=np.complex64)) * dnp.fft.fft(x)


X = (np.random.default_rng(0).normal(size=(16, 64)) + 1j).astype(np.complex64)


@pytest.mark.parametrize("target", ["cpu", "cpu-generic"])
@pytest.mark.parametrize("f", [both_transforms, twice])
def test_scheduling_does_not_see_the_code(
    f: Callable[..., Any], target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = (*Target.parse(target).flags, module_files.WITHOUT_LIBRARY)
    text = dt.jit(f).lower(X).as_text("carry")
    assert text.count("vector.store") > 2
    seen = []
    put_back = bodies.Bodies.put_back

    def observed(self: bodies.Bodies, module: Any) -> None:
        before = text_of(module)
        put_back(self, module)
        seen.append((before, text_of(module)))

    monkeypatch.setattr(bodies.Bodies, "put_back", observed)
    assert iree_compiler.compile_text(text, flags).vmfb
    ((before, after),) = seen
    assert before.count("dovetail.body") == text.count('"hal.executable.source"')
    assert "vector.store" not in before
    assert "dovetail.body" not in after
    assert after.count("vector.store") == text.count("vector.store")


@pytest.mark.parametrize("f", [both_transforms, twice, factors, of_constants])
def test_values(f: Callable[..., Any]) -> None:
    with dt.config.compile("never"):
        expected = f(X)
    for given, wanted in zip(
        dt.tree.leaves(dt.jit(f, compile="now")(X)), dt.tree.leaves(expected), strict=True
    ):
        np.testing.assert_allclose(given, wanted, rtol=2e-5, atol=2e-4)


def test_a_program_that_is_rejected_loses_its_code() -> None:
    text = dt.jit(both_transforms).lower(X).as_text("carry")
    flags = (*Target.parse("cpu").flags, module_files.WITHOUT_LIBRARY)
    end = text.rindex("return")
    text = f'{text[:end]}"util.unknown"() : () -> ()\n    {text[end:]}'
    outcome = iree_compiler.compile_text(text, flags)
    assert outcome.vmfb is None
    assert any("util.unknown" in each for each in outcome.diagnostics)
