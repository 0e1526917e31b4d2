"""Checks of derivatives against finite differences, for tests of functions and of their rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.tracing.arguments import as_operand
from dovetail.transforms.autodiff import jvp
from dovetail.transforms.linearization import vjp
from dovetail.trees.pytree import flatten, map_leaves, unflatten

Function = Callable[..., Any]
# An error bound, or those of some element types; None is the default.
Tolerance: TypeAlias = float | Mapping[Any, float] | None

# Step of a central difference and bound of the error, by bits of the coarsest float type involved.
# The step is about the cube root of the unit roundoff: there truncation and rounding balance.
_STEPS = {64: 6e-6, 32: 5e-3, 16: 1e-1, 8: 5e-1}
_TOLERANCES = {64: 1e-6, 32: 2e-2, 16: 2e-1, 8: 1.0}


def check_grads(
    f: Function,
    args: Sequence[Any],
    order: int,
    modes: str | Sequence[str] = ("fwd", "rev"),
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float | None = None,
) -> None:
    """Check that the derivatives of `f` agree with finite differences.

    Derivatives of a higher order are those of lower ones in a random direction, in all combinations
    of modes.

    Args:
      f: takes and returns pytrees of arrays.
      args: a tuple of its arguments.
      order: the highest order of derivatives to check.
      modes: `"fwd"` for `jvp`, `"rev"` for `vjp`, or both.
      atol: absolute error bound, or one for each element type, as in `{"float32": 1e-2}`; by
        default it depends on the element type.
      rtol: error bound relative to the derivative.
      eps: step of the central difference.

    Raises:
      AssertionError: a derivative differs from finite differences.

    Example:
      >>> import dovetail.numpy as dnp
      >>> check_grads(dnp.sin, (dnp.array([0.5, 2.0]),), order=2)
    """
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not modes or not set(modes) <= {"fwd", "rev"}:
        raise ValueError(f"modes must be 'fwd', 'rev' or both, got: {modes!r}")
    _check_orders(f, _arrays(args), order, modes, "", (atol, rtol, eps))


def _check_orders(
    f: Function,
    args: tuple[Any, ...],
    order: int,
    modes: tuple[str, ...],
    path: str,
    bounds: tuple[Tolerance, Tolerance, float | None],
) -> None:
    if order == 0:
        return
    if "fwd" in modes:
        label = f"{path}jvp"
        check_jvp(f, lambda x, t: jvp(f, x, t), args, *bounds, err_msg=label)
        tangents = _random_like(args, seed=order)
        _check_orders(
            lambda *x: _inexact(jvp(f, x, tangents)[1]),
            *(args, order - 1, modes, f"{label} of ", bounds),
        )
    if "rev" in modes:
        label = f"{path}vjp"
        check_vjp(f, lambda *x: vjp(f, *x), args, *bounds, err_msg=label)
        cotangents = _random_like(f(*args), seed=order)
        _check_orders(
            lambda *x: _inexact(vjp(f, *x)[1](cotangents)),
            *(args, order - 1, modes, f"{label} of ", bounds),
        )


def check_jvp(
    f: Function,
    f_jvp: Function,
    args: Sequence[Any],
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float | None = None,
    err_msg: str = "",
) -> None:
    """Check that `f_jvp(args, tangents)` returns the value of `f` and its derivative in a
    direction.

    Args:
      f: takes and returns pytrees of arrays.
      f_jvp: takes a tuple of arguments and one of tangents, of the same shapes and dtypes; returns
        (value, tangent).
      args: a tuple of its arguments, arrays of any shapes.
      atol: absolute error bound, or one for each element type, as in `{"float32": 1e-2}`; by
        default it depends on the element type.
      rtol: error bound relative to the derivative.
      eps: step of the central difference.
      err_msg: a prefix for the error message.

    Raises:
      AssertionError: it does not.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> check_jvp(dnp.sin, lambda x, t: dt.jvp(dnp.sin, x, t), (dnp.array(0.5),))
    """
    args = _arrays(args)
    tangents = _random_like(args)
    value, tangent = f_jvp(args, tangents)
    numeric = _numeric_jvp(f, args, tangents, eps)
    bounds = _bounds(flatten((args, value))[0], atol, rtol)
    _assert_close(value, f(*args), bounds, f"{err_msg}: value")
    _assert_close(_inexact(tangent), numeric, bounds, f"{err_msg}: tangent")


def check_vjp(
    f: Function,
    f_vjp: Function,
    args: Sequence[Any],
    atol: Tolerance = None,
    rtol: Tolerance = None,
    eps: float | None = None,
    err_msg: str = "",
) -> None:
    """Check that `f_vjp(*args)` returns `f`'s value and the transpose of its derivative.

    For random cotangents c and a random direction t it compares the real parts of the sums of
    c J t, with J t from finite differences, and of (transpose of J) c times t.

    Args:
      f: takes and returns pytrees of arrays.
      f_vjp: takes the arguments; returns (value, function from cotangents of the value to a tuple
        of those of the arguments).
      args: a tuple of its arguments, arrays of any shapes.
      atol: absolute error bound, or one for each element type, as in `{"float32": 1e-2}`; by
        default it depends on the element type.
      rtol: error bound relative to the derivative.
      eps: step of the central difference.
      err_msg: a prefix for the error message.

    Raises:
      AssertionError: it does not.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> check_vjp(dnp.sin, lambda x: dt.vjp(dnp.sin, x), (dnp.array(0.5),))
    """
    args = _arrays(args)
    tangents = _random_like(args)
    value, pullback = f_vjp(*args)
    cotangents = _random_like(value, seed=1)
    pulled = pullback(cotangents)
    for leaf, cotangent in zip(flatten(args)[0], flatten(pulled)[0], strict=True):
        assert np.shape(cotangent) == np.shape(leaf), (
            f"{err_msg}: a cotangent must have its argument's shape {np.shape(leaf)}, "
            f"got: {np.shape(cotangent)}"
        )
    numeric = _numeric_jvp(f, args, tangents, eps)
    bounds = _bounds(flatten((args, value))[0], atol, rtol)
    _assert_close(value, f(*args), bounds, f"{err_msg}: value")
    expected = _pairing(_inexact(cotangents), numeric)
    actual = _pairing(_inexact(pulled), _inexact(tangents))
    _assert_close(actual, expected, bounds, f"{err_msg}: cotangents paired with a direction")


def _arrays(args: Sequence[Any]) -> tuple[Any, ...]:
    return map_leaves(lambda leaf: as_operand(leaf, "an argument"), tuple(args))


def _is_inexact(leaf: Any) -> bool:
    dtype = dtypes.dtype(leaf) if not hasattr(leaf, "dtype") else leaf.dtype
    return dtype != dtypes.float0 and dtypes.is_inexact(dtype)


def _inexact(tree: Any) -> list[Any]:
    """The leaves that have derivatives."""
    return [leaf for leaf in flatten(tree)[0] if _is_inexact(leaf)]


def _wide(leaf: Any) -> np.ndarray:
    value = np.asarray(leaf)
    return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _random_like(tree: Any, seed: int = 0) -> Any:
    """Random tangents of a tree's leaves; those of integers are of type float0."""
    # Not the stream of `default_rng(seed)`, from which arguments may be: in the direction of the
    # arguments themselves, a wrong derivative of a homogeneous function may look right.
    rng = np.random.default_rng((seed, 1))

    def sample(leaf: Any) -> np.ndarray:
        shape = np.shape(leaf)
        if not _is_inexact(leaf):
            return np.zeros(shape, dtypes.float0)
        dtype = dtypes.dtype(leaf)
        value = np.asarray(rng.uniform(-1, 1, shape))
        if dtype.kind == "c":
            value = value + 1j * rng.uniform(-1, 1, shape)
        return np.asarray(value).astype(dtype)

    return map_leaves(sample, tree)


