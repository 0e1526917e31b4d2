"""Functions and objects of Python on the devices of their arguments, which are this process's."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.base.errors import type_error, value_error
from dovetail.sharding import Mesh
from dovetail.tracing.tracer import AnyTracer
from dovetail.tree_util import tree_flatten, tree_leaves, tree_map

__all__ = ["colocated_cpu_devices", "colocated_python", "colocated_python_class"]


def colocated_cpu_devices(devices_or_mesh: Any) -> Any:
    """The CPU beside each device of this process.

    Args:
      devices_or_mesh: a sequence of devices, or a mesh.

    Returns:
      As many CPUs, in the same order; or a mesh of them. A CPU is its own.

    Raises:
      ValueError: there are not enough CPUs.

    Example:
      >>> from dovetail.experimental.colocated_python import colocated_cpu_devices
      >>> colocated_cpu_devices(dt.devices("cpu")[:1]) == dt.devices("cpu")[:1]
      True
    """
    if isinstance(devices_or_mesh, Mesh):
        mesh = devices_or_mesh
        cpus = colocated_cpu_devices(tuple(mesh.devices.flat))
        found = np.array(cpus, dtype=object).reshape(mesh.devices.shape)
        return Mesh(found, mesh.axis_names, axis_types=mesh.axis_types)
    devices = list(devices_or_mesh)
    free = [cpu for cpu in dt.devices("cpu") if cpu not in devices]
    found = []
    for device in devices:
        if device.platform == "cpu":
            found.append(device)
        elif free:
            found.append(free.pop(0))
        else:
            raise value_error(
                f"Process {device.process_index} does not have enough local CPU devices, got: "
                f"{devices}; set DOVETAIL_NUM_CPU_DEVICES"
            )
    return found


class _Callable:
    """A function of Python on arrays.

    Args:
      fun: the function.
      in_specs, out_specs_fn, devices: as `specialize` takes them.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        in_specs: Any = None,
        out_specs_fn: Callable[..., Any] | None = None,
        devices: Sequence[Any] | None = None,
    ) -> None:
        self._fun, self._in_specs, self._out_specs_fn = fun, in_specs, out_specs_fn
        self._devices = devices
        functools.update_wrapper(self, fun)

    def specialize(
        self,
        in_specs: Any = None,
        out_specs_fn: Callable[..., Any] | None = None,
        devices: Sequence[Any] | None = None,
    ) -> _Callable:
        """The function, with what is known of its calls.

        Args:
          in_specs: the types of the arguments, a tree like (args, kwargs).
          out_specs_fn: takes such types, and returns those of the results.
          devices: where results are; by default those of the arguments.
        """
        return _Callable(
            self._fun,
            self._in_specs if in_specs is None else in_specs,
            out_specs_fn or self._out_specs_fn,
            self._devices if devices is None else devices,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = tree_leaves((args, kwargs))
        if not leaves and self._devices is None:
            raise value_error(
                "No devices found. colocated_python function without input arguments must be first "
                f"specialized with devices, got: a call of `{self._fun.__name__}`"
            )
        if any(isinstance(leaf, AnyTracer) for leaf in leaves):
            raise type_error(
                "colocated_python: the function must be called with arrays, not in a traced "
                f"function, got: a call of `{self._fun.__name__}` with tracers; use pure_callback"
            )
        if self._in_specs is not None:
            _check("arguments", self._in_specs, (args, kwargs))
        outs = tree_map(self._placed, self._fun(*args, **kwargs))
        if self._out_specs_fn is not None:
            specs, keywords = tree_map(_spec, (args, kwargs))
            _check("results", self._out_specs_fn(*specs, **keywords), outs)
        return outs

    def _placed(self, x: Any) -> Any:
        if self._devices is None or len(self._devices) > 1:
            return dt.numpy.asarray(x)
        return dt.device_put(x, self._devices[0])


def _spec(x: Any) -> dt.ShapeDtypeStruct:
    aval = dt.typeof(x)
    return dt.ShapeDtypeStruct(aval.shape, aval.dtype)


def _check(what: str, specs: Any, values: Any) -> None:
    (wanted, spec), (given, given_spec) = tree_flatten(specs), tree_flatten(values)
    types = [(tuple(x.shape), x.dtype) for x in wanted]
    got = [(x.shape, x.dtype) for x in map(_spec, given)]
    if spec != given_spec or types != got:
        raise value_error(
            f"colocated_python: {what} must have the types {specs}, got: {tree_map(_spec, values)}"
        )


def colocated_python(fun: Callable[..., Any]) -> _Callable:
    """A function of Python that takes and returns arrays where they are.

    Args:
      fun: takes arrays, and returns a tree of arrays. It runs in this process, outside of traces.

    Returns:
      The function; its `specialize` states types and devices.

    Raises:
      ValueError: when it is called: it has no arguments and no devices, or other types than those
        that it is specialized for.

    Example:
      >>> from dovetail.experimental.colocated_python import colocated_python
      >>> @colocated_python
      ... def sorted_by_python(x):
      ...     return dnp.array(sorted(x.tolist()))
      >>> sorted_by_python(dnp.array([3, 1, 2]))
      Array([1, 2, 3], dtype=int32)
    """
    return _Callable(fun)


def colocated_python_class(cls: type[object]) -> type[Any]:
    """A class of Python whose methods take and return arrays where they are.

    Args:
      cls: the class. An instance is made at the first call of a method.

    Returns:
      A class, whose methods are like functions of `colocated_python`.

    Example:
      >>> from dovetail.experimental.colocated_python import colocated_python_class
      >>> @colocated_python_class
      ... class Counter:
      ...     def __init__(self):
      ...         self.count = 0
      ...     def add(self, x):
      ...         self.count += 1
      ...         return x + self.count
      >>> counter = Counter()
      >>> int(counter.add(dnp.array(1))), int(counter.add(dnp.array(1)))
      (2, 3)
    """

    class Wrapper:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            self._make = functools.cache(lambda: cls(*args, **kwargs))

    def method(name: str, function: Callable[..., Any]) -> Any:
        def of(wrapper: Any) -> _Callable:
            @functools.wraps(function)
            def bound(*args: Any, **kwargs: Any) -> Any:
                return getattr(wrapper._make(), name)(*args, **kwargs)

            return _Callable(bound)

        return functools.cached_property(of)

    functools.update_wrapper(Wrapper, cls, updated=())
    for name in dir(cls):
        function = getattr(cls, name)
        if callable(function) and not name.startswith("__"):
            attribute = method(name, function)
            setattr(Wrapper, name, attribute)
            attribute.__set_name__(Wrapper, name)
    return Wrapper
