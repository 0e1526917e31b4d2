"""Arrays of random keys: each element is a vector of words in the underlying array."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from dovetail.arrays.array import Array, ShapedArray
from dovetail.base import config, dtypes
from dovetail.base.errors import index_error, type_error
from dovetail.base.late import numpy as dnp
from dovetail.random import key_functions
from dovetail.random.generators import find_generator
from dovetail.tracing import key_reuse
from dovetail.tracing.bind import constant
from dovetail.transforms import batching
from dovetail.trees.pytree import register_array

if TYPE_CHECKING:
    from dovetail.random.generators import Generator


class KeyType:
    """The element type of key arrays, which names their generator.

    Args:
      generator: the generator.

    Example:
      >>> from dovetail import random
      >>> random.key(0).dtype
      key<fry>
    """

    type = dtypes.prng_key
    kind = "V"
    names = None
    is_key_type = True
    _make = staticmethod(key_functions.made)

    def __init__(self, generator: Generator) -> None:
        self.generator = generator

    @property
    def name(self) -> str:
        """The generator's short name, as in `key<fry>`."""
        return f"key<{self.generator.tag}>"

    @property
    def itemsize(self) -> int:
        """Bytes of one key."""
        return 4 * math.prod(self.generator.key_shape)

    def _array(self, words: Array) -> KeyArray:
        """The array of keys of these words."""
        return KeyArray(self.generator, words)

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeyType) and self.generator is other.generator

    def __hash__(self) -> int:
        return hash((KeyType, self.generator.name))


