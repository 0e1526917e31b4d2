"""How long the evaluation of a program takes, estimated from the shapes in it.

The rates are those of NumPy on one core of a server, within a factor of about three; they only have
to tell milliseconds from seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from dovetail._core import Instruction
from dovetail.reference.program import Program

Shape = tuple[int, ...]

# Of each op, and of each pass of a loop beside its ops.
_CALL = 4e-6
_PASS = 4e-6
# A size that is not known is taken for one that matters.
_UNKNOWN = 256

# Seconds for each element of the larger of operands and results; _MOVE for what is not named.
_MOVE = 1e-9
_RATES: dict[str, float] = {
    **dict.fromkeys(("broadcast", "reshape", "transpose", "slice", "reverse", "constant"), 0.0),
    **dict.fromkeys(("name", "stop_gradient", "optimization_barrier", "dim", "bitcast"), 0.0),
    **dict.fromkeys(("div", "sqrt", "rsqrt", "compare", "select", "convert", "clamp"), 2e-9),
    **dict.fromkeys(("floor_div", "floor_rem", "rem", "round_even", "round_away"), 10e-9),
    **dict.fromkeys(("exp", "exp2", "log", "sin", "cos", "tanh", "logistic", "pow"), 15e-9),
    **dict.fromkeys(("expm1", "log1p", "tan", "asin", "acos", "atan", "cbrt", "erf"), 20e-9),
    **dict.fromkeys(("sinh", "cosh", "asinh", "acosh", "atanh", "atan2", "hypot"), 30e-9),
    **dict.fromkeys(("logaddexp", "logaddexp2", "cumlogsumexp", "integer_pow"), 30e-9),
    **dict.fromkeys(("erfc", "lgamma", "digamma", "bessel_i0e", "bessel_i1e"), 100e-9),
    **dict.fromkeys(("igamma", "igammac", "betainc", "zeta", "polygamma"), 1e-6),
    **dict.fromkeys(("random_gamma_grad", "nextafter", "reduce_precision"), 1e-6),
    **dict.fromkeys(("gather", "scatter"), 20e-9),
    **dict.fromkeys(("scatter_add", "scatter_mul", "scatter_min", "scatter_max"), 60e-9),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "argmax", "argmin"), 4e-9),
    "threefry2x32": 4e-9,
    "erf_inv": 8e-9,
}
# Multiplications of BLAS, and of NumPy's loops for other types; windows are gathered first.
_PRODUCT, _SLOW_PRODUCT, _WINDOW = 1e-10, 2e-9, 5e-9
_BLAS = ("float32", "float64", "complex64", "complex128", "bfloat16", "float16")
# Those of LAPACK, where some count more than once; the overhead for each matrix.
_LAPACK, _MATRIX = 5e-10, 20e-6
_FACTORISATIONS = {
    **dict.fromkeys(("cholesky", "lu", "lu_solve", "det", "geqrf", "triangular_solve"), 1),
    **dict.fromkeys(("qr", "hessenberg", "tridiagonal", "tridiagonal_solve"), 4),
    **dict.fromkeys(("eigh", "svd"), 15),
    **dict.fromkeys(("eig", "schur"), 30),
}


class Cost(NamedTuple):
    """How long an evaluation takes.

    Attributes:
      seconds: an estimate, with one pass for each loop whose length is not known.
      is_bounded: whether there is no such loop, nor anything else that may take longer.
      has_effects: whether it does something beside computing.
    """

    seconds: float
    is_bounded: bool = True
    has_effects: bool = False

    def plus(self, other: Cost, times: int = 1) -> Cost:
        """With another one, so many times."""
        return Cost(
            self.seconds + times * other.seconds,
            self.is_bounded and other.is_bounded,
            self.has_effects or other.has_effects,
        )


def cost_of(program: Program, inputs: Sequence[Shape]) -> Cost:
    """How long the evaluation of a program takes.

    Args:
      program: the program.
      inputs: the shapes of its arguments.
    """
    shapes: dict[int, Shape] = dict(zip(program.inputs, inputs, strict=True))
    total = Cost(0.0)
    for instruction in program.instructions:
        operands = [shapes[i] for i in instruction.operands]
        shapes.update(zip(instruction.results, instruction.shapes, strict=True))
        total = total.plus(_cost_of_op(instruction, operands))
    return total


def _cost_of_op(instruction: Instruction, operands: Sequence[Shape]) -> Cost:
    name, attributes = instruction.op, instruction.attributes
    results, elements = instruction.shapes, instruction.elements
    if name in _REGIONS:
        return _REGIONS[name](attributes, operands)
    if name in _FORMULAS:
        seconds = _FORMULAS[name](attributes, operands, results, elements)
    elif name in _FACTORISATIONS:
        seconds = _FACTORISATIONS[name] * _of_matrices(operands[0])
    else:
        sizes = map(_size, (*operands, *results))
        rate = _RATES.get(name, _MOVE)
        seconds = rate * max(sizes, default=0) * _slowness(elements)
    return Cost(_CALL + seconds, has_effects=attributes.get("effect", "none") != "none")


def _size(shape: Iterable[int]) -> int:
    return math.prod(_UNKNOWN if size < 0 else size for size in shape)


def _slowness(elements: Sequence[str]) -> int:
    """How much longer elements of a type take than NumPy's own."""
    for element in elements:
        if element.startswith(("bfloat", "float8", "float6", "float4", "int4", "int2", "uint4")):
            return 8
        if element == "float16" or element.startswith("complex"):
            return 4
    return 1


