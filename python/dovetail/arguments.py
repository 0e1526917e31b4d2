"""What transforms are given: arrays or their descriptions, and how messages name them."""

from __future__ import annotations

import inspect
import itertools
import math
import operator
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import dtypes, errors, ir
from dovetail.array import Array, ArrayMethods, ShapedArray
from dovetail.placement import Place, Sharding, place_on
from dovetail.platforms import device_meant
from dovetail.pytree import flatten, leaf_names, register_node, unflatten
from dovetail.symbolic.size import Size, as_size
from dovetail.tracer import Operand, size_as_array
from dovetail.transfer_guards import check

Function = Callable[..., Any]

_SCALARS = (bool, int, float, complex)


class ShapeDtypeStruct:
    """The shape and element type of an array that need not exist.

    Args:
      shape: the sizes of the dimensions, ints or sizes of `dovetail.export.symbolic_shape`.
      dtype: the element type.
      weak_type: whether the element type gives way in promotion.
      sharding: how the array is spread over devices, which it is committed to; None if it is to no
        device.

    Raises:
      ValueError: there is no `dtype`, or `sharding` is none.

    Example:
      >>> import dovetail as dt
      >>> dt.ShapeDtypeStruct((2, 3), "float32")
      ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("dtype", "shape", "sharding", "weak_type")

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        sharding: Sharding | None = None,
        weak_type: bool = False,
    ) -> None:
        if dtype is None:
            raise ValueError("dtype of a ShapeDtypeStruct must be given, got: None")
        self.shape = tuple(as_size(size) for size in shape)
        self.dtype = dtypes.canonicalize_dtype(dtype)
        self.weak_type = weak_type
        if sharding is not None and not isinstance(sharding, Sharding):
            raise ValueError(
                "sharding of a ShapeDtypeStruct must be a dovetail.sharding.Sharding or None, got: "
                f"{sharding!r}; SingleDeviceSharding(device) is that of one device"
            )
        self.sharding = sharding

    @property
    def _place(self) -> Place | None:
        if self.sharding is None:
            return None
        return place_on(device_meant(self.sharding), True)

    @property
    def aval(self) -> ShapedArray:
        """The same as the type of a value."""
        return ShapedArray(self.shape, self.dtype, self.weak_type)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @classmethod
    def like(cls, x: Any, *, sharding: Sharding | None = None) -> ShapeDtypeStruct:
        """The description of an array, a number or anything with a shape and a dtype.

        Args:
          x: what is described.
          sharding: how the array is to be spread; by default as `x`, if that is committed.

        Example:
          >>> import dovetail as dt
          >>> dt.ShapeDtypeStruct.like(1.0)
          ShapeDtypeStruct(shape=(), dtype=float32, weak_type=True)
        """
        if sharding is None and getattr(x, "committed", isinstance(x, ShapeDtypeStruct)):
            sharding = x.sharding
        if hasattr(x, "shape") and hasattr(x, "dtype"):
            weak = getattr(x, "weak_type", False)
            return cls(x.shape, x.dtype, sharding=sharding, weak_type=weak)
        dtype, weak = dtypes.dtype_and_weakness(x)
        return cls(np.shape(x), dtype, sharding=sharding, weak_type=weak)

    def update(self, **changes: Any) -> ShapeDtypeStruct:
        """A copy with other `shape`, `dtype`, `sharding` or `weak_type`."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return ShapeDtypeStruct(**{**fields, **changes})

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() needs a rank of 1 or more, got: rank 0")
        return self.shape[0]

    def __repr__(self) -> str:
        rest = "" if self.sharding is None else f", sharding={self.sharding!r}"
        rest += ", weak_type=True" if self.weak_type else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name}{rest})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeDtypeStruct):
            return False
        return self.aval == other.aval and self.sharding == other.sharding

    def __hash__(self) -> int:
        return hash((self.aval, self.sharding))


def is_arraylike(value: Any) -> bool:
    """Whether `as_operand` makes an array of a value, or would but for its element type."""
    return isinstance(value, (ArrayMethods, *_SCALARS, np.ndarray, np.generic, Size)) or any(
        hasattr(value, name) for name in ("__array__", "__jax_array__")
    )