class KeyArray:
    """An immutable array of random keys.

    It has the shape, the indexing and the rearranging methods of other arrays, but no arithmetic.

    Args:
      generator: the generator of the keys.
      data: the words, ui32[..., *generator.key_shape].

    Example:
      >>> from dovetail import random
      >>> keys = random.split(random.key(0), 4)
      >>> keys.shape, keys.reshape(2, 2)[0].shape
      ((4,), (2,))
    """

    __slots__ = ("__weakref__", "_data", "_generator")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]
    # `isinstance(x, Array)` holds.
    is_key_array = True
    _make, _move = staticmethod(key_functions.made), staticmethod(key_functions.moved)

    def __init__(self, generator: Generator, data: Any) -> None:
        self._generator = generator
        self._data = data
        if config.debug_key_reuse.value:
            key_reuse.begin(self)

    @property
    def hidden_ndim(self) -> int:
        """The number of dimensions that a key takes in the array of words."""
        return len(self._generator.key_shape)

    # Properties --------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return self._data.shape[: -self.hidden_ndim]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of keys."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> KeyType:
        """The element type, which names the generator."""
        return KeyType(self._generator)

    @property
    def weak_type(self) -> bool:
        """False: the element type is never weak."""
        return False

    @property
    def itemsize(self) -> int:
        """Bytes of one key."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all keys."""
        return self.size * self.itemsize

    @property
    def aval(self) -> ShapedArray:
        """Shape and element type."""
        return ShapedArray(self.shape, self.dtype)  # type: ignore[arg-type]

    def __len__(self) -> int:
        if not self.shape:
            raise type_error("len() of a key array of rank 0")
        return self.shape[0]

    def __iter__(self) -> Iterator[KeyArray]:
        if not self.shape:
            raise type_error("iteration over a key array of rank 0; use dovetail.random.split")
        return (self[i] for i in range(self.shape[0]))

    def __repr__(self) -> str:
        return f"Array({self.shape}, dtype={self.dtype.name}) overlaying:\n{self._data}"

    def __bool__(self) -> bool:
        raise type_error("a key array has no truth value; draw a number with dovetail.random")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise type_error(
            "NumPy cannot take an array of random keys; use dovetail.random.key_data(keys) for "
            "their words"
        )

    def __eq__(self, other: object) -> Any:
        return self._compared(other, True)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, False)

    def _compared(self, other: object, are_equal: bool) -> Any:
        if not isinstance(other, KeyArray):
            return NotImplemented
        if other.dtype != self.dtype:
            raise type_error(
                f"keys compare with keys of their own generator, got: {self.dtype} and "
                f"{other.dtype}"
            )
        words = tuple(range(-self.hidden_ndim, 0))
        left, right = _of_equal_rank(self, other)
        return (left == right).all(words) if are_equal else (left != right).any(words)

    def __copy__(self) -> KeyArray:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> KeyArray:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        data = np.array(self._data._value())
        return _unpickled, (data, self._generator.name)

    # Rearranging ----------------------------------------------------------------------------------

    def _with(self, data: Any, rearrange: Callable[[np.ndarray], np.ndarray] | None = None) -> Any:
        """Keys with other words; `rearrange` moves elements as these were moved, if they were."""
        if rearrange is not None and config.debug_key_reuse.value:
            key_reuse.put(data, key_reuse.rearranged(self, rearrange))
        return KeyArray(self._generator, data)

    def _rearranged(self, function: Callable[[Any], Any]) -> KeyArray:
        """The keys after a function that only moves elements."""
        mapped = function
        for _ in range(self.hidden_ndim):
            mapped = batching.vmap(mapped, -1, -1)
        return self._with(mapped(self._data), lambda x: np.asarray(function(Array(x))._value()))

    def __getitem__(self, index: Any) -> KeyArray:
        entries = index if isinstance(index, tuple) else (index,)
        if not any(entry is Ellipsis for entry in entries):
            entries = (*entries, ...)
        whole = (slice(None),) * self.hidden_ndim
        _check_rank(entries, self.ndim)
        return self._with(
            self._data[(*entries, *whole)], lambda x: np.asarray(Array(x)[entries]._value())
        )

    @property
    def at(self) -> _At:
        """`keys.at[i].set(other)`: the keys with others at some indices."""
        return _At(self)

    @property
    def T(self) -> KeyArray:
        """The dimensions in reverse order."""
        return self.transpose()

    def reshape(self, *shape: Any, order: str = "C") -> KeyArray:
        """The same keys in another shape; one size may be -1."""
        return self._rearranged(lambda x: x.reshape(*shape, order=order))

    def ravel(self, order: str = "C") -> KeyArray:
        """The keys in one dimension."""
        return self.reshape(-1, order=order)

    def flatten(self, order: str = "C") -> KeyArray:
        """The keys in one dimension."""
        return self.reshape(-1, order=order)

    def squeeze(self, axis: Any = None) -> KeyArray:
        """The keys without dimensions of size 1."""
        return self._rearranged(lambda x: x.squeeze(axis))

    def swapaxes(self, axis1: int, axis2: int) -> KeyArray:
        """The keys with two dimensions swapped."""
        return self._rearranged(lambda x: x.swapaxes(axis1, axis2))

    def transpose(self, *axes: Any) -> KeyArray:
        """The dimensions in another order, by default reversed."""
        return self._rearranged(lambda x: x.transpose(*axes))

    def take(self, indices: Any, axis: int | None = None, **options: Any) -> KeyArray:
        """The keys at indices along a dimension."""
        return self._rearranged(lambda x: dnp.take(x, indices, axis, **options))

    def copy(self) -> KeyArray:
        """A new array with the same keys."""
        return self._with(self._data.copy(), lambda x: x)

    # Where the words are --------------------------------------------------------------------------

    @property
    def device(self) -> Any:
        """The device that holds the keys."""
        return self._data.device

    def devices(self) -> set[Any]:
        """The devices that hold the keys."""
        return self._data.devices()

    @property
    def sharding(self) -> Any:
        """The sharding of the keys."""
        return self._data.sharding

    @property
    def committed(self) -> bool:
        """True if the keys are committed to their device."""
        return self._data.committed

    @property
    def is_fully_addressable(self) -> bool:
        """True if this process can address all keys."""
        return self._data.is_fully_addressable

    @property
    def is_fully_replicated(self) -> bool:
        """True if every device holds all keys."""
        return self._data.is_fully_replicated

    def addressable_data(self, index: int) -> KeyArray:
        """The data of shard `index`."""
        return self._with(self._data.addressable_data(index))

    def block_until_ready(self) -> KeyArray:
        """Wait until the keys are computed; returns the array."""
        self._data.block_until_ready()
        return self

    def copy_to_host_async(self) -> None:
        """Start copying the words to where NumPy can read them."""
        self._data.copy_to_host_async()

    def on_device_size_in_bytes(self) -> int:
        """The number of bytes that the keys take on their device."""
        return self._data.on_device_size_in_bytes()

    def unsafe_buffer_pointer(self) -> int:
        """The address of the first word, for as long as the array lives."""
        return self._data.unsafe_buffer_pointer()

    def delete(self) -> None:
        """Free the words now; the array cannot be used afterwards."""
        self._data.delete()

    def is_deleted(self) -> bool:
        """True after `delete`."""
        return self._data.is_deleted()

    # Reuse ----------------------------------------------------------------------------------------

    def use(self, name: str) -> None:
        """Record that a function uses the keys, if `debug_key_reuse` is on.

        Args:
          name: the name of the function.

        Raises:
          KeyReuseError: one of them was used before.
        """
        if config.debug_key_reuse.value:
            key_reuse.use(self, name)