# Ops that do more than a fixed amount for each element -------------------------------------------


def _of_product(
    attributes: dict[str, Any], operands: Sequence[Shape], results: Sequence[Shape], elements: Any
) -> float:
    depth = _size([operands[0][dim] for dim in attributes["lhs_contract"]])
    return _size(results[0]) * depth * (_PRODUCT if elements[0] in _BLAS else _SLOW_PRODUCT)


def _of_convolution(
    attributes: dict[str, Any], operands: Sequence[Shape], results: Sequence[Shape], elements: Any
) -> float:
    labelled = zip(attributes["rhs_dims"], operands[1], strict=True)
    within = [size for label, size in labelled if label not in attributes["ans_dims"]]
    window = [operands[1][attributes["rhs_dims"].index(w)] for w in attributes["windows"]]
    depth = _size([*within, *window])
    rate = _PRODUCT if elements[0] in _BLAS else _SLOW_PRODUCT
    gathered = _WINDOW * _size(operands[0]) * _size(window)
    return rate * _size(results[0]) * depth + gathered


def _of_windows(
    attributes: dict[str, Any], operands: Sequence[Shape], results: Sequence[Shape], elements: Any
) -> float:
    return _WINDOW * _size(results[0]) * _size(attributes["window"]) * _slowness(elements)


def _of_sort(
    attributes: dict[str, Any], operands: Sequence[Shape], results: Sequence[Shape], elements: Any
) -> float:
    size = _size(operands[0])
    return 8e-9 * len(operands) * size * math.log2(size + 2) * _slowness(elements)


def _of_transform(
    attributes: dict[str, Any], operands: Sequence[Shape], results: Sequence[Shape], elements: Any
) -> float:
    size = max(_size(operands[0]), _size(results[0]))
    return 3e-9 * size * math.log2(size + 2)


def _of_recurrence(
    attributes: dict[str, Any], operands: Sequence[Shape], results: Sequence[Shape], elements: Any
) -> float:
    length = operands[0][attributes["dimension"]]
    return 3 * _PASS * _size((length,)) + 3 * _MOVE * _size(operands[0])


def _of_matrices(shape: Shape) -> float:
    *batch, m, n = shape
    return _size(batch) * (_MATRIX + _LAPACK * _size((m, n, min(m, n))))


_Formula = Callable[[dict[str, Any], Sequence[Shape], Sequence[Shape], Any], float]
_FORMULAS: dict[str, _Formula] = {
    "dot_general": _of_product,
    "conv": _of_convolution,
    **dict.fromkeys(("reduce_window_sum", "reduce_window_max", "reduce_window_min"), _of_windows),
    **dict.fromkeys(("window_argmax", "window_argmin", "window_take", "window_put"), _of_windows),
    "sort": _of_sort,
    **dict.fromkeys(("fft", "rfft", "irfft"), _of_transform),
    "linear_recurrence": _of_recurrence,
}


# Loops and branches ------------------------------------------------------------------------------


def _of_scan(attributes: dict[str, Any], operands: Sequence[Shape]) -> Cost:
    carries, xs, consts, _ = attributes["operandSegmentSizes"]
    rows = [shape[1:] for shape in operands[carries : carries + xs]]
    inner = (*operands[:carries], *rows, *operands[carries + xs : carries + xs + consts])
    body = cost_of(attributes["regions"][0], inner).plus(Cost(_PASS))
    length = attributes["length"]
    if length < 0 and xs:
        length = operands[carries][0]
    return body._replace(is_bounded=False) if length < 0 else Cost(_CALL).plus(body, length)


def _of_while(attributes: dict[str, Any], operands: Sequence[Shape]) -> Cost:
    total = Cost(_PASS, is_bounded=False)
    for region in attributes["regions"]:
        total = total.plus(cost_of(region, operands))
    return total


def _of_case(attributes: dict[str, Any], operands: Sequence[Shape]) -> Cost:
    branches = [cost_of(region, operands[1:]) for region in attributes["regions"]]
    return Cost(
        _CALL + max(branch.seconds for branch in branches),
        all(branch.is_bounded for branch in branches),
        any(branch.has_effects for branch in branches),
    )


_REGIONS: dict[str, Callable[[dict[str, Any], Sequence[Shape]], Cost]] = {
    "scan": _of_scan,
    "while": _of_while,
    "case": _of_case,
}
