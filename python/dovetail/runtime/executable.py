"""The shortest path from arrays to a function of a module: no names, no trees, no checks."""

from __future__ import annotations

import functools
import os
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from iree.runtime import HalBufferView, VmContext, VmFunction, VmModule, VmVariantList

from . import blas, ending, foreign, patience
from .buffer import Buffer, as_host_array
from .devices import INSTANCE, SHARE_BYTES, Device, get_device
from .dtypes import DTYPE_OF_ELEMENT, ELEMENT_OF_DTYPE
from .host_functions import HostFunctions
from .iree_internals import get, push
from .memory import OutOfMemoryError, is_out_of_memory
from .signature import HANDED_BACK_KEY, SHARING_KEY, Signature

# Those whose contexts a forked process cannot use: their threads are not there, and another thread
# may have held their locks.
_on_host: weakref.WeakSet[LoadedModule] = weakref.WeakSet()


def _after_fork() -> None:
    for loaded in _on_host:
        loaded._leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)


class LoadedModule:
    """A module in memory, bound to a device; its functions share one state.

    Args:
      module: the VM module.
      device: a `Device`, or its name.
      imports: VM modules with the functions that the module imports.

    Example:
      >>> from iree.runtime import VmModule
      >>> from dovetail import runtime
      >>> from dovetail.runtime.devices import INSTANCE
      >>> from dovetail.compiler.module_files import compile_module
      >>> vmfb = compile_module('''
      ... func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      ...   %y = arith.addf %x, %x : tensor<2xf32>
      ...   return %y : tensor<2xf32>
      ... }''')
      >>> module = VmModule.copy_buffer(INSTANCE, vmfb)
      >>> runtime.LoadedModule(module, "local-sync").names
      ['twice']
    """

    def __init__(
        self, module: VmModule, device: str | Device, imports: Sequence[VmModule] = ()
    ) -> None:
        self.device = device if isinstance(device, Device) else get_device(device)
        self.module = module
        self._imports = imports
        self.foreign: foreign.Programs | None = None
        self._new_context(self.device)
        #: Calls a function, given a list of arguments and one for results. What keeps it calls the
        #: function of the present context: a partial object is the cheapest that can be changed.
        self.invoke: Callable[..., None] = functools.partial(self._invocation())
        if self.device.on_host:
            _on_host.add(self)

    def _new_context(self, device: Device) -> None:
        try:
            self.context = VmContext(INSTANCE, [device.module, *self._imports, self.module])
        finally:
            # Those of a context that could not be made end with it.
            self.foreign = foreign.take_programs()

    def _invocation(self) -> Callable[..., None]:
        invoke = self.context.invoke
        if self.device.has_threads:
            return lambda *args: patience.call(invoke, args)
        return invoke

    def _redirect(self, function: Callable[..., None]) -> None:
        state = (function, (), {}, None)
        self.invoke.__setstate__(state)  # pyright: ignore[reportFunctionMemberAccess]

    def _leave_to_parent(self) -> None:
        """Gives up the context, in a forked process, which makes its own when it needs one."""
        self._redirect(self._invoke_first)

    def _invoke_first(self, *args: Any) -> None:
        # The destruction of the former context would wait as its calls would.
        ending.never_end(self.context)
        ending.never_end(self.foreign)
        origin = None if self.foreign is None else self.foreign.origin
        self._new_context(get_device(self.device.name))
        if self.foreign is not None and origin is not None:
            self.foreign.origin = origin
        self._redirect(self._invocation())
        self.invoke(*args)

    @property
    def names(self) -> list[str]:
        """The functions that a caller may use, in the order of their definition."""
        return [n for n in self.module.function_names if not n.startswith("__") and "$" not in n]

    def function(self, name: str) -> VmFunction:
        """Returns a function.

        Raises:
          KeyError: there is no function of that name.
        """
        function = self.module.lookup_function(name)
        if function is None:
            raise KeyError(f"function must be one of {', '.join(self.names)}, got: {name!r}")
        return function


def module_of(vmfb: bytes) -> VmModule:
    """The module of a file's bytes, which are copied, with what its code calls."""
    if blas.is_called_by(vmfb):
        blas.load()
    return VmModule.copy_buffer(INSTANCE, vmfb)