class _At:
    """`keys.at`, and `keys.at[index]`."""

    def __init__(self, keys: KeyArray, index: Any = None) -> None:
        self._keys = keys
        self._index = index

    def __getitem__(self, index: Any) -> _At:
        return _At(self._keys, index)

    def get(self, **options: Any) -> KeyArray:
        """The keys at the index."""
        return self._keys._rearranged(lambda x: x.at[self._index].get(**options))

    def set(self, values: KeyArray, **options: Any) -> KeyArray:
        """All keys, with others at the index."""
        keys = self._keys
        if not isinstance(values, KeyArray) or values.dtype != keys.dtype:
            got = values.dtype if hasattr(values, "dtype") else type(values).__name__
            raise type_error(f"keys.at[...].set takes keys of type {keys.dtype}, got: {got}")

        def put(x: Any, y: Any) -> Any:
            return x.at[self._index].set(y, **options)

        for _ in range(keys.hidden_ndim):
            put = batching.vmap(put, -1, -1)
        return keys._with(put(keys._data, values._data))


def _check_rank(entries: tuple[Any, ...], rank: int) -> None:
    """Reject indices of words."""
    dtype_of = [getattr(entry, "dtype", None) for entry in entries]
    counted = 0
    for entry, dtype in zip(entries, dtype_of, strict=True):
        if entry is None or entry is Ellipsis or isinstance(entry, bool):
            continue
        counted += entry.ndim if dtype == dtypes.bool_ else 1
    if counted > rank:
        raise index_error(
            f"Too many indices: the array of keys is {rank}-dimensional, but {counted} were indexed"
        )


def _of_equal_rank(a: KeyArray, b: KeyArray) -> tuple[Any, Any]:
    """The words of both, with the same rank."""
    rank = max(a.ndim, b.ndim)
    return tuple(x._data.reshape((1,) * (rank - x.ndim) + x._data.shape) for x in (a, b))  # type: ignore[return-value]


def _unpickled(data: np.ndarray, name: str) -> KeyArray:
    return KeyArray(find_generator(name), constant(data))


def _refused(symbol: str) -> Callable[..., NoReturn]:
    def refuse(self: KeyArray, *others: Any) -> NoReturn:
        raise type_error(
            f"{symbol} needs numbers, got: random keys of type {self.dtype}; use "
            "dovetail.random.key_data(keys) for their words"
        )

    return refuse


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"):
    setattr(KeyArray, f"__{_name}__", _refused(_name))
    setattr(KeyArray, f"__r{_name}__", _refused(_name))
for _name in ("lt", "le", "gt", "ge", "neg", "abs", "invert", "and", "or", "xor"):
    setattr(KeyArray, f"__{_name}__", _refused(_name))


def _unflattened(generator: Generator, children: Sequence[Any]) -> Any:
    (data,) = children
    if type(data) is np.ndarray and data.dtype == dtypes.float0:
        # The derivative with respect to keys: there is none.
        return np.zeros(data.shape[: -len(generator.key_shape)], dtypes.float0)
    return KeyArray(generator, data)


register_array(KeyArray, lambda keys: ((keys._data,), keys._generator), _unflattened, "key_data")
