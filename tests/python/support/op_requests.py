"""Derivatives and batches of the calls of the op table, as requests in the IR, with static sizes or
without.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dovetail import _core, dtypes
from dovetail.base.mlir_types import dtype_named
from dovetail.reference import evaluate
from support.op_calls import NOWHERE, Call, Result, add_argument, emit_call, program_of
from support.op_samplers import convert

BATCHED = 3
UNBATCHED = -1

# The results of a request in `main`, given the function that it is about, the results of that, and
# the arrays for its arguments; the request adds its own.
Request = Callable[[Any, Any, list[Result], list[np.ndarray]], list[Result]]


def is_differentiable(dtype: np.dtype) -> bool:
    """Whether arrays of a type have derivatives."""
    return dtypes.kind(dtype) in "fc"


def results_of(
    call: Call, operands: Sequence[np.ndarray], request: Request, dynamic: bool
) -> list[np.ndarray]:
    """The results of a request about a call, by the evaluator."""
    module = _core.module()
    function = _core.Function(module, "call", False, NOWHERE)
    inputs, results = emit_call(function, call, operands, dynamic)
    function.finish([number for number, _, _ in results])
    main = _core.Function(module, "main", True, NOWHERE)
    requested = request(main, function, results, inputs)
    main.finish([number for number, _, _ in requested])
    module.run("", "simplify")
    return evaluate(module.program("main"), inputs)


def shapes_of_results(call: Call, operands: Sequence[np.ndarray]) -> list[tuple[int, ...]]:
    """The shapes of all results of a call."""
    program = program_of([call], [tuple(operands)], dynamic=False)
    return [x.shape for x in evaluate(program.module.program("main"), program.inputs)]


def sources_of_sizes(
    call: Call, operands: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]
) -> Iterator[tuple[tuple[np.ndarray, int], int]]:
    """The dimensions of operands that determine unknown sizes of the results, and these sizes.

    Args:
      call: the call.
      operands: its operands.
      shapes: those of its results.
    """
    function = _core.Function(_core.module(), "call", False, NOWHERE)
    inputs, results = emit_call(function, call, operands, dynamic=True)
    for (number, shape, _), actual in zip(results, shapes, strict=True):
        for dimension, size in enumerate(shape):
            source = function.size_source(number, dimension) if size < 0 else None
            # Others are arithmetic on sizes, or have no rule. Arguments are the first values.
            if source and source[1] >= 0:
                yield (inputs[source[0]], source[1]), actual[dimension]


def pullback(call: Call, shapes: Sequence[tuple[int, ...]], dynamic: bool) -> Request:
    """The cotangents of the operands for random ones of the results.

    Args:
      call: the call.
      shapes: those of its results.
      dynamic: whether no size is known.
    """

    def request(
        main: Any, function: Any, results: list[Result], inputs: list[np.ndarray]
    ) -> list[Result]:
        rng = np.random.default_rng(0)
        given = [add_argument(main, x.shape, x.dtype.name, dynamic) for x in inputs]
        count = len(call.row.signature(call.case, call.dtype)[0])
        wrt = [
            i
            for i in (range(count) if call.case.wrt is None else call.case.wrt)
            if is_differentiable(inputs[i].dtype)
        ]
        of = [i for i, (_, _, name) in enumerate(results) if is_differentiable(dtype_named(name))]
        types = [(shape, name) for _, shape, name in results]
        types += [
            ((-1,) * inputs[i].ndim if dynamic else inputs[i].shape, inputs[i].dtype.name)
            for i in wrt
        ]
        for i in of:
            cotangent = convert(rng.standard_normal(shapes[i]), dtype_named(results[i][2]))
            # Of the result's type, some of whose sizes may be known even if no operand's is.
            given.append(main.argument(results[i][1], results[i][2], NOWHERE))
            inputs.append(cotangent)
        attributes = {
            "callee": function,
            "wrt": tuple(wrt),
            "of": tuple(of),
            "operandSegmentSizes": (len(given) - len(of), len(of)),
        }
        return main.emit("vjp", given, attributes, types, NOWHERE)

    return request


def batches(operands: Sequence[np.ndarray]) -> Iterator[tuple[int, ...]]:
    """The dimensions of batches: one for each way to give some of the operands a batch."""
    places = [(UNBATCHED, min(1, x.ndim)) for x in operands]
    return (dims for dims in itertools.product(*places) if set(dims) != {UNBATCHED})


def batch(call: Call, dims: Sequence[int], dynamic: bool) -> Request:
    """The results for several operands at once.

    Args:
      call: the call.
      dims: the dimension of each operand's batch.
      dynamic: whether no size is known.
    """

    def request(
        main: Any, function: Any, results: list[Result], inputs: list[np.ndarray]
    ) -> list[Result]:
        samples = [call.ordinary(seed) for seed in range(BATCHED)]
        for i, dim in enumerate(dims):
            if dim != UNBATCHED:
                inputs[i] = np.stack([sample[i] for sample in samples], dim)
        given = [add_argument(main, x.shape, x.dtype.name, dynamic) for x in inputs]
        types = [
            ((-1 if dynamic else BATCHED, *shape), name)  # The batch comes first.
            for _, shape, name in results
        ]
        attributes = {
            "callee": function,
            "in_dims": (*dims, *(UNBATCHED,) * (len(inputs) - len(dims))),
            "out_dims": (0,) * len(results),
        }
        return main.emit("vmap", given, attributes, types, NOWHERE)

    return request