def as_operand(value: Any, what: object, copy: bool = True) -> Operand:
    """An array or tracer of what a user passed.

    Args:
      value: what was passed.
      what: what messages call it.
      copy: whether a NumPy array, which the user may write to later, is copied.

    Returns:
      An array of the value's shape and canonical dtype; an array or tracer as it is.

    Raises:
      TypeError: it is none of array, number or tracer.

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
                f"{what} must not be masked, got: a numpy.ma.MaskedArray; fill it with "
                "x.filled(value), or pass x.data and x.mask"
            )
        try:
            dtype, weak = dtypes.dtype_and_weakness(value)
            array = Array((np.array if copy else np.asarray)(value, dtype), weak)
            check("host-to-device", array.aval)
            return array
        except OverflowError as error:
            raise OverflowError(
                f"{what} must fit the default integer type, got: {value!r}"
            ) from error
        except TypeError as error:
            raise TypeError(f"{what} must be an array or a number: {error}") from None
    raise TypeError(
        f"{what} must be an array or a number, got: {value!r} of type {type(value).__name__} "
        f"{ir.here()}; if it is no data, mark it static (static_argnums, static_argnames) or let "
        "the function close over it"
    )


class _Float0:
    """Stands for an array without data in a tree: a node without leaves that unflattens to it."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


register_node(
    _Float0, lambda node: ((), node.shape), lambda shape, _: np.zeros(shape, dtypes.float0)
)


def is_float0(leaf: Any) -> bool:
    """Whether a leaf is an array without data, such as the derivative of an integer."""
    return type(leaf) is np.ndarray and leaf.dtype == dtypes.float0


def set_float0_aside(
    leaves: list[Any], spec: Any, shapes: Sequence[tuple[int, ...]] | None = None
) -> tuple[list[Any], Any]:
    """Leaves and structure without the arrays without data, which become part of the structure.

    `shapes` are those of all leaves after unflattening, if they differ.
    """
    if not any(map(is_float0, leaves)):
        return leaves, spec
    if shapes is None:
        shapes = [np.shape(leaf) for leaf in leaves]
    nodes = [
        _Float0(shape) if is_float0(leaf) else leaf
        for leaf, shape in zip(leaves, shapes, strict=True)
    ]
    return flatten(unflatten(spec, nodes))


def name_of(function: Any) -> str:
    """What messages call a function."""
    return getattr(function, "__name__", None) or type(function).__name__


def parameter_names(function: Any, count: int) -> list[str]:
    """What to call the first positional arguments of a function."""
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


class LeafNames(Sequence[str]):
    """What messages call the leaves of some arguments; worked out when a message needs it.

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

    def drop(self, left_out: Container[int]) -> None:
        """Count some leaves no more, by their numbers."""
        counted = itertools.count()
        self._is_data = [is_data and next(counted) not in left_out for is_data in self._is_data]

    def at(self, position: int) -> LeafName:
        """The name of one leaf, for a message that may not be needed."""
        return LeafName(self, position)


class LeafName(NamedTuple):
    """The name of one leaf, with its function's."""

    names: LeafNames
    position: int

    def __format__(self, spec: str) -> str:
        return f"`{self.names[self.position]}` of `{name_of(self.names._parts[0])}`"

    __str__ = __repr__ = lambda self: format(self)


class Selected(NamedTuple):
    """The leaves of some positional arguments, and how to call with others in their place."""

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
) -> Selected:
    """The leaves of the arguments numbered `argnums`; the others stay what they are.

    Raises:
      MismatchError: there is no argument of that number.
    """
    count = len(args)
    positions = []
    for number in argnums:
        if not -count <= number < count:
            raise errors.MismatchError(
                f"{what} must be the number of a positional argument of `{name_of(function)}`, "
                f"which was called with {count} {ir.here()}, got: {number}"
            )
        positions.append(number % count)
    names = LeafNames(function, args, positions=positions)
    values, spec = flatten(tuple(args[i] for i in positions))
    leaves = [as_operand(value, names.at(i)) for i, value in enumerate(values)]

    def call(replaced: Sequence[Any]) -> Any:
        full = list(args)
        for i, value in zip(positions, unflatten(spec, replaced), strict=True):
            full[i] = value
        return function(*full, **kwargs)

    return Selected(leaves, names, spec, call)


def as_numbers(numbers: int | Sequence[int], what: str) -> tuple[int, ...]:
    """One or several ints as a tuple.

    Raises:
      TypeError: they are no ints.
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
      x: a tree of arrays; other leaves are not waited for.

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
