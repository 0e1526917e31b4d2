"""Functions of this process that compiled modules import and call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from iree.runtime import HalBufferView, PyModuleInterface, VmModule

from .devices import Device
from .dtypes import ELEMENT_OF_DTYPE

# The name by which compiled modules import host functions.
MODULE_NAME = "host"


class HostFunction(NamedTuple):
    """A function that a module imports.

    Attributes:
      name: its name in the module, without the prefix of the module that defines it.
      compute: takes NumPy arrays, which it must not write to or keep; returns an array, or a tuple
        of several.
      operands: the element types of its arguments.
      results: shape, with -1 for unknown sizes, and element type of each result.
      is_ordered: whether it takes a 32-bit number after the arrays, and returns it after the
        results: calls connected in this way keep their order.

    Example:
      >>> import numpy as np
      >>> from dovetail.runtime import HostFunction
      >>> double = np.dtype("float64")
      >>> root = HostFunction("sqrt", np.sqrt, (double,), (((3,), double),))
      >>> root.compute(np.array([1.0, 4.0, 9.0])).tolist()
      [1.0, 2.0, 3.0]
    """

    name: str
    compute: Callable[..., Any]
    operands: tuple[np.dtype, ...]
    results: tuple[tuple[tuple[int, ...], np.dtype], ...]
    is_ordered: bool = False


class HostFunctions:
    """Functions bound to a device whose memory they can access.

    Threads may call them at the same time. An exception raised by a function is raised again by the
    call of the compiled program, on the thread that made it.

    Args:
      functions: the functions.
      device: a device of the host.
      owner: an object that holds what the functions need, and lives as long as their callers. IREE
        keeps the functions themselves, but Python's garbage collector does not see what they refer
        to.

    Attributes:
      module: the VM module for a `LoadedModule` that imports them.

    Example:
      >>> from dovetail import runtime
      >>> from dovetail.compiler.module_files import compile_module
      >>> vmfb = compile_module('''
      ... func.func private @host.double(tensor<2xf32>) -> tensor<2xf32>
      ... func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      ...   %y = call @host.double(%x) : (tensor<2xf32>) -> tensor<2xf32>
      ...   return %y : tensor<2xf32>
      ... }''')
      >>> f32 = np.dtype(np.float32)
      >>> double = runtime.HostFunction("double", lambda x: x + x, (f32,), (((2,), f32),))
      >>> host = runtime.HostFunctions([double], runtime.get_device("local-sync"))
      >>> program = runtime.Executable(vmfb, "main", host.device, host_functions=host)
      >>> program([np.ones(2, np.float32)])[0].numpy()
      array([2., 2.], dtype=float32)
    """

    def __init__(
        self, functions: Sequence[HostFunction], device: Device, owner: Any = None
    ) -> None:
        if not device.on_host:
            raise ValueError(
                f"host functions need a device of the host, got: {device.name!r}; "
                "use 'local-task' or 'local-sync'"
            )
        self.device = device
        self.owner = owner
        raised = self._raised = threading.local()
        interface: Any = PyModuleInterface(MODULE_NAME, _State)
        for function in functions:
            number = "i" * function.is_ordered
            takes = "r" * len(function.operands) + number or "v"
            gives = "r" * len(function.results) + number or "v"
            call = _import_of(function, device.put, raised)
            interface.export(function.name, f"0{takes}_{gives}", call)
        self.module: VmModule = interface.create()

    def guarded(self, invoke: Callable[..., None]) -> Callable[..., None]:
        """Wrap a context's `invoke` such that a host function's exception is raised again."""

        # It refers to this object, which holds the owner.
        def call(*args: Any) -> None:
            try:
                invoke(*args)
            except Exception:
                error = self._raised.__dict__.pop("error", None)
                if error is None:
                    raise
                # IREE's error holds the same traceback, as text.
                raise error from None

        return call


class _State:
    """Per-context state that IREE requires; these functions have none."""

    def __init__(self, interface: Any) -> None:
        pass


def _import_of(
    function: HostFunction, put: Callable[[np.ndarray, int], Any], raised: threading.local
) -> Callable[..., Any]:
    """The function as IREE calls it, with references to buffer views."""
    _, compute, operands, results, _ = function

    def call(state: Any, *references: Any) -> Any:
        numbers = references[len(operands) :]
        references = references[: len(operands)]
        try:
            arrays = []
            for reference, dtype in zip(references, operands, strict=True):
                view = reference.deref(HalBufferView)
                # IREE cannot map empty buffers.
                shape = tuple(view.shape)
                empty = 0 in shape
                array = np.empty(shape, dtype) if empty else view.map().asarray(shape, dtype)
                array.flags.writeable = False
                arrays.append(array)
            answer = compute(*arrays)
            answers = answer if isinstance(answer, tuple) else (answer,)
            views = [
                put(_checked(given, expected), ELEMENT_OF_DTYPE[expected[1]])
                for given, expected in zip(answers, results, strict=True)
            ]
        except BaseException as error:
            raised.error = error
            raise
        answers = (*(view.ref for view in views), *numbers)
        return answers[0] if len(answers) == 1 else answers

    return call


def _checked(answer: Any, expected: tuple[tuple[int, ...], np.dtype]) -> np.ndarray:
    """A result as a contiguous array of the type that the program expects."""
    shape, dtype = expected
    array = np.asarray(answer)
    is_alike = array.dtype == dtype and len(array.shape) == len(shape)
    if not is_alike or any(
        size not in (got, -1) for size, got in zip(shape, array.shape, strict=True)
    ):
        raise ValueError(
            f"a host function must return an array of shape {shape} and dtype {dtype}, "
            f"got: shape {array.shape} and dtype {array.dtype}"
        )
    return np.ascontiguousarray(array).reshape(array.shape)
