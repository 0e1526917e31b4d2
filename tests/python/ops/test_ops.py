"""Every op of the table: against its oracle, compiled, differentiated and batched."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pytest

from dovetail import _core, dtypes, jvp, ops, vjp, vmap
from dovetail.arrays.array import Array
from dovetail.compiler.errors import CompileError
from dovetail.reference import FUNCTIONS, evaluate
from dovetail.test_util import check_grads
from support import breadth
from support.op_calls import (
    Call,
    all_calls,
    calls_of,
    calls_to_compile,
    compared,
    program_of,
    run_compiled,
    types_of,
)
from support.op_row import ELEMENT, Row, assert_close, rounded
from support.op_samplers import draw
from support.op_table import FAMILIES, OPS, WITHOUT_ROW

pytestmark = pytest.mark.usefixtures("in_64_bits")


def every(rows: list[Row], types: Collection[np.dtype] = ELEMENT) -> list[Any]:
    """A parameter for each op and element type."""
    return [
        pytest.param(row, dtype, id=f"{row.name}-{dtype.name}")
        for row in rows
        for dtype in types_of(row)
        if dtype in types
    ]


# (a) Values ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "dtype"), every(OPS))
def test_eager_agrees_with_oracle(row: Row, dtype: np.dtype) -> None:
    for call in calls_of(row, dtype):
        operands = call.values(subnormal=True)
        expected = rounded(row.expected(operands, **call.attributes), call.result_type)
        bound = row.bound(dtype)
        if dtypes.kind(dtype) == "f" and not row.normwise:
            # Better than the compiled result.
            bound = min(bound, row.eager_ulps)
        call.check(call.eager(operands), expected, bound)


# (b) Compiled code -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ELEMENT, ids=str)
def test_compiled_agrees_with_eager(dtype: np.dtype) -> None:
    """IREE flushes subnormal operands and results to zero, as XLA does."""
    calls = calls_to_compile(dtype)
    operands = [call.values(subnormal=False) for call in calls]
    check_all(calls, operands, run_compiled(calls, operands))


# Element types that most devices support.
ON_GPU: dict[str, Collection[np.dtype]] = {
    "vulkan": (dtypes.bool_, dtypes.int32, dtypes.uint32, dtypes.float32, dtypes.complex64),
}
# At night: threads of a GPU on a CPU need a minute for them.
if breadth.IS_NIGHTLY:
    ON_GPU["cuda"] = ELEMENT
# SPIR-V does not specify which of two zeros its instruction treats as larger.
ZEROS_OPEN = {"vulkan": {"max", "min", "clamp", "reduce_max", "reduce_min"}, "cuda": set[str]()}
# Algorithms on matrices have so many loops that a program of all takes minutes:
# lowering/test_portable_linalg.py has one program for each op.
NOT_ON_GPU = {"linalg"}


def calls_on_gpu(platform: str, dtype: np.dtype, family: str) -> list[Call]:
    calls = calls_to_compile(dtype, FAMILIES[family], in_every_way=())
    return [call for call in calls if call.result_type in ON_GPU[platform]]


# Nearly all of the time is the compiler's. A program for each family takes less than one for all,
# lets processes share the work, and is found in the cache if only other families changed.
@pytest.mark.parametrize(
    ("gpu", "dtype", "family"),
    [
        (platform, dtype, name)
        for platform, types in ON_GPU.items()
        for dtype in types
        for name in FAMILIES
        if name not in NOT_ON_GPU and calls_on_gpu(platform, dtype, name)
    ],
    indirect=["gpu"],
    ids=str,
)
def test_gpu_agrees_with_eager(gpu: str, dtype: np.dtype, family: str) -> None:
    calls = calls_on_gpu(gpu, dtype, family)
    operands = [call.values(subnormal=False) for call in calls]
    results = run_compiled(calls, operands, target=gpu)
    check_all(calls, operands, results, zeros_open=ZEROS_OPEN[gpu])


def check_all(
    calls: list[Call],
    operands: list[tuple[np.ndarray, ...]],
    results: Sequence[np.ndarray | CompileError],
    zeros_open: Collection[str] = (),
) -> None:
    """Compares with eager calls and reports everything that is wrong."""
    failures = []
    for call, arrays, result in zip(calls, operands, results, strict=True):
        if isinstance(result, CompileError):
            failures.append(f"{call}: {result.diagnostics[0][:200]}")
            continue
        try:
            zeros = call.row.name not in zeros_open
            bound = call.row.bound(call.dtype)
            call.check(result, call.eager(arrays), bound, flush=True, zeros=zeros)
        except AssertionError as error:
            failures.append(str(error))
    assert not failures, f"{len(failures)} of {len(calls)}:\n" + "\n".join(failures)


# (c) Derivatives -------------------------------------------------------------------------------

WIDEST = (dtypes.float64, dtypes.complex128)


@pytest.mark.parametrize(
    ("row", "dtype"), every([row for row in OPS if not row.no_derivative], WIDEST)
)
def test_derivatives(row: Row, dtype: np.dtype) -> None:
    """Against finite differences, in both modes and all combinations of them."""
    for call in calls_of(row, dtype):
        if call.result_type in WIDEST:
            try:
                check_grads(*differentiable_part(call), order=2)
            except AssertionError as error:
                raise AssertionError(f"{call}: {error}") from None


def differentiable_part(call: Call) -> tuple[Callable[..., Any], tuple[Array, ...]]:
    """A function of the operands with respect to which the op has derivatives, and these
    operands.
    """
    # With its own seed, 0, check_grads would draw the operands again as the direction, along which
    # many wrong derivatives of homogeneous functions are right.
    operands = [Array(x) for x in call.ordinary(seed=1)]
    wrt = range(len(operands)) if call.case.wrt is None else call.case.wrt

    def function(*chosen: Any) -> Any:
        replaced: list[Any] = operands.copy()
        for i, x in zip(wrt, chosen, strict=True):
            replaced[i] = x
        return call.apply(*replaced)

    return function, tuple(operands[i] for i in wrt)


def derivative(name: str, *operands: Any, wrt: int = 0, **attributes: Any) -> np.ndarray:
    arrays = [Array(np.asarray(x, np.float64)) for x in operands]

    def function(x: Any) -> Any:
        replaced = [*arrays[:wrt], x, *arrays[wrt + 1 :]]
        return getattr(ops, name)(*replaced, **attributes)

    one = Array(np.ones_like(operands[wrt], np.float64))
    forward = jvp(function, (arrays[wrt],), (one,))[1]
    value, pullback = vjp(function, arrays[wrt])
    (backward,) = pullback(Array(np.ones(value.shape)))
    if not np.ndim(operands[wrt]):
        np.testing.assert_array_equal(forward, backward)
    return np.asarray(backward)


def test_derivatives_at_kinks() -> None:
    """Where there is no derivative, JAX's value."""
    assert derivative("abs", 0.0) == 1
    assert derivative("max", 2.0, 2.0) == derivative("max", 2.0, 2.0, wrt=1) == 0.5
    assert derivative("min", 2.0, 2.0) == derivative("min", 2.0, 2.0, wrt=1) == 0.5
    assert derivative("pow", 0.0, 0.0) == 0
    assert derivative("pow", 0.0, 1.0) == 1
    assert derivative("pow", 0.0, 2.0, wrt=1) == 0
    assert derivative("sqrt", 0.0) == np.inf
    for wrt, expected in enumerate((0, 0, 0)):
        assert derivative("clamp", 1.0, 1.0, 2.0, wrt=wrt) == expected
    for wrt, expected in enumerate((1, 0, 0)):
        assert derivative("clamp", 1.0, 0.5, 2.0, wrt=wrt) == expected
    ties = derivative("reduce_max", [1.0, 3.0, 3.0], dims=(0,))
    np.testing.assert_array_equal(ties, [0, 0.5, 0.5])
    product = derivative("reduce_prod", [0.0, 3.0, 2.0], dims=(0,))
    np.testing.assert_array_equal(product, [6, 0, 0])
    np.testing.assert_array_equal(derivative("reduce_prod", [0.0, 0.0, 2.0], dims=(0,)), [0, 0, 0])


