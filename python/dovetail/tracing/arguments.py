"""Arguments of transforms: arrays or their descriptions, and their names in messages."""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.arrays.array import Array, ArrayMethods, ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import dtypes, errors
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.placement.transfer_guards import check
from dovetail.symbolic.size import Size
from dovetail.tracing.bind import size_as_array, zeros
from dovetail.tracing.references import Ref
from dovetail.tracing.trace import Operand
from dovetail.trees.float0 import is_float0, set_float0_aside
from dovetail.trees.pytree import flatten, leaf_names, unflatten

Function = Callable[..., Any]

_SCALARS = (bool, int, float, complex)


def is_arraylike(value: Any) -> bool:
    """True if `as_operand` accepts a value, regardless of its element type."""
    return isinstance(value, (ArrayMethods, *_SCALARS, np.ndarray, np.generic, Size)) or any(
        hasattr(value, name) for name in ("__array__", "__jax_array__")
    )


def as_operand(value: Any, what: object, copy: bool = True) -> Operand:
    """Convert a user's value to an array or tracer.

    Args:
      value: the value that was passed.
      what: its name in messages.
      copy: whether to copy a NumPy array, which the user may write to later.

    Returns:
      An array of the value's shape and canonical dtype; an array or tracer as it is.

    Raises:
      TypeError: it is not an array, number or tracer.

    Example:
      >>> as_operand(np.arange(3), "x")
      Array([0, 1, 2], dtype=int32)
    """
    if isinstance(value, ArrayMethods):
        return value
    if type(value) is Size:
        return size_as_array(value)
    if isinstance(value, (*_SCALARS, np.ndarray, np.generic)) or hasattr(value, "__array__"):
        if isinstance(value, np.ma.MaskedArray):
            raise errors.value_error(
                f"numpy masked arrays are not supported, got: one for {what}; fill it with "
                "x.filled(value), or pass x.data and x.mask"
            )
        try:
            dtype, weak = dtypes.dtype_and_weakness(value)
            array = Array((np.array if copy else np.asarray)(value, dtype), weak)
            check("host-to-device", array.aval)
            trace = current()
            if trace is not None and trace.literals is not None and not array.ndim:
                # Kept alive so that its id is not reused.
                trace.literals[id(array)] = array
            return array
        except OverflowError as error:
            raise OverflowError(
                f"An overflow was encountered while parsing an argument{_path(what)}: {what} must "
                f"fit the default integer type, got: {value!r}; turn on enable_x64, or write it as "
                "a float"
            ) from error
        except TypeError as error:
            raise TypeError(f"{_no_array(value, what)}: {error}") from None
    if type(value) is Ref:
        raise TypeError(f"{_no_array(value, what)} {here()}; read it first, ref[...]")
    hint = "return arrays and numbers only" if type(what) is ResultName else ""
    if type(what) is LeafName:
        hint = (
            "if it is no data, mark it static (static_argnums, static_argnames) or let the "
            "function close over it"
        )
    raise TypeError(f"{_no_array(value, what)} {here()}" + (f"; {hint}" if hint else ""))


def as_operand_or_ref(value: Any, what: object) -> Operand:
    """The same where a reference may be passed, which stays as it is."""
    return value if type(value) is Ref else as_operand(value, what)


def _path(what: object) -> str:
    return f" whose argument path is {what.path}" if type(what) is LeafName else ""


def _no_array(value: Any, what: object) -> str:
    """The message for a value that is not an array, with the argument it was passed for."""
    kind = type(value)
    if type(what) is LeafName:
        return (
            f"Error interpreting argument to `{what.function}` as an abstract array. The "
            f"problematic value is of type {kind} and was passed to the function at path "
            f"{what.path}. Argument {value!r} of type {kind} is not a valid JAX type"
        )
    if type(what) is ResultName:
        place = f" at output component {what.path}" if what.path else ""
        return (
            f"function {what.function} returned a value of type {kind}{place}, which is not a "
            f"valid JAX type, got: {value!r}"
        )
    return (
        f"{what} must be an array or a number, but {value!r} of type {kind} is not a valid JAX type"
    )


