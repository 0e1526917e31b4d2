"""Programs as steps: optimizations change no bit of the results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail._core import FlatBody, Instruction
from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.reference import Evaluator, arithmetic
from dovetail.reference.program import steps_of
from dovetail.reference.specialization import specialized
from dovetail.reference.steps import Steps
from dovetail.reference.table import RAW

# So many calls specialize an evaluator.
MANY = 70
X = np.array([[1.5, -0.0, 3.0], [-2.0, np.nan, 0.25]], np.float32)


def flat(function: Any, *args: Any) -> FlatBody:
    return dt.jit(function).lower(*args)._program.instructions


PROGRAMS = {
    "elementwise": lambda x: dnp.tanh(x) * 2 + dnp.where(x > 0, x, 1.0),
    "splats": lambda x: (x + 1.0) / (dnp.sum(x) - x),
    "shapes": lambda x: dnp.flip(x.T.reshape(2, 3), 0)[:, 1:] @ x[:, :2].T,
    "reductions": lambda x: (x - x.mean()) / x.std() + dnp.cumsum(x, 1) + dnp.max(x),
    "loop": lambda x: lax.scan(lambda c, _: (dnp.sin(c) + c / 2, dnp.sum(c)), x, None, length=70),
    "short loop": lambda x: lax.scan(lambda c, _: (c + 1.0, None), x, None, length=3)[0],
    "while": lambda x: lax.while_loop(lambda c: dnp.nansum(c) < 9, lambda c: c + 0.5, x),
    "branch": lambda x: lax.cond(x[0, 0] > 0, lambda: dnp.exp(x), lambda: x + 1.0),
    "gradient": dt.grad(lambda x: dnp.sum(dnp.tanh(x) ** 3 / (1 + x * x))),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_evaluators_return_the_same_bits_in_every_call(name: str) -> None:
    evaluator = Evaluator(flat(PROGRAMS[name], X))
    first = evaluator([X])
    for _ in range(MANY):
        for result, expected in zip(evaluator([X]), first, strict=True):
            assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
            np.testing.assert_array_equal(result, expected)
            np.testing.assert_array_equal(np.signbit(result), np.signbit(expected))


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-40, -1e-40]


@np.errstate(invalid="ignore")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("count", [1, 7, 5000])
def test_specialized_bounds_agree_with_the_ops(count: int, dtype: str) -> None:
    """Also of two zeros, with either operand one number."""
    x = np.random.default_rng(0).choice(SPECIAL, count).astype(dtypes.as_dtype(dtype))
    for function in (arithmetic.max, arithmetic.min):
        for number in SPECIAL:
            bound = np.asarray(number).astype(x.dtype)
            for operands in ((x, bound), (bound, x), (x, x[::-1].copy())):
                chain = specialized(function, operands, {})
                assert chain is not None
                (call,) = chain
                result = call.function(*operands, **call.keywords)
                expected = function(*operands)
                assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
                result, expected = (a.astype(np.float64) for a in (result, expected))
                np.testing.assert_array_equal(result, expected)
                is_number = ~np.isnan(expected)
                signs = np.signbit(result), np.signbit(expected)
                np.testing.assert_array_equal(signs[0][is_number], signs[1][is_number])


def test_an_evaluator_specializes_itself() -> None:
    steps = steps_of(flat(lambda x: dnp.exp(x) + 1.0, X), is_typed=True)
    plain = steps.executor()
    steps.specialize()
    fast = steps.executor()
    assert plain.functions == [RAW["exp"], RAW["add"]]
    assert fast.functions == [np.exp, np.ndarray.astype, np.add]
    (one,) = fast.constants
    assert one.shape == ()


def test_a_watch_sees_each_op_once() -> None:
    evaluator = Evaluator(flat(lambda x: dnp.exp(x) + 1.0, X))
    for _ in range(MANY):
        told: list[tuple[str, np.dtype]] = []
        evaluator([X], lambda name, answer, place, told=told: told.append((name, answer.dtype)))
        assert told == [("exp", np.float32), ("add", np.float32)]


def test_effects_are_had_in_each_call() -> None:
    told: list[float] = []

    def function(x: Any) -> Any:
        def step(total: Any, row: Any) -> Any:
            dt.debug.callback(lambda y: told.append(float(y[0])), row)
            return total + row, None

        dt.debug.callback(lambda: told.append(-1.0))
        lax.scan(step, x[0], x)
        return -x

    # The functions exist as long as it does.
    lowered = dt.jit(function).lower(X)
    evaluator = Evaluator(lowered._program.instructions)
    for _ in range(MANY):
        told.clear()
        evaluator([X])
        assert told == [-1.0, 1.5, -2.0]


def test_no_memory_for_a_specialized_op_is_explained() -> None:
    shape = (1 << 40,)
    place = ("program.py", 7, "f")
    program: Any = type("Program", (), {})()
    program.inputs, program.input_types = [0], [((), "float32")]
    program.instructions = [
        Instruction("broadcast", (0,), (1,), {"dims": ()}, (shape,), ("float32",), place),
        Instruction("exp", (1,), (2,), {}, (shape,), ("float32",), place),
    ]
    program.outputs, program.size = [2], 3
    evaluator = Evaluator(program)
    for _ in range(MANY):
        with pytest.raises(MemoryError, match=r"exp: .*program\.py:7"):
            evaluator([np.ones((), np.float32)])


def steps_on(*types: tuple[tuple[int, ...], str]) -> Steps:
    steps = Steps()
    steps.inputs = [steps.new_number(ShapedArray(shape, np.dtype(dtype))) for shape, dtype in types]
    return steps


def vector(size: int) -> ShapedArray:
    return ShapedArray((size,), np.dtype("float32"))


def test_repeated_scalars_stay_if_nothing_else_has_the_shape() -> None:
    steps = steps_on(((), "float32"))
    (x,) = steps.inputs
    repeated = steps.append(RAW["broadcast"], (x,), {"shape": (3,), "dims": ()}, vector(3))
    steps.outputs = [steps.append(RAW["add"], (repeated, repeated), {}, vector(3))]
    steps.specialize()
    assert steps.executor()([np.array(2, np.float32)])[0].tolist() == [4, 4, 4]


@pytest.mark.parametrize(("size", "count"), [(2, 0), (512, 0), (1025, 1)])
def test_steps_on_constants_become_constants_unless_they_are_large(size: int, count: int) -> None:
    steps = steps_on()
    x = steps.new_constant(np.arange(size, dtype=np.float32))
    steps.outputs = [steps.append(RAW["neg"], (x,), {}, vector(size))]
    steps.specialize()
    executor = steps.executor()
    assert len(executor.functions) == count
    assert executor([])[0].tolist() == [-i for i in range(size)]


@pytest.mark.parametrize("value", [np.arange(2, dtype=np.float32), np.broadcast_to(0.5, 10**6)])
def test_results_share_nothing_with_constants(value: np.ndarray) -> None:
    steps = steps_on()
    x = steps.new_constant(value)
    shape = {"shape": (value.size, 1)}
    steps.outputs = [x, steps.append(RAW["reshape"], (x,), shape)]
    first = steps.executor()([])
    assert steps.copy_shared(first)
    executor = steps.executor()
    results = [*executor([]), *executor([])]
    for result, expected in zip(results, first * 2, strict=True):
        np.testing.assert_array_equal(result, expected)
        assert not any(np.may_share_memory(result, constant) for constant in executor.constants)
    assert not np.may_share_memory(results[0], results[2])
    # Repeating a scalar takes no memory for each element.
    assert sum(constant.nbytes for constant in executor.constants) <= 8
    assert not steps.copy_shared(results)


TYPES = [
    "bool",
    "int4",
    "int8",
    "uint8",
    "int32",
    "uint32",
    "float16",
    "bfloat16",
    "float32",
    "complex64",
]
OF_SCALARS: dict[str, tuple[str, Any]] = {
    **{
        f"to {name}": (" ".join(TYPES), lambda x, to=name: lax.convert_element_type(x, to))
        for name in TYPES
    },
    "signs": ("int8 int32 float16 float32 complex64", lambda x: (-x, abs(x), dnp.sign(x))),
    "powers": ("int32 float16 bfloat16 float32 complex64", lambda x: (x**2, x**3, x * x - x)),
    "floats": (
        "float16 bfloat16 float32",
        lambda x: (dnp.exp(x), dnp.sqrt(x), dnp.tanh(x), dnp.floor(x), dnp.isnan(x)),
    ),
    "bounds": ("int8 uint32 float16 float32", lambda x: (dnp.maximum(x, 1), dnp.clip(x, 0, 1))),
    "quotients": ("int32 uint8 float32", lambda x: (x // 2, x % 2, lax.rem(x, x + 1))),
    "bits": ("int8 uint8 int32 uint32", lambda x: (~x, x << 1, x >> 1, x ^ 1)),
    "parts": ("complex64", lambda x: (x.real, x.imag, dnp.conj(x))),
    "choices": ("bool int32 float32", lambda x: (dnp.where(x > 0, x, 1 - x * x), x == 1)),
    "shapes": ("int32 bfloat16 float32", lambda x: (dnp.stack([x, x]), x.reshape(1), x + X[0])),
}


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, each) for name in OF_SCALARS for each in OF_SCALARS[name][0].split()]
)
def test_rows_of_vectors_are_scalars_of_loops(name: str, dtype: str) -> None:
    """A long loop is specialized for rows of rank 0; outside of it, for vectors of all rows."""
    function = OF_SCALARS[name][1]
    xs = np.arange(MANY, dtype=np.int32) % 2
    xs = xs.astype(dtypes.as_dtype(dtype))

    def loop(xs: Any) -> Any:
        return lax.scan(lambda c, x: (c, function(x)), 0, xs)[1]

    got = Evaluator(flat(loop, xs))([xs])
    wanted = dt.tree.leaves(dt.vmap(function)(xs))
    for result, want in zip(got, wanted, strict=True):
        assert (result.dtype, result.shape) == (want.dtype, want.shape)
        np.testing.assert_array_equal(result, np.asarray(want))