class Call(NamedTuple):
    """One call of an executable.

    Attributes:
      arrays: what was passed.
      arguments, results: IREE's lists.
      shared: the NumPy arrays whose memory the arguments share; None if there are none.
    """

    arrays: Sequence[Any]
    arguments: VmVariantList
    results: VmVariantList
    shared: list[np.ndarray] | None


class Executable:
    """One function of a module on a device.

    It neither checks nor flattens: the caller passes arrays of the shapes and dtypes that the
    function was compiled for, in order. Threads may call it at the same time.

    Args:
      vmfb: the module file's bytes, as `compile_module` returned them, or a `LoadedModule`.
      function: the function's name.
      device: a `Device`, or its name; not used with a `LoadedModule`.
      output_shapes: shapes of the results of a function that takes and returns memory instead of
        views of it; None of others.
      output_dtypes: dtypes of the results; by default those stated by the module. A module without
        a Dovetail signature does not distinguish signed from unsigned integers.
      imports: VM modules with the functions that the module imports.
      host_functions: functions of this process that the module imports.
      out_of_memory: for a call that ran out of memory, given the shapes of its arguments, returns
        which memory ran out.
      foreign_lines: the lines in the user's program of the calls of foreign functions.

    Example:
      >>> from dovetail import runtime
      >>> from dovetail.compiler.module_files import compile_module
      >>> vmfb = compile_module('''
      ... func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      ...   %y = arith.addf %x, %x : tensor<2xf32>
      ...   return %y : tensor<2xf32>
      ... }''')
      >>> [result] = runtime.Executable(vmfb, "twice")([np.ones(2, np.float32)])
      >>> result.numpy()
      array([2., 2.], dtype=float32)
    """

    def __init__(
        self,
        vmfb: bytes | LoadedModule,
        function: str,
        device: str | Device = "local-sync",
        *,
        output_dtypes: Sequence[Any] | None = None,
        output_shapes: Sequence[tuple[int, ...]] | None = None,
        imports: Sequence[VmModule] = (),
        host_functions: HostFunctions | None = None,
        out_of_memory: Callable[[Sequence[tuple[int, ...]]], OutOfMemoryError] | None = None,
        foreign_lines: Sequence[str] = (),
    ) -> None:
        if host_functions is not None:
            imports = [*imports, host_functions.module]
        if not isinstance(vmfb, LoadedModule):
            vmfb = LoadedModule(module_of(vmfb), device, imports)
        self.device = vmfb.device
        self._loaded = vmfb
        if foreign_lines and vmfb.foreign is not None:
            vmfb.foreign.origin = foreign_lines, ""
        self.invoke: Callable[..., None] = vmfb.invoke
        if host_functions is not None:
            self.invoke = host_functions.guarded(self.invoke)
        self.function = vmfb.function(function)
        self._out_of_memory = out_of_memory
        self._dtypes = _output_dtypes(self.function, output_dtypes)
        self._shapes = output_shapes
        self.sharing = _numbers(self.function, SHARING_KEY)
        self.handed_back = _numbers(self.function, HANDED_BACK_KEY)

    def __call__(self, arrays: Sequence[Any]) -> list[Buffer]:
        """Calls the function.

        Args:
          arrays: `Buffer`s, NumPy arrays, or anything with `__array__` or `__dlpack__`. A large,
            contiguous, 64-byte aligned array is read in place; others are copied once.

        Returns:
          The results; none of them shares memory with a NumPy array in `arrays`.

        Raises:
          OutOfMemoryError: there is not enough memory for the results or temporaries.
        """
        call = self.begin(arrays)
        self.run(call)
        return self.end(call)

    def begin(self, arrays: Sequence[Any]) -> Call:
        """A call on arrays, as for `__call__`, that has not run yet."""
        device = self.device
        space, put, elements = device.space, device.put, ELEMENT_OF_DTYPE
        passes_memory = self._shapes is not None
        arguments = VmVariantList(len(arrays))
        shared: list[np.ndarray] | None = None
        for array in arrays:
            kind = type(array)
            if kind is Buffer and array._where.space is space:
                push(arguments, array.memory if passes_memory else array.ref)
                continue
            if kind is np.ndarray and array.nbytes < SHARE_BYTES:
                try:
                    view = put(array, elements[array.dtype])
                    push(arguments, view.get_buffer() if passes_memory else view)
                    continue
                except (KeyError, ValueError):
                    pass  # not contiguous, or not of the machine's byte order
            argument, sharing = self.argument(array)
            if sharing is not None:
                shared = [sharing] if shared is None else [*shared, sharing]
            push(arguments, argument)
        dtypes = self._dtypes
        return Call(arrays, arguments, VmVariantList(1 if dtypes is None else len(dtypes)), shared)

    def run(self, call: Call) -> None:
        """Run a call; on any thread."""
        try:
            self.invoke(self.function, call.arguments, call.results)
        except Exception as error:  # IREE's status codes come as exceptions of many types
            failure = self.failure(error, call.arrays)
            if failure is error:
                raise
            raise failure from error

    def end(self, call: Call) -> list[Buffer]:
        """The results of a call that has run."""
        arrays, _, results, shared = call
        dtypes, device = self._dtypes, self.device
        if dtypes is None:
            dtypes = _dtypes_of(results)
        if self._shapes is None:
            buffers = [Buffer(get(results, i), dtype, device) for i, dtype in enumerate(dtypes)]
        else:
            buffers = [
                Buffer(None, dtype, device, memory=get(results, i), shape=shape)
                for i, (dtype, shape) in enumerate(zip(dtypes, self._shapes, strict=True))
            ]
        for i in self.sharing:
            buffers[i]._shared = True
        for i in self.handed_back:
            if type(arrays[i]) is Buffer:
                arrays[i]._shared = True
        if shared is not None:
            buffers = [unshare(buffer, shared) for buffer in buffers]
        return buffers

    def failure(self, error: Exception, arrays: Sequence[Any]) -> Exception:
        """The exception for a failed call with the given arguments."""
        programs = self._loaded.foreign
        if programs is not None and (failure := programs.failure()) is not None:
            return failure
        if not is_out_of_memory(error):
            return error
        if self._out_of_memory is not None:
            return self._out_of_memory([np.shape(array) for array in arrays])
        return OutOfMemoryError(f"`{self.function.name}` needs memory that cannot be had: {error}")

    def argument(self, array: Any) -> tuple[Any, np.ndarray | None]:
        """The argument to pass for an array of any kind, and the NumPy array that owns the memory,
        if any.
        """
        device = self.device
        passes_memory = self._shapes is not None
        if type(array) is Buffer and array.device.space is device.space:
            return array.memory if passes_memory else array.ref, None
        array = as_host_array(array)
        shared = device.share(array)
        view = device.put(array, ELEMENT_OF_DTYPE[array.dtype]) if shared is None else shared
        made = view.get_buffer() if passes_memory else view
        return made, None if shared is None else array