def name_of(function: Any) -> str:
    """The name of a function in messages."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) and name else type(function).__name__


def parameter_names(function: Any, count: int) -> list[str]:
    """Names of a function's first positional arguments."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{i}]" for i in range(count - len(names))]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return (names + [f"argument {i}" for i in range(len(names), count)])[:count]


def wraps(function: Any) -> Callable[[Any], Any]:
    """`functools.wraps`, but for objects that make up attributes: their names may be no strings."""
    kinds = {"__name__": str, "__qualname__": str, "__annotations__": dict}
    copied = [
        name
        for name in functools.WRAPPER_ASSIGNMENTS
        if isinstance(getattr(function, name, None), kinds.get(name, object))
    ]
    return functools.wraps(function, copied)


def described(function: Any, what: str) -> Callable[[Any], Any]:
    """A decorator that makes a function callable like another, whose documentation it extends.

    Args:
      function: the other one.
      what: a sentence about what is made of it.
    """
    made = wraps(function)

    def decorate(wrapper: Any) -> Any:
        wrapper = made(wrapper)
        doc = getattr(function, "__doc__", None)
        wrapper.__doc__ = what if not doc else f"{what}\n\nOriginal documentation:\n\n{doc}"
        return wrapper

    return decorate


class LeafNames(Sequence[str]):
    """Names of the leaves of arguments, for messages; computed on demand.

    Arrays without data do not count.

    Args:
      function: the function.
      args: its positional arguments, which are trees.
      kwargs: its keyword arguments.
      positions: the positional arguments that count, by default all.
    """

    def __init__(
        self,
        function: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any] | None = None,
        positions: Sequence[int] | None = None,
    ) -> None:
        self._parts = function, args, kwargs or {}, positions
        chosen = args if positions is None else [args[i] for i in positions]
        self._is_data = [not is_float0(leaf) for leaf in flatten((chosen, kwargs or {}))[0]]
        self._names: list[str] | None = None

    @property
    def function(self) -> Any:
        """The function."""
        return self._parts[0]

    def _made(self) -> list[str]:
        if self._names is None:
            function, args, kwargs, positions = self._parts
            roots = parameter_names(function, len(args))
            which = range(len(args)) if positions is None else positions
            self._names = [name for i in which for name in leaf_names(args[i], roots[i])]
            self._names += [n for key in sorted(kwargs) for n in leaf_names(kwargs[key], key)]
            self._names = list(itertools.compress(self._names, self._is_data))
        return self._names

    def __len__(self) -> int:
        return sum(self._is_data)

    def __getitem__(self, index: Any) -> Any:
        return self._made()[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made())

    def argument(self, position: int) -> str:
        """A leaf by how it is passed: `argument x`, or `kwargs['x']`."""
        kwargs = self._parts[2]
        by_key = [n for key in sorted(kwargs) for n in leaf_names(kwargs[key], f"kwargs[{key!r}]")]
        count = len(self._is_data) - len(by_key)
        names = [f"argument {name}" for name in self._made()]
        by_key = list(itertools.compress(by_key, self._is_data[count:]))
        return [*names[: len(names) - len(by_key)], *by_key][position]

    def drop(self, left_out: Container[int]) -> None:
        """Exclude some leaves, by their indices."""
        counted = itertools.count()
        self._is_data = [is_data and next(counted) not in left_out for is_data in self._is_data]

    def at(self, position: int) -> LeafName:
        """The name of one leaf, for a message that may not be needed."""
        return LeafName(self, position)


class LeafName(NamedTuple):
    """The name of one leaf, with its function's."""

    names: LeafNames
    position: int

    @property
    def path(self) -> str:
        """The path of the leaf within the arguments."""
        return self.names[self.position]

    @property
    def function(self) -> str:
        """The function's name."""
        return name_of(self.names.function)

    def __format__(self, spec: str) -> str:
        return f"`{self.path}` of `{self.function}`"

    __str__ = __repr__ = lambda self: format(self)


