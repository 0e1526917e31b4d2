"""Symbolic sizes in a trace: as values of the function under construction, and in result shapes.

The outermost trace states the constraints on each name. An inner one finds a size in its own
arguments, or in an argument of the outermost trace, which it then captures.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import locations
from dovetail.base.errors import UnknownSizeError
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type, dtype_name
from dovetail.base.trace_stack import current
from dovetail.symbolic.bounds import Variable
from dovetail.symbolic.scope import SymbolicScope
from dovetail.symbolic.size import Size, has_sizes, plain
from dovetail.symbolic.solve import Solution, check_solved, scope_of, solved
from dovetail.tracing import evaluation

Shape = tuple[Any, ...]

# Where no constraint applies: IREE's 32-bit sizes end there.
_LARGEST = (1 << 31) - 1


class TraceSizes:
    """The sizes of one trace.

    Args:
      trace: the trace.
    """

    def __init__(self, trace: Any) -> None:
        self._trace = trace
        self._function: _core.Function = trace.function
        self.scope: SymbolicScope | None = None
        # Numbers of values that are sizes, by the texts of the sizes, and vice versa.
        self._numbers: dict[str, int] = {}
        self._sizes: dict[int, Any] = {}
        # Shapes with sizes, by the numbers of the arrays.
        self._shapes: dict[int, Shape] = {}
        # Solutions for names in terms of arguments, by the arguments' numbers in the trace.
        self._solutions: dict[str, Solution] = {}
        self._arguments: list[Any] = []

    # Arguments ------------------------------------------------------------------------------------

    def add_argument(self, tracer: Any) -> None:
        """Record the symbolic sizes of an argument, or of another value that defines sizes."""
        self._shapes[tracer.number] = tracer.shape
        self._arguments.append(tracer)
        scope = scope_of([tracer.shape])
        if scope is not None:
            self.scope = scope
            shapes = [argument.shape for argument in self._arguments]
            self._solutions = {s.name: s for s in solved(scope, shapes)}

    def named(self, shape: Shape) -> Shape:
        """A shape with a new size in place of each -1."""
        assert self.scope is not None or -1 not in shape
        return tuple(self.scope.unnamed() if self.scope and s == -1 else s for s in shape)

    def begin(self, tracers: Sequence[Any]) -> list[Any]:
        """The arguments of the outermost function, with their known sizes.

        Raises:
          ValueError: a name is not determined by the shapes.
        """
        shapes = [tracer.shape for tracer in tracers]
        scope = self.scope = scope_of(shapes)
        assert scope is not None
        self._arguments = list(tracers)
        solutions = solved(scope, shapes)
        check_solved(scope, shapes, solutions)
        for solution in solutions:
            self._solutions[solution.name] = solution
            self._assume(solution)
        self._arguments = [self._tied(tracer) for tracer in tracers]
        return self._arguments

    def _assume(self, solution: Solution) -> None:
        assert self.scope is not None
        name = solution.name
        size = self.scope.name(name)
        low, high = self.scope.bounds(size)
        attributes = {
            "min": int(low),
            "max": _LARGEST if math.isinf(high) else int(high),
            "multiple": self.scope.multiples[name],
        }
        number = self._solve(solution)
        ((known, _, _),) = self._function.emit(
            "assume", (number,), attributes, None, locations.location()
        )
        self._remember_name(name, known)

    def _tied(self, tracer: Any) -> Any:
        """The argument, with values of the program as its sizes."""
        if not has_sizes(tracer.shape):
            return tracer
        element = dtype_name(tracer.dtype)
        emitted = tracer.number, tracer.shape, element
        number, _, _ = self.stated(emitted, (tracer.shape, element))
        self._shapes[number] = tracer.shape
        self._trace.rename(tracer.number, number)
        return tracer.renumbered(number)

    def stated(self, emitted: Any, known: Type) -> Any:
        """A result annotated with the sizes that the trace knows, so that users of its sizes need
        not ask, for example, which branch computed it.
        """
        number, _, element = emitted
        shape, _ = known
        if not has_sizes(shape):
            return emitted
        try:
            numbers = [number, *self.operands(shape)]
        except UnknownSizeError:  # of values kept by a transformation, not given by arguments
            return emitted
        types = [(plain(shape), element)]
        return self._function.emit("with_sizes", numbers, {}, types, locations.location())[0]

    # Sizes as values ------------------------------------------------------------------------------

    def operands(self, shape: Shape) -> list[int]:
        """The values of the unknown sizes of a shape."""
        return [self.number(size) for size in shape if type(size) is Size]

    def number(self, size: Any) -> int:
        """The number of the value for a size."""
        text = str(size)
        number = self._numbers.get(text)
        if number is None:
            number = self._constant(size) if isinstance(size, int) else self._sum(size)
            self._numbers[text] = number
            self._sizes.setdefault(number, size)
        return number

    def _emit(self, name: str, operands: Sequence[int], number: int = 0) -> int:
        return self._function.emit_size(name, operands, number, locations.location())

    def _constant(self, value: int) -> int:
        return self._emit("constant", (), value)

    def _sum(self, size: Size) -> int:
        total: int | None = None
        for monomial, c in size.terms.items():
            term: int | None = None
            for text, power in monomial:
                whole = size.scope.name_of_variable(text)
                if whole is not None and c % whole[1] ** power == 0:
                    # A multiple of the name contains the name's own divisor.
                    c //= whole[1] ** power
                    factor = self._name(whole[0])
                else:
                    factor = self._variable(text, size.scope)
                for _ in range(power):
                    term = factor if term is None else self._emit("mul", (term, factor))
            if term is None:
                term = self._constant(c)
            elif c != 1:
                term = self._emit("mul", (term, self._constant(c)))
            total = term if total is None else self._emit("add", (total, term))
        assert total is not None
        return total

    def _variable(self, text: str, scope: SymbolicScope) -> int:
        known = self._numbers.get(text)
        if known is None:
            known = self._numbers[text] = self._computed(scope.variable(text), text, scope)
        return known

    def _computed(self, variable: Variable, text: str, scope: SymbolicScope) -> int:
        if variable.op == "name":
            whole = scope.name_of_variable(text)
            assert whole is not None
            return self._emit("div", (self._name(whole[0]), self._constant(whole[1])))
        x, y = variable.args
        numbers = self.number(x), self.number(y)
        if variable.op in ("max", "min"):
            return self._emit(variable.op, numbers)
        divide = "div" if scope.is_nonnegative(x) and scope.is_nonnegative(y) else "floor_div"
        quotient = self._emit(divide, numbers)
        if variable.op == "div":
            return quotient
        whole_part = self._emit("mul", (quotient, numbers[1]))
        negative = self._emit("mul", (whole_part, self._constant(-1)))
        return self._emit("add", (numbers[0], negative))

    def _name(self, name: str) -> int:
        """The value for the size of a name."""
        known = self._numbers.get(f"{name}=")
        if known is None:
            solution = self._solutions.get(name)
            if solution is None:
                self._close_over(name)
                solution = self._solutions[name]
            known = self._solve(solution)
            self._remember_name(name, known)
        return known

    def _remember_name(self, name: str, number: int) -> None:
        assert self.scope is not None
        self._numbers[f"{name}="] = number
        size = self.scope.name(name)
        if type(size) is Size:
            self._numbers[str(size)] = number
        self._sizes[number] = size

    def _solve(self, solution: Solution) -> int:
        """Emit the solution for a name's size."""
        argument = self._arguments[solution.array]
        size = self._emit("dim", (argument.number,), solution.dimension)
        if type(solution.rest) is Size or solution.rest != 0:
            size = self._emit("add", (size, self.number(-solution.rest)))
        if solution.factor != 1:
            size = self._emit("div", (size, self._constant(solution.factor)))
        return size

    def _close_over(self, name: str) -> None:
        """Turn an argument of the outermost function, which determines a name, into one of this
        function.
        """
        outer = self._trace.parent
        while outer is not None and name not in outer.sizes._solutions:
            outer = outer.parent
        if outer is None:
            raise UnknownSizeError(
                f"sizes must be of the function that is traced, got: one of {name!r}, which no "
                f"argument of `{self._trace.root.name}` has, {here()}"
            )
        outer_sizes = outer.sizes
        found = outer_sizes._solutions[name]
        number = self._trace.number(outer_sizes._arguments[found.array])
        if name not in self._solutions:
            # It is determined through other names.
            position = [argument.number for argument in self._arguments].index(number)
            self._solutions[name] = found._replace(array=position)

    # Shapes of results ----------------------------------------------------------------------------

    def shape(self, number: int, shape: Shape) -> Shape:
        """The shape of a result, for which the compiler has -1 for some sizes."""
        found = tuple(
            self._size_of(number, d) if size == -1 else size for d, size in enumerate(shape)
        )
        self._shapes[number] = found
        return found

    def _size_of(self, number: int, dimension: int) -> Any:
        source = self._function.size_source(number, dimension)
        if source is None:
            raise UnknownSizeError(
                f"the size of dimension {dimension} of this result must follow from those of "
                f"operands, got: no rule for it, {here()}"
            )
        value, along = source
        return self._read(value) if along < 0 else self._shapes[value][along]

    def _read(self, value: int) -> Any:
        """The size that a value represents."""
        if value in self._sizes:
            return self._sizes[value]
        # The shape of an array is known, regardless of what computes it.
        known = [*self._sizes, *self._shapes]
        for instruction in self._function.slice([value], known):
            result = instruction.results[0]
            if result not in self._sizes:
                self._sizes[result] = self._evaluated(
                    instruction.op, instruction.operands, instruction.attributes
                )
        return self._sizes[value]

    def _evaluated(self, name: str, operands: Sequence[int], attributes: dict[str, Any]) -> Any:
        if name == "arith.constant":
            value = attributes["value"]
            return value if isinstance(value, int) else int(np.asarray(value))
        if name == "dim":
            return self._shapes[operands[0]][attributes["dimension"]]
        x, y = (self._sizes[operand] for operand in operands)
        if name == "arith.addi":
            return x + y
        if name == "arith.subi":
            return x - y
        if name == "arith.muli":
            return x * y
        if name in ("arith.divui", "arith.floordivsi"):
            return x // y
        scope = self.scope
        assert scope is not None
        if name == "arith.maxsi":
            return scope.larger(x, y) if has_sizes((x, y)) else max(x, y)
        if name == "arith.minsi":
            return scope.smaller(x, y) if has_sizes((x, y)) else min(x, y)
        raise UnknownSizeError(f"no size is computed by {name}, {here()}")


