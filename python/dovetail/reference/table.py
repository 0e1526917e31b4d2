"""The table of ops, by mnemonic."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.reference import (
    arithmetic,
    callbacks,
    collectives,
    contractions,
    control,
    conversions,
    elementary,
    fourier,
    indexing,
    integers,
    linalg,
    random,
    reductions,
    running,
    shapes,
    sorting,
    special,
    windows,
)

# One array, or several results.
Function = Callable[..., Any]

RAW: dict[str, Function] = {
    "exp": elementary.exp,
    "exp2": elementary.exp2,
    "expm1": elementary.expm1,
    "log": elementary.log,
    "log1p": elementary.log1p,
    "sqrt": elementary.sqrt,
    "rsqrt": elementary.rsqrt,
    "cbrt": elementary.cbrt,
    "sin": elementary.sin,
    "cos": elementary.cos,
    "tan": elementary.tan,
    "asin": elementary.asin,
    "acos": elementary.acos,
    "atan": elementary.atan,
    "sinh": elementary.sinh,
    "cosh": elementary.cosh,
    "tanh": elementary.tanh,
    "asinh": elementary.asinh,
    "acosh": elementary.acosh,
    "atanh": elementary.atanh,
    "logistic": elementary.logistic,
    "erf": elementary.erf,
    "erfc": elementary.erfc,
    "pow": elementary.pow,
    "atan2": elementary.atan2,
    "hypot": elementary.hypot,
    "logaddexp": elementary.logaddexp,
    "logaddexp2": elementary.logaddexp2,
    "integer_pow": elementary.integer_pow,
    "lgamma": special.lgamma,
    "digamma": special.digamma,
    "erf_inv": special.erf_inv,
    "bessel_i0e": special.bessel_i0e,
    "bessel_i1e": special.bessel_i1e,
    "polygamma": special.polygamma,
    "zeta": special.zeta,
    "igamma": special.igamma,
    "igammac": special.igammac,
    "random_gamma_grad": special.random_gamma_grad,
    "betainc": special.betainc,
    "abs": arithmetic.abs,
    "sign": arithmetic.sign,
    "neg": arithmetic.neg,
    "add": arithmetic.add,
    "sub": arithmetic.sub,
    "mul": arithmetic.mul,
    "div": arithmetic.div,
    "rem": arithmetic.rem,
    "floor_div": arithmetic.floor_div,
    "floor_rem": arithmetic.floor_rem,
    "max": arithmetic.max,
    "min": arithmetic.min,
    "clamp": arithmetic.clamp,
    "reduce_precision": arithmetic.reduce_precision,
    "nextafter": arithmetic.nextafter,
    "copysign": arithmetic.copysign,
    "heaviside": arithmetic.heaviside,
    "exponent": arithmetic.exponent,
    "ldexp": arithmetic.ldexp,
    "floor": arithmetic.floor,
    "ceil": arithmetic.ceil,
    "trunc": arithmetic.trunc,
    "fraction": arithmetic.fraction,
    "round_even": arithmetic.round_even,
    "round_away": arithmetic.round_away,
    "real": arithmetic.real,
    "imag": arithmetic.imag,
    "conj": arithmetic.conj,
    "complex": arithmetic.complex,
    "is_finite": arithmetic.is_finite,
    "compare": arithmetic.compare,
    "select": arithmetic.select,
    "stop_gradient": arithmetic.stop_gradient,
    "not": integers.invert,
    "and": integers.bitwise_and,
    "or": integers.bitwise_or,
    "xor": integers.bitwise_xor,
    "shift_left": integers.shift_left,
    "shift_right_arithmetic": integers.shift_right_arithmetic,
    "shift_right_logical": integers.shift_right_logical,
    "population_count": integers.population_count,
    "count_leading_zeros": integers.count_leading_zeros,
    "convert": conversions.convert,
    "bitcast": conversions.bitcast,
    "constant": shapes.constant,
    "iota": shapes.iota,
    "dim": shapes.dim,
    "reshape": shapes.reshape,
    "broadcast": shapes.broadcast,
    "slice": shapes.slice,
    "pad": shapes.pad,
    "transpose": shapes.transpose,
    "reverse": shapes.reverse,
    "concatenate": shapes.concatenate,
    "optimization_barrier": shapes.optimization_barrier,
    "name": shapes.name,
    "gather": indexing.gather,
    "scatter": indexing.scatter,
    "scatter_add": indexing.scatter_add,
    "scatter_mul": indexing.scatter_mul,
    "scatter_min": indexing.scatter_min,
    "scatter_max": indexing.scatter_max,
    "reduce_sum": reductions.reduce_sum,
    "reduce_prod": reductions.reduce_prod,
    "reduce_max": reductions.reduce_max,
    "reduce_min": reductions.reduce_min,
    "reduce_and": reductions.reduce_and,
    "reduce_or": reductions.reduce_or,
    "reduce_xor": reductions.reduce_xor,
    "cumsum": running.cumsum,
    "cumprod": running.cumprod,
    "cummax": running.cummax,
    "cummin": running.cummin,
    "cumlogsumexp": running.cumlogsumexp,
    "linear_recurrence": running.linear_recurrence,
    "sort": sorting.sort,
    "threefry2x32": random.threefry2x32,
    "argmax": reductions.argmax,
    "argmin": reductions.argmin,
    "dot_general": contractions.dot_general,
    "cholesky": linalg.cholesky,
    "lu": linalg.lu,
    "lu_solve": linalg.lu_solve,
    "det": linalg.det,
    "geqrf": linalg.geqrf,
    "qr": linalg.qr,
    "eigh": linalg.eigh,
    "svd": linalg.svd,
    "eig": linalg.eig,
    "schur": linalg.schur,
    "hessenberg": linalg.hessenberg,
    "tridiagonal": linalg.tridiagonal,
    "triangular_solve": linalg.triangular_solve,
    "tridiagonal_solve": linalg.tridiagonal_solve,
    "conv": windows.conv,
    "fft": fourier.fft,
    "rfft": fourier.rfft,
    "irfft": fourier.irfft,
    "reduce_window_sum": windows.reduce_window_sum,
    "reduce_window_max": windows.reduce_window_max,
    "reduce_window_min": windows.reduce_window_min,
    "window_argmax": windows.window_argmax,
    "window_argmin": windows.window_argmin,
    "window_take": windows.window_take,
    "window_put": windows.window_put,
    "scan": control.scan,
    "while": control.while_loop,
    "case": control.case,
    "index": control.index,
    "from_index": shapes.from_index,
    "assume": shapes.assume,
    "with_sizes": shapes.with_sizes,
    "callback": callbacks.callback,
    **dict.fromkeys(
        ("all_reduce_sum", "all_reduce_max", "all_reduce_min", "all_gather", "reduce_scatter"),
        collectives.unbound,
    ),
    **dict.fromkeys(("all_to_all", "permute", "axis_index"), collectives.unbound),
    # Arithmetic on sizes of dynamic shapes.
    "arith.constant": shapes.constant,
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.divui": np.floor_divide,
    "arith.floordivsi": np.floor_divide,
}

# NumPy keeps its floating-point warnings in a context variable. Running in a copy of this context
# costs a tenth of np.errstate.
_quiet = contextvars.Context()
_quiet.run(np.seterr, all="ignore")
# That variable, and its value without warnings.
(quiet_state,) = _quiet.items()


def quietly(function: Callable[..., Any], *args: Any, **attributes: Any) -> Any:
    """A call that does not warn of overflow, division by zero or NaN."""
    return _quiet.copy().run(function, *args, **attributes)


def _guarded(function: Function) -> Function:
    """The function without warnings, and with 0-dimensional arrays where NumPy gives scalars."""

    def call(*operands: np.ndarray, **attributes: Any) -> Any:
        result = _quiet.copy().run(function, *operands, **attributes)
        return result if type(result) in (np.ndarray, tuple) else np.asarray(result)

    return call


# Functions that stretch operands of rank 0 over the others, as NumPy does.
STRETCHING = frozenset(
    RAW[name]
    for name in (
        *("add", "sub", "mul", "div", "rem", "pow", "atan2", "max", "min", "compare", "select"),
        *("and", "or", "xor", "floor_div", "floor_rem", "hypot", "logaddexp", "logaddexp2"),
        *("copysign", "heaviside", "ldexp"),
    )
)

# What only moves elements neither warns nor makes scalars.
_MOVES = frozenset(vars(shapes).keys() & RAW.keys()) | {
    "stop_gradient",
    "sort",
    "threefry2x32",
}

FUNCTIONS: dict[str, Function] = {
    name: function if name in _MOVES else _guarded(function) for name, function in RAW.items()
}