class ResultName(NamedTuple):
    """The name of one leaf of a result, for a message that may not be needed."""

    of: Any
    spec: Any
    position: int

    @property
    def path(self) -> str:
        """The path of the leaf within the result; empty for the whole."""
        if self.spec is None:
            return f"[{self.position}]"
        return leaf_names(unflatten(self.spec, range(self.spec.num_leaves)), "")[self.position]

    @property
    def function(self) -> str:
        """The function's name, and where it is defined."""
        code = getattr(self.of, "__code__", None)
        where = f" at {code.co_filename}:{code.co_firstlineno}" if code else ""
        return f"{name_of(self.of)}{where}"

    def __format__(self, spec: str) -> str:
        return f"result {self.position} of `{name_of(self.of)}`"

    __str__ = __repr__ = lambda self: format(self)


def results_of(function: Any, leaves: Sequence[Any], spec: Any = None) -> list[Operand]:
    """The leaves of a function's result, as operands; tracing rejects references.

    Args:
      function: the function.
      leaves: the leaves of its result.
      spec: their structure, by default that of a tuple.

    Raises:
      TypeError: a leaf is not an array, number or tracer.
    """
    in_progress = current()
    if in_progress is not None and in_progress.kind == "eval_shape":
        # A description is as good as the array.
        leaves = [zeros(x.aval) if type(x) is ShapeDtypeStruct else x for x in leaves]
    return [as_operand_or_ref(leaf, ResultName(function, spec, i)) for i, leaf in enumerate(leaves)]


class Selected(NamedTuple):
    """The leaves of some positional arguments, and how to call a function with others in their
    place.
    """

    leaves: list[Operand]
    names: LeafNames
    spec: Any
    call: Callable[[Sequence[Any]], Any]

    @property
    def avals(self) -> list[ShapedArray]:
        """The leaves' types."""
        return [leaf.aval for leaf in self.leaves]


def select(
    function: Function,
    argnums: Sequence[int],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    what: str = "argnums",
    refs: bool = False,
) -> Selected:
    """The leaves of the arguments in `argnums`; the other arguments stay unchanged.

    Args:
      function: the function.
      argnums: the numbers of the arguments.
      args, kwargs: all arguments.
      what: the name of the numbers in messages.
      refs: whether leaves may be references.

    Raises:
      MismatchError: there is no argument with that index.
    """
    count = len(args)
    positions = []
    for number in argnums:
        if not -count <= number < count:
            raise errors.MismatchError(
                f"differentiating with respect to {what}={number} requires at least "
                f"{number + 1 if number >= 0 else -number} positional arguments to be passed by "
                f"the caller, but got only {count} positional arguments. `{name_of(function)}` was "
                f"called {here()}"
            )
        positions.append(number % count)
    names = LeafNames(function, args, positions=positions)
    values, spec = set_float0_aside(*flatten(tuple(args[i] for i in positions)))
    as_leaf = as_operand_or_ref if refs else as_operand
    leaves = [as_leaf(value, names.at(i)) for i, value in enumerate(values)]

    def call(replaced: Sequence[Any]) -> Any:
        full = list(args)
        for i, value in zip(positions, unflatten(spec, replaced), strict=True):
            full[i] = value
        return function(*full, **kwargs)

    return Selected(leaves, names, spec, call)


def as_numbers(numbers: int | Sequence[int], what: str) -> tuple[int, ...]:
    """One or several ints as a tuple.

    Raises:
      TypeError: they are not ints.
    """
    try:
        if isinstance(numbers, (tuple, list)):
            return tuple(operator.index(number) for number in numbers)
        return (operator.index(numbers),)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{what} must be an int or a sequence of ints, got: {numbers!r}") from None


def block_until_ready(x: Any) -> Any:
    """Wait until all arrays of a tree are computed; returns the tree.

    Args:
      x: a tree of arrays; other leaves are ignored.

    Returns:
      The tree itself.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> dt.block_until_ready({"x": dnp.zeros(2)})
      {'x': Array([0., 0.], dtype=float32)}
    """
    for leaf in flatten(x)[0]:
        wait = getattr(leaf, "block_until_ready", None)
        if wait is not None:
            wait()
    return x