def _numbers(function: VmFunction, key: str) -> tuple[int, ...]:
    """The numbers of arguments or results that the compiler lists under a key."""
    text = function.reflection.get(key, "")
    return tuple(map(int, text.split(","))) if text else ()


def _output_dtypes(
    function: VmFunction, output_dtypes: Sequence[Any] | None
) -> tuple[np.dtype, ...] | None:
    """Returns the dtypes of the results, None for those known only from the results themselves."""
    if output_dtypes is not None:
        return tuple(map(np.dtype, output_dtypes))
    signature = Signature.from_reflection(function.reflection)
    if signature is None or None in signature.outputs:
        return None
    return tuple(spec.dtype for spec in signature.outputs if spec is not None)


def _dtypes_of(results: VmVariantList) -> tuple[np.dtype, ...]:
    views: list[Any] = [results.get_as_object(i, HalBufferView) for i in range(len(results))]
    return tuple(DTYPE_OF_ELEMENT[int(view.element_type)] for view in views)


def unshare(buffer: Buffer, arrays: Sequence[np.ndarray]) -> Buffer:
    """Copies a result that is a returned argument, which the caller may write to."""
    host = buffer.numpy()
    if not any(np.may_share_memory(host, array) for array in arrays):
        # This view served only the check: the memory has no other user.
        buffer._host = None
        return buffer
    device = buffer.device
    return Buffer(device.put(host, ELEMENT_OF_DTYPE[host.dtype]).ref, host.dtype, device)
