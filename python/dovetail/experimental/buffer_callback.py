"""Callbacks that write their results into buffers."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.base.errors import value_error
from dovetail.transforms.callbacks import io_callback, pure_callback
from dovetail.trees.pytree import flatten, unflatten

__all__ = ["Buffer", "ExecutionContext", "ExecutionStage", "buffer_callback"]


class ExecutionStage(enum.Enum):
    """When a callback is called; here always where the program runs.

    Example:
      >>> from dovetail.experimental.buffer_callback import ExecutionStage
      >>> ExecutionStage.EXECUTE.name
      'EXECUTE'
    """

    EXECUTE = 3


class ExecutionContext:
    """What a callback is told of the run.

    Attributes:
      stage: `ExecutionStage.EXECUTE`.

    Example:
      >>> from dovetail.experimental.buffer_callback import buffer_callback
      >>> def tell(context, out, x):
      ...     print(context.stage.name)
      ...     np.asarray(out)[...] = x
      >>> x = dnp.array(41)
      >>> buffer_callback(tell, dt.ShapeDtypeStruct(x.shape, x.dtype))(x)
      EXECUTE
      Array(41, dtype=int32)
    """

    stage = ExecutionStage.EXECUTE

    @property
    def stream(self) -> int:
        """The stream of a GPU.

        Raises:
          JaxRuntimeError: callbacks run on the host.
        """
        raise dt.errors.JaxRuntimeError(
            "XLA FFI GPU context is not available: callbacks run on the host"
        )


class Buffer:
    """The memory of an argument or a result, while a callback runs.

    Args:
      memory: it as a NumPy array.

    Attributes:
      shape, dtype: as of arrays.
      ndim, size: likewise.
      writeable: whether it is of a result.

    Example:
      >>> from dovetail.experimental.buffer_callback import buffer_callback
      >>> def double(context, out, x):
      ...     print(x.shape, x.writeable, out.writeable)
      ...     np.asarray(out)[...] = 2 * np.asarray(x)
      >>> x = dnp.arange(3)
      >>> buffer_callback(double, dt.ShapeDtypeStruct(x.shape, x.dtype))(x)
      (3,) False True
      Array([0, 2, 4], dtype=int32)
    """

    def __init__(self, memory: np.ndarray) -> None:
        self._memory = memory
        self.shape, self.dtype = memory.shape, memory.dtype
        self.ndim, self.size = memory.ndim, memory.size
        self.writeable = bool(memory.flags.writeable)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy or (dtype is not None and np.dtype(dtype) != self.dtype):
            return np.array(self._memory, dtype)
        return self._memory

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._memory.__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def buffer_callback(
    callback: Callable[..., None],
    result_shape_dtypes: Any,
    *,
    has_side_effect: bool = False,
    vmap_method: str | None = None,
    input_output_aliases: Mapping[int, int] | None = None,
    command_buffer_compatible: bool = False,
) -> Callable[..., Any]:
    """A function of arrays that calls a Python function, which writes the results.

    Args:
      callback: called as `callback(context, out, *args)` with a tree of `Buffer`s for the results,
        which it writes to by `np.asarray(out)[...] = …`, and with the arguments as `Buffer`s.
      result_shape_dtypes: a tree of the results' descriptions.
      has_side_effect: whether it must be called, as `io_callback` does, even if nothing uses the
        results; `vmap` then does not apply.
      vmap_method: as for `pure_callback`. With "expand_dims" and "broadcast_all", results have the
        batch, too.
      input_output_aliases: results, by number, that start as copies of arguments.
      command_buffer_compatible: ignored.

    Returns:
      The function.

    Raises:
      ValueError: when called: aliases name an argument or a result that does not exist, or of
        another type.

    Example:
      >>> from dovetail.experimental.buffer_callback import buffer_callback
      >>> def add_one(context, out, x):
      ...     np.asarray(out)[...] = np.asarray(x) + 1
      >>> x = dnp.array(41)
      >>> buffer_callback(add_one, dt.ShapeDtypeStruct(x.shape, x.dtype))(x)
      Array(42, dtype=int32)
    """
    results, out_spec = flatten(result_shape_dtypes)
    aliases = {int(i): int(o) for i, o in (input_output_aliases or {}).items()}

    def function(*args: Any) -> Any:
        leaves, spec = flatten(args)
        ranks = [np.ndim(leaf) for leaf in leaves]
        _check_aliases(aliases, leaves, results)

        def host(*given: Any) -> Any:
            arrays = [np.asarray(leaf) for leaf in flatten(given)[0]]
            # In a batch, all have more dimensions in front.
            batch = np.broadcast_shapes(
                *(x.shape[: x.ndim - rank] for x, rank in zip(arrays, ranks, strict=True))
            )
            outs = [np.zeros((*batch, *out.shape), out.dtype) for out in results]
            for i, o in aliases.items():
                outs[o][...] = arrays[i]
                arrays[i] = outs[o]
            inputs = []
            for array in arrays:
                view = array.view()
                view.flags.writeable = False
                inputs.append(Buffer(view))
            buffers = unflatten(out_spec, [Buffer(out) for out in outs])
            callback(ExecutionContext(), buffers, *unflatten(spec, inputs))
            return unflatten(out_spec, outs)

        if has_side_effect:
            return io_callback(host, result_shape_dtypes, *args)
        return pure_callback(host, result_shape_dtypes, *args, vmap_method=vmap_method)

    return function


def _check_aliases(aliases: Mapping[int, int], leaves: list[Any], results: list[Any]) -> None:
    for i, o in aliases.items():
        if not (0 <= i < len(leaves) and 0 <= o < len(results)):
            raise value_error(
                "buffer_callback: input_output_aliases must map the numbers of "
                f"{len(leaves)} arguments to those of {len(results)} results, got: {i}:{o}"
            )
        leaf, out = leaves[i], results[o]
        if np.shape(leaf) != tuple(out.shape) or leaf.dtype != out.dtype:
            raise value_error(
                f"buffer_callback: input_output_aliases maps argument {i} to result {o}, which "
                f"must have the same type, got: {leaf.dtype}{list(np.shape(leaf))} and "
                f"{out.dtype}{list(out.shape)}"
            )
