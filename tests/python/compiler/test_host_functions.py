"""Functions of this process that compiled programs call."""

from __future__ import annotations

import concurrent.futures

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import ops, runtime
from dovetail.compiler.module_files import compile_module

TEXT = """
func.func private @host.f0(tensor<?xf32>) -> tensor<?xf32>
func.func private @host.f1(tensor<?xf32>) -> (tensor<2xi32>, tensor<f32>)
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xi32>, tensor<f32>) {
  %y = call @host.f0(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %n, %sum = call @host.f1(%y) : (tensor<?xf32>) -> (tensor<2xi32>, tensor<f32>)
  return %y, %n, %sum : tensor<?xf32>, tensor<2xi32>, tensor<f32>
}
"""
F32, I32 = np.dtype(np.float32), np.dtype(np.int32)


class Refusal(Exception):
    """An exception class that the program cannot know."""


def evens(x: np.ndarray) -> np.ndarray:
    if np.isnan(x).any():
        raise Refusal(str(x))
    return x[::2]


def counts(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.array([x.size, x.ndim], np.int32), x.sum()


@pytest.fixture(scope="module", params=["local-sync", "local-task"])
def program(request: pytest.FixtureRequest) -> runtime.Executable:
    device = runtime.get_device(request.param)
    functions = [
        runtime.HostFunction("f0", evens, (F32,), (((-1,), F32),)),
        runtime.HostFunction("f1", counts, (F32,), (((2,), I32), ((), F32))),
    ]
    host = runtime.HostFunctions(functions, device)
    return runtime.Executable(compile_module(TEXT), "main", device, host_functions=host)


def test_results(program: runtime.Executable) -> None:
    for size in (7, 1, 0):
        x = np.arange(size, dtype=F32)
        y, n, total = program([x])
        np.testing.assert_array_equal(y.numpy(), x[::2])
        np.testing.assert_array_equal(n.numpy(), [(size + 1) // 2, 1])
        assert total.numpy() == x[::2].sum()


def test_exceptions_arrive(program: runtime.Executable) -> None:
    for _ in range(3):
        with pytest.raises(Refusal, match="nan"):
            program([np.full(3, np.nan, F32)])
        program([np.ones(3, F32)])


def test_calls_in_flight(program: runtime.Executable) -> None:
    def call(i: int) -> bool:
        x = np.full(1000 + i, np.nan if i % 5 == 0 else i, F32)
        try:
            return bool((program([x])[0].numpy() == i).all())
        except Refusal:
            return i % 5 == 0

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(200)))


def test_results_of_another_type() -> None:
    device = runtime.get_device("local-sync")
    wrong = runtime.HostFunction("f0", lambda x: x.astype(int), (F32,), (((-1,), F32),))
    other = runtime.HostFunction("f1", counts, (F32,), (((2,), I32), ((), F32)))
    host = runtime.HostFunctions([wrong, other], device)
    program = runtime.Executable(compile_module(TEXT), "main", device, host_functions=host)
    with pytest.raises(ValueError, match=r"dtype float32, got: shape .* dtype int64"):
        program([np.ones(3, F32)])


def test_ops_of_compiled_programs() -> None:
    """On both kinds of devices, and within loops."""

    @dt.jit
    def program(x: dt.Array) -> dt.Array:
        def step(i: dt.Array, x: dt.Array) -> dt.Array:
            return x + ops.det(x) * 1e-3

        return dt.lax.fori_loop(0, 3, step, x) + ops.eigh(x)[0]

    for size in (3, 200):
        x = np.random.default_rng(0).normal(size=(size, size)).astype(F32) / size**0.5
        device = program.lower(x)._program.runtime_device
        assert device == ("local-sync" if size == 3 else "local-task")
        expected = x.astype(np.float64)
        for _ in range(3):
            expected = expected + np.linalg.det(expected) * 1e-3
        expected += np.linalg.eigvalsh(x)
        np.testing.assert_allclose(program(dnp.array(x)), expected, rtol=1e-3, atol=1e-3)


def test_text_does_not_depend_on_callees() -> None:
    lowered = dt.jit(lambda x: ops.det(x)).lower(dnp.ones((2, 2)))
    assert "dovetail.host_op" in lowered.as_text("lower")
    module = lowered._program.after("lower")
    [imported] = module.take_host_imports()
    assert (imported.name, imported.op) == ("host.f0", "det")
    assert imported.operands == [((2, 2), "float32")]
    assert imported.results == [((), "float32")]
    assert not imported.has_effects
    assert "dovetail" not in module.text()
