"""The calls that a row of the op table represents, and many calls as one program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import _core, dtypes
from dovetail.arrays.array import Array
from dovetail.base.mlir_types import dtype_named
from dovetail.compiler.host_functions import host_functions_of
from dovetail.compiler.module_files import CompileError, Target, compile_module
from dovetail.reference.op import OPS as REFERENCE
from dovetail.runtime import Executable, HostFunctions, get_device
from support.breadth import one_of
from support.op_row import Case, Row, Types, assert_close
from support.op_samplers import draw, special_tuples
from support.op_table import OPS

POINTWISE_SHAPE = (17,)
NOWHERE = ("", 0, "")
# The number of a value, its shape and its element type.
Result = tuple[int, tuple[int, ...], str]


class Call(NamedTuple):
    """An op applied to operands of one element type."""

    row: Row
    case: Case
    dtype: np.dtype

    @property
    def attributes(self) -> dict[str, Any]:
        """Keywords of the op."""
        return self.case.attributes | ({"dtype": self.dtype} if self.row.takes_dtype else {})

    @property
    def result_type(self) -> np.dtype:
        """The element type of the result."""
        return self.row.result_type(self.dtype, self.attributes)

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.case.attributes.items())
        return f"{self.row.name}[{self.dtype.name}]({given}) on {self.case.shapes}"

    def apply(self, *operands: Any) -> Any:
        """The part of the op's results that is compared, for arrays or tracers."""
        return self.row.apply(*operands, **self.attributes)

    def eager(self, operands: Sequence[np.ndarray]) -> np.ndarray:
        """The op's result by the reference evaluator."""
        return self.apply(*map(Array, operands))._value()

    def compared(self, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
        """The same part of results that were computed elsewhere."""
        arrays = tuple(map(Array, operands)), tuple(map(Array, results))
        return self.row.compared(*arrays, **self.attributes)._value()

    def ordinary(self, seed: int = 0) -> tuple[np.ndarray, ...]:
        """Operands with respect to which derivatives exist."""
        rng = np.random.default_rng(seed)
        types, samples = self.row.signature(self.case, self.dtype)
        shapes = self.case.shapes or (POINTWISE_SHAPE,) * len(types)
        operands = zip(samples, types, shapes, strict=True)
        return tuple(draw(rng, sample, dtype, shape) for sample, dtype, shape in operands)

    def values(self, subnormal: bool) -> tuple[np.ndarray, ...]:
        """The same, and for pointwise ops all combinations of special values after them."""
        operands = self.ordinary()
        if not self.row.pointwise:
            return operands
        types, _ = self.row.signature(self.case, self.dtype)
        special = special_tuples(types, subnormal)
        return tuple(np.concatenate(pair) for pair in zip(operands, special, strict=True))

    def check(
        self, actual: np.ndarray, expected: np.ndarray, bound: float, **leniency: bool
    ) -> None:
        """Raises AssertionError unless the results agree."""
        normwise = self.row.normwise
        assert_close(actual, expected, bound, normwise=normwise, what=str(self), **leniency)


def calls_of(row: Row, dtype: np.dtype) -> Iterator[Call]:
    """All ways of calling an op with operands of a type."""
    return (Call(row, case, dtype) for case in row.cases if dtype in row.types_of(case))


def types_of(row: Row) -> Types:
    """All element types for which an op is called."""
    return tuple(dict.fromkeys(dtype for case in row.cases for dtype in row.types_of(case)))


def all_calls(dtype: np.dtype, rows: Sequence[Row] = OPS) -> list[Call]:
    """All calls of these rows with operands of a type."""
    return [call for row in rows for call in calls_of(row, dtype)]


# One for each way to compute: as the processor does, in wider numbers, and in pairs; of indices
# also without a sign. Others differ in their elements alone, which one call of each op shows.
IN_EVERY_WAY = {
    *(dtypes.bool_, dtypes.uint8, dtypes.int32),
    *(np.dtype("bfloat16"), dtypes.float32, dtypes.complex64),
}
# All are computed in float32, between conversions that base/test_small_types.py tries.
ALIKE = (
    *(dtypes.float8_e4m3fn, dtypes.float8_e4m3fnuz, dtypes.float8_e5m2, dtypes.float8_e5m2fnuz),
)


def calls_to_compile(
    dtype: np.dtype,
    rows: Sequence[Row] = OPS,
    in_every_way: Collection[np.dtype] = IN_EVERY_WAY,
) -> list[Call]:
    """Calls of these rows with operands of a type: all for some types, and one of each op, in
    rotation, for the others; of types that are alike for one of them. At night all.
    """
    if dtype in in_every_way:
        return all_calls(dtype, rows)
    if dtype in ALIKE:
        rows = [row for row in rows if dtype in one_of(ALIKE, row.name)]
    ways = [list(calls_of(row, dtype)) for row in rows]
    return [call for calls in ways if calls for call in one_of(calls, f"{calls[0]}")]


# Compilers take more time for one large program than for several.
MOST_CALLS = 64


def run_compiled(
    calls: Sequence[Call],
    operands: Sequence[tuple[np.ndarray, ...]],
    dynamic: bool = False,
    target: str = "cpu",
) -> list[np.ndarray | CompileError]:
    """The results of compiled code: of many calls in a program if IREE accepts it, otherwise of
    one.

    With `dynamic`, all sizes are unknown to the compiler.
    """
    if len(calls) <= MOST_CALLS:
        try:
            return list(_run_as_one(calls, operands, dynamic, target))
        except CompileError as error:
            if len(calls) == 1:
                return [error]
    # In halves: few of many fail.
    half = len(calls) // 2
    return [
        result
        for part in (slice(None, half), slice(half, None))
        for result in run_compiled(calls[part], operands[part], dynamic, target)
    ]


def _run_as_one(
    calls: Sequence[Call], operands: Sequence[tuple[np.ndarray, ...]], dynamic: bool, target: str
) -> Iterator[np.ndarray]:
    program = program_of(calls, operands, dynamic)
    is_here = target == "cpu"
    program.module.run("", "lower", target, host_functions=is_here)
    functions = host_functions_of(program.module)
    device = "local-sync" if is_here else Target.parse(target).device
    executable = Executable(
        compile_module(program.module.text(), target=target),
        "main",
        device,
        output_dtypes=[dtype for types in program.results for dtype in types],
        host_functions=HostFunctions(functions, get_device(device)) if functions else None,
    )
    results = [np.asarray(buffer) for buffer in executable(program.inputs)]
    return compared(calls, operands, program, results)


def compared(
    calls: Sequence[Call],
    operands: Sequence[tuple[np.ndarray, ...]],
    program: Program,
    results: Sequence[np.ndarray],
) -> Iterator[np.ndarray]:
    """The compared parts of all calls, from the results of one program."""
    remaining = iter(results)
    for call, arrays, types in zip(calls, operands, program.results, strict=True):
        yield call.compared(arrays, [next(remaining) for _ in types])


class Program(NamedTuple):
    """A module whose `main` has all results, its arguments, and the types of results by call."""

    module: Any
    inputs: list[np.ndarray]
    results: list[list[np.dtype]]


def program_of(
    calls: Sequence[Call], operands: Sequence[tuple[np.ndarray, ...]], dynamic: bool
) -> Program:
    """Many calls as one program."""
    module = _core.module()
    main = _core.Function(module, "main", True, NOWHERE)
    inputs: list[np.ndarray] = []
    numbers: list[int] = []
    types: list[list[np.dtype]] = []
    for call, arrays in zip(calls, operands, strict=True):
        taken, results = emit_call(main, call, arrays, dynamic)
        inputs += taken
        numbers += [number for number, _, _ in results]
        types.append([dtype_named(element) for _, _, element in results])
    main.finish(numbers)
    return Program(module, inputs, types)


def add_argument(function: Any, shape: Sequence[int], element: str, dynamic: bool) -> int:
    """An argument of a function under construction."""
    return function.argument((-1,) * len(shape) if dynamic else shape, element, NOWHERE)


def emit_call(
    function: Any, call: Call, operands: Sequence[np.ndarray], dynamic: bool
) -> tuple[list[np.ndarray], list[Result]]:
    """Appends a call whose operands are new arguments of the function.

    Returns:
      the arrays for these arguments, of which the operands are the first, and the results.
    """
    taken = list(operands)
    given = [add_argument(function, x.shape, x.dtype.name, dynamic) for x in operands]
    attributes = {k: v for k, v in call.attributes.items() if k not in ("shape", "dtype")}
    result_types = None
    stated = REFERENCE[call.row.name].stated
    if stated:
        result = call.eager(operands)
        shape = result.shape
        if dynamic:
            shape = (-1,) * result.ndim
            if "shape" in stated:
                # The sizes come from an additional argument.
                taken.append(np.zeros(result.shape, bool))
                like = add_argument(function, result.shape, "bool", dynamic)
                given += [
                    function.emit("dim", [like], {"dimension": d}, None, NOWHERE)[0][0]
                    for d in range(result.ndim)
                ]
        result_types = [(shape, result.dtype.name)]
    return taken, function.emit(call.row.name, given, attributes, result_types, NOWHERE)