def _bits(leaves: Sequence[Any]) -> int:
    """The width of the coarsest float type among the leaves."""
    types = [dtypes.to_real_dtype(dtypes.dtype(leaf)) for leaf in leaves if _is_inexact(leaf)]
    return min((8 * dtype.itemsize for dtype in types), default=64)


def _bound(given: Tolerance, kinds: Iterable[np.dtype], default: float) -> float:
    """The largest error bound that is given for any of the types; `default` if there is none."""
    if given is None:
        return default
    if not isinstance(given, Mapping):
        return given
    of_types = {np.dtype(key): value for key, value in given.items()}
    return max((of_types[kind] for kind in kinds if kind in of_types), default=default)


def _bounds(leaves: Sequence[Any], atol: Tolerance, rtol: Tolerance) -> tuple[float, float]:
    default = _TOLERANCES[_bits(leaves)]
    kinds = [dtypes.dtype(leaf) for leaf in leaves if _is_inexact(leaf)]
    return _bound(atol, kinds, default), _bound(rtol, kinds, default)


def _numeric_jvp(
    f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...], eps: float | None
) -> list[np.ndarray]:
    """Central differences of the results that have derivatives."""
    leaves, spec = flatten(args)
    directions = flatten(tangents)[0]

    def moved(step: float) -> Iterator[Any]:
        for leaf, direction in zip(leaves, directions, strict=True):
            if _is_inexact(leaf):
                yield Array((_wide(leaf) + step * _wide(direction)).astype(leaf.dtype))
            else:
                yield leaf

    step = _STEPS[_bits(leaves)] if eps is None else eps
    above, below = (
        [_wide(y) for y in _inexact(f(*unflatten(spec, list(moved(h)))))] for h in (step, -step)
    )
    return [(a - b) / (2 * step) for a, b in zip(above, below, strict=True)]


def _pairing(cotangents: Sequence[Any], tangents: Sequence[Any]) -> list[np.ndarray]:
    """The real part of the sum of products: no factor is conjugated."""
    pairs = zip(cotangents, tangents, strict=True)
    return [np.asarray(sum(float(np.sum(_wide(c) * _wide(t)).real) for c, t in pairs))]


def _assert_close(actual: Any, expected: Any, bounds: tuple[float, float], what: str) -> None:
    atol, rtol = bounds
    for a, b in zip(flatten(actual)[0], flatten(expected)[0], strict=True):
        if np.asarray(a).dtype == dtypes.float0:
            continue
        np.testing.assert_allclose(_wide(a), _wide(b), rtol=rtol, atol=atol, err_msg=what)