def call_at(
    callee: evaluation.Callee,
    operands: Sequence[Any],
    inputs: Sequence[ShapedArray],
    outputs: Sequence[ShapedArray],
    names: dict[str, Any],
) -> list[Any]:
    """Call a function with symbolic shapes in a trace where their names have the given sizes.

    Args:
      callee: a function of the module of the trace in progress.
      operands: its operands: those described by `inputs`, then the values that it closes over.
      inputs, outputs: types with symbolic shapes.
      names: the sizes of the names in these.
    """
    trace = current()
    assert trace is not None
    scope = scope_of([aval.shape for aval in inputs])
    assert scope is not None
    function, where = trace.function, locations.location()
    known_sizes = trace.sizes

    def emit(name: str, numbers: Sequence[int], attributes: Any, types: Any) -> list[int]:
        return [out[0] for out in function.emit(name, numbers, attributes, types, where)]

    numbers = []
    for i, operand in enumerate(operands):
        number = trace.number(operand)
        if i < len(inputs) and has_sizes(inputs[i].shape):
            unknown = zip(operand.shape, inputs[i].shape, strict=True)
            sizes = [known_sizes.number(size) for size, as_ in unknown if type(as_) is Size]
            types = [(plain(inputs[i].shape), dtype_name(operand.dtype))]
            (number,) = emit("reshape", [number, *sizes], {}, types)
        numbers.append(number)
    types = [(plain(aval.shape), dtype_name(aval.dtype)) for aval in outputs]
    results = []
    outs = emit("call", numbers, {"callee": callee.function}, types)
    for number, aval in zip(outs, outputs, strict=True):
        shape = tuple(scope.value(size, names) for size in aval.shape)
        if has_sizes(aval.shape):
            types = [(plain(shape), dtype_name(aval.dtype))]
            (number,) = emit("reshape", [number, *known_sizes.operands(shape)], {}, types)
        if has_sizes(shape):
            number, shape = number, known_sizes.shape(number, shape)
        results.append(trace.value_class(trace, number, shape, aval.dtype, aval.weak_type, where))
    return results