def test_stop_gradient() -> None:
    assert derivative("stop_gradient", 2.0) == 0
    x = Array(np.float64(2.0).reshape(()))
    assert jvp(lambda x: ops.mul(x, ops.stop_gradient(x)), (x,), (x,))[1] == 4


# (d) Batching ----------------------------------------------------------------------------------


BATCHED = 3


@pytest.mark.parametrize("row", [row for row in OPS if not row.no_batch], ids=str)
def test_batching(row: Row) -> None:
    """Over every axis of every subset of the operands, against a loop."""
    preferred = (dtypes.float64, dtypes.int32, dtypes.complex128, dtypes.uint32)
    dtype = next(t for t in preferred if t in row.types)
    for call in calls_of(row, dtype):
        types, samples = row.signature(call.case, dtype)
        shapes = call.case.shapes or ((2, 3),) * len(types)
        for axes in itertools.product(*((None, *range(len(shape) + 1)) for shape in shapes)):
            if all(axis is None for axis in axes):
                continue
            rng = np.random.default_rng(0)
            operands = [
                draw(rng, sample, t, with_axis(shape, axis))
                for sample, t, shape, axis in zip(samples, types, shapes, axes, strict=True)
            ]
            actual = vmap(call.apply, in_axes=axes)(*map(Array, operands))._value()
            expected = np.stack(
                [
                    call.eager([element(x, a, i) for x, a in zip(operands, axes, strict=True)])
                    for i in range(BATCHED)
                ]
            )
            # A batch may be summed in a different order.
            bound = 4 if row.normwise else 0
            assert_close(actual, expected, bound, normwise=row.normwise, what=f"{call} over {axes}")


