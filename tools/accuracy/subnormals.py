"""Treatment of subnormal numbers: the functions that read and return them unchanged."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mpmath
import numpy as np
from complex_functions import TYPES
from formats import FORMATS, LIMIT, Array, Format, ulp_errors
from functions import FUNCTIONS, Function
from measuring import compiled, references
from samples import BLOCK, blocks, specials, subnormals

from dovetail import ops
from tests.python.support.complex_exact import BINARY, allowance, exact_value, on_cut

# In addition to the functions of the table.
ARITHMETIC: dict[str, tuple[Callable[..., Any], Function]] = {
    "neg": (ops.neg, Function(np.negative, None)),
    "add": (ops.add, Function(np.add, None, arity=2)),
    "sub": (ops.sub, Function(np.subtract, None, arity=2)),
    "mul": (ops.mul, Function(np.multiply, None, arity=2)),
    "div": (ops.div, Function(np.divide, None, arity=2)),
    "integer_pow": (lambda x: ops.integer_pow(x, -1), Function(np.reciprocal, None)),
    "compare": (lambda x, y: ops.compare(x, y, "lt"), Function(np.less, None, arity=2)),
    "convert": (lambda x: ops.convert(x, np.dtype(np.float64)), Function(lambda x: x, None)),
}
# Samples of this size are searched for subnormal results.
_ORDINARY = 2**18


def verdict(name: str, element: str, target: str) -> str:
    """Compiles a function and judges it, by subnormal arguments and subnormal results.

    Args:
      name: the function's name, from the table or `ARITHMETIC`.
      element: the format's name.
      target: the target to compile for.

    Returns:
      "kept"; "zero" if zeros replace subnormal arguments, results, or both; or "wrong".
    """
    form = FORMATS[element]
    op, function = ARITHMETIC.get(name) or (getattr(ops, name), FUNCTIONS[name])
    call = compiled(op, form.dtype, function.arity, target)
    judged = "kept"
    for arguments in _arguments(name, element, function, form):
        got, reference = call(*arguments), references(function, arguments, form)
        flushed = references(function, [form.flushed(x) for x in arguments], form)
        small = np.any([form.is_subnormal(x) for x in arguments], axis=0)
        small |= form.is_subnormal(reference)
        if not _agree(got, reference, form)[small].all():
            judged = "zero"
            values = (reference, form.flushed(reference), flushed, form.flushed(flushed))
            if not np.any([_agree(got, x, form) for x in values], axis=0)[small].all():
                return "wrong"
    return judged


def _agree(got: Array, reference: Array, form: Format) -> Array:
    return ulp_errors(got, reference, form) <= LIMIT


def _arguments(
    name: str, element: str, function: Function, form: Format
) -> Iterator[Sequence[Array]]:
    """Subnormal arguments, in pairs with special and ordinary ones, and the usual sample."""
    rng = np.random.default_rng(zlib.crc32(f"{name}:{element}".encode()))
    small = subnormals(form, BLOCK // 4, rng)
    if function.arity == 1:
        yield [small]
    else:
        ordinary = np.concatenate([specials(form), rng.uniform(-4, 4, 64).astype(form.dtype)])
        for other in (np.resize(ordinary, small.size), rng.permutation(small)):
            yield [small, other]
            yield [other, small]
    # Arithmetic has no sample of its own.
    like = name if name in FUNCTIONS else {1: "sqrt", 2: "atan2"}[function.arity]
    yield from blocks(like, element, form, _ORDINARY)


def complex_verdict(name: str, element: str, target: str) -> str:
    """Whether a complex function keeps subnormal parts, in norm: "kept" or "zero"."""
    dtype = TYPES[element]
    limits = np.finfo(dtype)
    form = FORMATS["f32" if element == "complex64" else "f64"]
    rng = np.random.default_rng(0)
    parts = np.concatenate([subnormals(form, 48, rng), np.zeros(16, form.dtype)])
    x = (parts + 1j * rng.permutation(parts)).astype(dtype)
    y = np.resize(np.array([0.5, 1 + 1j, -2, 3j], dtype), x.size)
    arity = 2 if name in BINARY else 1
    got = compiled(getattr(ops, name), np.dtype(dtype), arity, target, x.size)(*(x, y)[:arity])
    for *pair, result in zip(x.tolist(), y.tolist(), got, strict=True):
        operands = tuple(pair[:arity])
        exact = exact_value(name, *operands) if operands[0] else None
        if exact is None or on_cut(name, operands[0]) or abs(exact) > 0.5 * float(limits.max):
            continue
        unit = max(abs(exact) * float(limits.eps), float(limits.smallest_subnormal))
        error = abs(mpmath.mpc(complex(result)) - exact) / unit / allowance(name, operands)
        if not error <= LIMIT:
            return "zero"
    return "kept"
