"""Calls of Python functions from within programs."""

from __future__ import annotations

import functools
import re
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ArrayMethods, ShapedArray
from dovetail.base import dtypes, errors, locations
from dovetail.base.errors import ConcretizationTypeError, type_error, value_error
from dovetail.base.locations import here
from dovetail.base.mlir_types import dtype_name
from dovetail.base.trace_stack import current, outside_of_traces, refuse_recording
from dovetail.placement.shardings import common_place
from dovetail.reference import callbacks
from dovetail.tracing.arguments import as_operand, name_of
from dovetail.tracing.bind import known_values
from dovetail.tracing.trace import Operand
from dovetail.trees.pytree import flatten, leaf_names, unflatten

# A quotation mark within a text of a module is escaped.
_CALL = re.compile(r'dovetail\.callback "([^"]*)"')

VMAP_METHODS = (
    *("sequential", "sequential_unrolled", "expand_dims", "broadcast_all"),
    "legacy_vectorized",
)


class Callback:
    """A function with the structure of one call's arguments.

    Args:
      function: the function to call.
      args, kwargs: the call's arguments.
      what: its name in messages.
      statics: whether leaves that are not arrays are passed to the function unchanged.

    Attributes:
      returns: whether its result is used.
    """

    returns = True

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        what: str,
        statics: bool = False,
    ) -> None:
        if not callable(function):
            raise type_error(f"{what} must get a function, got: {function!r}")
        self.function = function
        self.name = name_of(function)
        self.what = f"{what} of `{self.name}`"
        self.location = locations.location()
        leaves, self.spec = flatten((args, kwargs))
        # The function's arguments; None represents an operand.
        self.leaves: list[Any] = [None] * len(leaves)
        self.positions: list[int] = []
        operands: list[Operand] = []
        names = leaf_names((args, kwargs), "arguments")
        for i, (leaf, name) in enumerate(zip(leaves, names, strict=True)):
            if statics and not _is_array(leaf):
                self.leaves[i] = leaf
            else:
                self.positions.append(i)
                operands.append(as_operand(leaf, f"`{name}` of the {self.what}"))

        self._operands: list[Operand] | None = operands

    def take_operands(self) -> list[Operand]:
        """The arguments' arrays and tracers, which do not outlive the trace."""
        operands, self._operands = self._operands, None
        assert operands is not None
        return operands

    def __call__(
        self, arrays: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]], types: Sequence[Any]
    ) -> tuple[np.ndarray, ...]:
        """Call the function; its results as arrays of these shapes and element types."""
        leaves = list(self.leaves)
        for i, array in zip(self.positions, arrays, strict=True):
            leaves[i] = Array(array)
        with outside_of_traces():
            args, kwargs = unflatten(self.spec, leaves)
            try:
                result = self.function(*args, **kwargs)
            except TypeError as error:
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    # Raised by the function itself.
                    raise _quoted(error) from error.__cause__
                raise CallbackArgumentsError(
                    f"the {self.what}, {self.where()}, cannot take its arguments: {error}"
                ) from error
            except Exception as error:
                raise _quoted(error) from error.__cause__
            if not self.returns:
                return ()
            values = flatten(result)[0]
            if len(values) != len(shapes):
                raise _refused(
                    f"the {self.what}, {self.where()}, must return as many arrays as "
                    f"result_shape_dtypes has, {len(shapes)}, got: {len(values)}"
                )
            return tuple(
                self._checked(i, value, shape, dtypes.as_dtype(dtype))
                for i, (value, shape, dtype) in enumerate(zip(values, shapes, types, strict=True))
            )

    def where(self) -> str:
        """The place of the call in the program."""
        return f"called at {locations.describe(self.location)}"

    def _checked(self, i: int, value: Any, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """A result as a separate array."""
        # A Python number has no width.
        is_number = isinstance(value, (bool, int, float, complex)) and not isinstance(
            value, np.generic
        )
        if is_number and np.can_cast(type(value), dtype, "same_kind"):
            array = np.array(value, dtype)
        else:
            array = np.array(value)
            if array.dtype != object:
                array = array.astype(dtypes.canonicalize_dtype(array.dtype), copy=False)
        fits = len(shape) == array.ndim and all(
            size in (-1, got) for size, got in zip(shape, array.shape, strict=True)
        )
        if not fits or array.dtype != dtype:
            wrong = "dtype" if fits else "shape"
            raise _refused(
                f"Incorrect output {wrong} for return value #{i}: result {i} of the {self.what}, "
                f"{self.where()}, must be what result_shape_dtypes "
                f"says, {ShapedArray(shape, dtype)}, got: {array.dtype}{list(array.shape)}; return "
                "an array of that shape and dtype, or say another"
            )
        return array


class CallbackArgumentsError(TypeError, errors.JaxRuntimeError):
    """A callback rejected its arguments when the program ran."""


class CallbackResultError(ValueError, errors.JaxRuntimeError):
    """A callback's result did not match its declaration when the program ran."""


def _refused(message: str) -> CallbackResultError:
    return CallbackResultError(f"{message}, {here()}")


class _Quoting(Exception):
    """An error of a callback: its text is what Python prints of the error that was raised."""

    quoted: str

    def __str__(self) -> str:
        return self.quoted


@functools.cache
def _quoting(kind: type[Exception]) -> type[_Quoting]:
    """The class of errors that are of this class, and of JAX's for programs that run, too."""
    of_jax = errors.JaxRuntimeError
    # Of two classes one of which is of the other, the former says both.
    own: tuple[type, ...] = () if issubclass(of_jax, kind) else (kind,)
    rest: tuple[type, ...] = () if issubclass(kind, of_jax) and own else (of_jax,)
    bases = (_Quoting, *own, *rest)
    return type("JaxRuntimeError", bases, {})


def _quoted(error: Exception) -> Exception:
    """What to raise for an error of a callback: libraries ask for JAX's class, and for the name of
    the error's in the text; programs for the error's class.
    """
    if isinstance(error, _Quoting):
        return error
    try:
        kind = _quoting(type(error))
        made = kind.__new__(kind, *error.args)
    except TypeError:
        return error  # Its class has no subclasses, or is made of other arguments.
    made.args = error.args
    made.__dict__.update(error.__dict__)
    made.quoted = "".join(traceback.format_exception_only(error)).strip()
    return made.with_traceback(error.__traceback__)


class _Observer(Callback):
    """A callback that is called for its effects only."""

    returns = False


def calls_in(text: str) -> list[str]:
    """Descriptions of the callbacks in a module's text, for messages."""
    known = map(callbacks._known.get, dict.fromkeys(_CALL.findall(text)))
    return ["a function" if one is None else f"the {one.what}, {one.where()}" for one in known]


def _is_array(leaf: Any) -> bool:
    """True if a leaf is data, not a Python object only for the function."""
    if isinstance(leaf, (ArrayMethods, bool, int, float, complex, np.bool_, np.number)):
        return True
    return hasattr(leaf, "__array__") and getattr(leaf, "dtype", None) in dtypes.KINDS


class _Forbidden(threading.local):
    """Where callbacks that the program needs for its results must not be, on this thread."""

    def __init__(self) -> None:
        self.where = ""


_forbidden = _Forbidden()


@contextmanager
def forbidden_in(where: str) -> Iterator[None]:
    """Within the block, only callbacks for debugging may be called.

    Args:
      where: what must not contain others, for messages.
    """
    before, _forbidden.where = _forbidden.where, where
    try:
        yield
    finally:
        _forbidden.where = before


def _check_allowed(what: str) -> None:
    if _forbidden.where:
        raise NotImplementedError(
            f"{what} must not be called in {_forbidden.where}, got: a call {here()}; use "
            "debug.callback to look at values, or call it before or after"
        )


def _apply(
    called: Callback, avals: Sequence[ShapedArray], effect: str, ordered: bool, method: str | None
) -> list[Operand]:
    """The results of a call: in the trace in progress, or at once."""
    return called_on(called, called.take_operands(), avals, effect, ordered, method)


def called_on(
    called: Callback,
    operands: Sequence[Operand],
    avals: Sequence[ShapedArray],
    effect: str,
    ordered: bool,
    method: str | None,
) -> list[Operand]:
    """The results of a call: in the trace in progress, or at once.

    Args:
      called: the function.
      operands: the arrays among its arguments.
      avals: the types of its results.
      effect: `none`, `io` or `debug`.
      ordered: whether the order of the calls matters.
      method: how `vmap` calls it.
    """
    shapes = [aval.shape for aval in avals]
    refuse_recording()
    in_progress = current()
    if in_progress is None:
        place = common_place(operands, called.name) if avals else None
        arrays = known_values(operands)
        results = called(arrays, shapes, [aval.dtype for aval in avals])
        return [Array(result, place=place) for result in results]
    attributes: dict[str, Any] = {
        "function": callbacks.register(called),
        "effect": effect,
        "ordered": ordered,
        "operandSegmentSizes": (len(operands), 0),
    }
    if method is not None:
        attributes["vmap_method"] = method
    # Each device that computes on parts of arrays makes the call.
    if axes := tuple(axis.text for axis in in_progress.axes.values() if axis.is_manual):
        attributes["mesh_axes"] = axes
    in_progress.module.keep(called)

    def evaluate(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        if effect != "none":
            raise ConcretizationTypeError(
                f"the value of the {called.what} is known only when the traced function runs, so "
                f"that it is called once, got: a use of the value {here()}; use lax.cond, "
                "lax.while_loop or dovetail.numpy.where instead of Python's control flow"
            )
        return called(arrays, shapes, [aval.dtype for aval in avals])

    types = [(aval.shape, dtype_name(aval.dtype)) for aval in avals]
    weak_types = [False] * len(types)
    return in_progress.emit(
        "callback", operands, attributes, types, weak_types, evaluate, {}, takes_sizes=True
    )


def _result_types(result_shape_dtypes: Any) -> tuple[list[ShapedArray], Any]:
    """The types of a call's results, and their structure."""
    leaves, spec = flatten(result_shape_dtypes)
    avals = []
    for leaf in leaves:
        if not (hasattr(leaf, "shape") and hasattr(leaf, "dtype")):
            raise type_error(
                "leaves of result_shape_dtypes must have a shape and a dtype, as a "
                f"ShapeDtypeStruct has, got: {leaf!r}"
            )
        dtype = dtypes.as_dtype(leaf.dtype)
        if dtypes.canonicalize_dtype(dtype) != dtype:
            raise value_error(
                "result_shape_dtypes cannot specify 64-bit types while enable_x64 is off, got: "
                f"{dtype}; turn it on, or say a type of 32 bits and return that"
            )
        avals.append(ShapedArray(tuple(leaf.shape), dtype))
    return avals, spec


def pure_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Any = None,
    vmap_method: str | None = None,
    **kwargs: Any,
) -> Any:
    """Call a Python function without side effects, also from compiled programs.

    The function may be called any number of times: not at all if nothing needs its results, or more
    often than written. It has no derivative; a rule of `custom_jvp` or `custom_vjp` gives one to a
    function that calls it. It may call jitted functions. An exception that it raises is raised by
    the call of the program.

    Args:
      callback: takes trees of arrays, and returns a tree of arrays.
      result_shape_dtypes: a tree of the types of the results, as `ShapeDtypeStruct`s or anything
        with `shape` and `dtype`.
      args, kwargs: the function's arguments.
      sharding: accepted for compatibility with JAX; the function runs on the host.
      vmap_method: how `vmap` calls the function: "sequential" and "sequential_unrolled" call it for
        one element of the batch after the other; "expand_dims" and "broadcast_all" call it once on
        arrays with a leading batch dimension, of size 1 or repeated in arguments without a batch;
        None is an error. "legacy_vectorized" leaves arguments without a batch unchanged.

    Returns:
      The results, in the structure of `result_shape_dtypes`.

    Raises:
      TypeError: `callback` is not a function or does not accept the arguments, or
        `result_shape_dtypes` is not a tree of types.
      ValueError: `vmap_method` is none of these, or a type needs `enable_x64`; when the program
        runs: the results do not match `result_shape_dtypes`.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> import numpy as np
      >>> @dt.jit
      ... def f(x):
      ...     y = dt.pure_callback(np.sin, dt.ShapeDtypeStruct(x.shape, x.dtype), x)
      ...     return 2 * y
      >>> f(dnp.zeros(2))
      Array([0., 0.], dtype=float32)
    """
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise value_error(
            f"vmap_method must be None or one of {', '.join(VMAP_METHODS)}, got: {vmap_method!r}"
        )
    _check_allowed("pure_callback")
    avals, spec = _result_types(result_shape_dtypes)
    called = Callback(callback, args, kwargs, "pure_callback")
    return unflatten(spec, _apply(called, avals, "none", False, vmap_method))


def io_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: Any = None,
    ordered: bool = False,
    **kwargs: Any,
) -> Any:
    """Call a Python function with side effects, exactly as often as the program does.

    It has no derivative, and `vmap` calls it for one element of the batch after the other. It may
    call jitted functions. An exception that it raises is raised by the call of the program.

    Args:
      callback: takes trees of arrays, and returns a tree of arrays.
      result_shape_dtypes: a tree of the types of the results, as `ShapeDtypeStruct`s or anything
        with `shape` and `dtype`; None if the function returns nothing.
      args, kwargs: the function's arguments.
      sharding: accepted for compatibility with JAX; the function runs on the host.
      ordered: whether the order of the calls matters. They are made in program order in any case;
        over a batch, which has no order, this is an error.

    Returns:
      The results, in the structure of `result_shape_dtypes`.

    Raises:
      TypeError: `callback` is not a function or does not accept the arguments, or
        `result_shape_dtypes` is not a tree of types.
      ValueError: a type needs `enable_x64`; when the program runs: the results do not match
        `result_shape_dtypes`.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import io_callback
      >>> seen = []
      >>> @dt.jit
      ... def f(x):
      ...     io_callback(lambda x: seen.append(float(x)), None, x)
      ...     return x + 1
      >>> float(f(1.0)), seen
      (2.0, [1.0])
    """
    _check_allowed("io_callback")
    avals, spec = _result_types(result_shape_dtypes)
    called = Callback(callback, args, kwargs, "io_callback")
    return unflatten(spec, _apply(called, avals, "io", ordered, "sequential"))


def observe(
    callback: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    ordered: bool,
    what: str,
) -> None:
    """Call a function for debugging, on which the program does not depend.

    Args:
      callback: the function.
      args, kwargs: its arguments; leaves that are not arrays are passed unchanged.
      ordered: whether the order of the calls matters.
      what: the name of the call in messages.
    """
    called = _Observer(callback, args, kwargs, what, statics=True)
    _apply(called, [], "debug", ordered, "sequential")