def with_axis(shape: tuple[int, ...], axis: int | None) -> tuple[int, ...]:
    return shape if axis is None else (*shape[:axis], BATCHED, *shape[axis:])


def element(x: np.ndarray, axis: int | None, i: int) -> np.ndarray:
    return x if axis is None else np.asarray(x.take(i, axis))


# (e) Dynamic shapes ----------------------------------------------------------------------------

SAME_SHAPE = ("pointwise", "special")
DYNAMIC = (dtypes.float32, dtypes.int32, dtypes.bool_, dtypes.complex64)


@pytest.mark.parametrize("dtype", ELEMENT, ids=str)
def test_dynamic_shapes_evaluated(dtype: np.dtype) -> None:
    calls = all_calls(dtype)
    operands = [call.ordinary() for call in calls]
    program = program_of(calls, operands, dynamic=True)
    program.module.run("", "simplify")
    results = evaluate(program.module.program("main"), program.inputs)
    check_all(calls, operands, list(compared(calls, operands, program, results)))


@pytest.mark.parametrize("dtype", DYNAMIC, ids=str)
def test_dynamic_shapes_compiled(dtype: np.dtype) -> None:
    # Of ops whose results have the shapes of their operands, one call is enough.
    alike = [row for name in SAME_SHAPE for row in FAMILIES[name]]
    others = [row for name, rows in FAMILIES.items() if name not in SAME_SHAPE for row in rows]
    calls = calls_to_compile(dtype, alike, in_every_way=())
    in_every_way = {dtypes.float32} if breadth.IS_NIGHTLY else ()
    calls += calls_to_compile(dtype, others, in_every_way=in_every_way)
    operands = [call.ordinary() for call in calls]
    check_all(calls, operands, run_compiled(calls, operands, dynamic=True))


# (f) Text --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ELEMENT, ids=str)
def test_text_parses_to_the_same_program(dtype: np.dtype) -> None:
    calls = all_calls(dtype)
    program = program_of(calls, [call.ordinary() for call in calls], dynamic=False)
    text = program.module.text()
    for form in (text, program.module.text(generic=True)):
        assert _core.Module.parse(form).text() == text


# (g) Coverage ----------------------------------------------------------------------------------


def test_every_op_has_a_row() -> None:
    registered = set(_core.registered_ops())
    rows = [row.name for rows in FAMILIES.values() for row in rows]
    assert len(set(rows)) == len(rows)
    assert set(rows).isdisjoint(WITHOUT_ROW)
    assert registered == {*rows, *WITHOUT_ROW}


def test_every_op_has_a_wrapper_and_a_reference() -> None:
    for row in OPS:
        assert row.name in FUNCTIONS
        assert hasattr(ops, row.name) or hasattr(ops, f"{row.name}_")
