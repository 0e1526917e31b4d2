"""Compiled programs as bytes, to be loaded by another process without compiling."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dovetail as dt
from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.errors import type_error, value_error
from dovetail.exporting.serialization import decode_avals, encode_avals
from dovetail.programs.stages import ArgInfo, Compiled
from dovetail.runtime.executable import Executable
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.arguments import as_operand
from dovetail.tree_util import tree_flatten, tree_unflatten

__all__ = ["LoadedExecutable", "deserialize_and_load", "serialize"]

_MAGIC = b"dovetail executable 1\n"


class LoadedExecutable:
    """A compiled program that was loaded; call it with arrays of the types it was compiled for.

    Args:
      vmfb: the module file.
      name: the function's name.
      avals: the types of the arguments, without static ones.
      out_avals: the types of the results.
      in_tree: the structure of (args, kwargs).
      out_tree: the structure of the result.

    Example:
      >>> from dovetail.experimental import serialize_executable
      >>> compiled = dt.jit(lambda x: 2 * x).lower(dnp.ones(3)).compile()
      >>> parts = serialize_executable.serialize(compiled)
      >>> loaded = serialize_executable.deserialize_and_load(*parts)
      >>> loaded(dnp.arange(3.0))
      Array([0., 2., 4.], dtype=float32)
    """

    def __init__(
        self,
        vmfb: bytes,
        name: str,
        avals: Sequence[ShapedArray],
        out_avals: Sequence[ShapedArray],
        in_tree: Any,
        out_tree: Any,
    ) -> None:
        self.name, self.in_tree, self.out_tree = name, in_tree, out_tree
        self._avals, self._out_avals = list(avals), list(out_avals)
        self._executable = Executable(vmfb, "main")

    @property
    def args_info(self) -> Any:
        """An `ArgInfo` for each argument, in the tree of (args, kwargs)."""
        return tree_unflatten(self.in_tree, [ArgInfo(aval, False) for aval in self._avals])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the program, without the static arguments.

        Raises:
          TypeError: structure, shapes or element types differ from those it was compiled for.
        """
        values, tree = tree_flatten((args, kwargs))
        if tree != self.in_tree:
            raise type_error(
                "Function compiled with input pytree does not match the input pytree it was called "
                f"with: `{self.name}` must get {self.in_tree}, got: {tree}"
            )
        operands = [as_operand(x, f"argument {i} of {self.name}") for i, x in enumerate(values)]
        for i, (operand, aval) in enumerate(zip(operands, self._avals, strict=True)):
            if operand.shape != aval.shape or operand.dtype != aval.dtype:
                raise type_error(
                    "Argument types differ from the types for which this computation was compiled: "
                    f"argument {i} of `{self.name}` must be {aval}, got: {operand.aval}"
                )
        outs = self._executable([operand._value() for operand in operands])
        arrays = [
            Array(out, aval.weak_type) for out, aval in zip(outs, self._out_avals, strict=True)
        ]
        return tree_unflatten(self.out_tree, arrays)


def serialize(compiled: Compiled) -> tuple[bytes, Any, Any]:
    """A compiled program as bytes, and the structures of its arguments and results.

    The bytes are for processors like this machine's, and contain what the function closes over.
    Structures cannot be part of them, since their nodes may be any classes.

    Args:
      compiled: the result of `jit(f).lower(…).compile()`, for one device.

    Returns:
      (bytes, structure of (args, kwargs), structure of the result).

    Raises:
      ValueError: the program has symbolic shapes, several devices or references, or calls back into
        Python.

    Example:
      >>> from dovetail.experimental import serialize_executable
      >>> compiled = dt.jit(lambda x: 2 * x).lower(1.0).compile()
      >>> data, in_tree, out_tree = serialize_executable.serialize(compiled)
      >>> float(serialize_executable.deserialize_and_load(data, in_tree, out_tree)(3.0))
      6.0
    """
    program = compiled.program
    avals = program.signature.avals
    if program.refs is not None or len(program.devices) > 1:
        raise value_error(
            "serialize: Compilation does not support serialization: the program must be for one "
            f"device and without references, got: `{program.name}`"
        )
    if any(has_sizes(aval.shape) for aval in avals):
        raise value_error(
            f"serialize: shapes must be known, got: symbolic ones of `{program.name}`; use "
            "dovetail.export"
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.vmfb"
        compiled.save(path)
        vmfb = path.read_bytes()
    notes = {
        "name": program.name,
        "avals": encode_avals(avals),
        "out_avals": encode_avals(program.avals),
        "digest": hashlib.sha256(vmfb).hexdigest(),
    }
    head = json.dumps(notes).encode() + b"\n"
    return _MAGIC + head + vmfb, compiled.in_tree, compiled.out_tree


def deserialize_and_load(
    serialized: bytes,
    in_tree: Any,
    out_tree: Any,
    backend: str | None = None,
    execution_devices: Sequence[Any] | None = None,
) -> LoadedExecutable:
    """The program that `serialize` made bytes of. Load only what you trust: it is machine code.

    Args:
      serialized: the bytes.
      in_tree, out_tree: the structures that `serialize` returned with them.
      backend: a platform's name, which must be the CPU's.
      execution_devices: must be the first device, if given.

    Raises:
      ValueError: the bytes are something else or damaged, or the device is another one.

    Example:
      >>> from dovetail.experimental import serialize_executable
      >>> compiled = dt.jit(dnp.sin).lower(0.0).compile()
      >>> loaded = serialize_executable.deserialize_and_load(
      ...     *serialize_executable.serialize(compiled)
      ... )
      >>> float(loaded(0.0))
      0.0
    """
    if backend not in (None, "cpu"):
        raise value_error(f"deserialize_and_load: backend must be 'cpu', got: {backend!r}")
    if execution_devices is not None and list(execution_devices) != dt.devices()[:1]:
        raise value_error(
            "deserialize_and_load: execution_devices must be the first device, got: "
            f"{list(execution_devices)}"
        )
    if not serialized.startswith(_MAGIC):
        raise value_error("deserialize_and_load needs what serialize returned, got: other bytes")
    head, _, vmfb = serialized[len(_MAGIC) :].partition(b"\n")
    notes = json.loads(head)
    if hashlib.sha256(vmfb).hexdigest() != notes["digest"]:
        raise value_error(
            "deserialize_and_load: the program must have the digest that it states, got: another "
            "one: it is damaged or cut off"
        )
    avals, out_avals = decode_avals(notes["avals"]), decode_avals(notes["out_avals"])
    return LoadedExecutable(vmfb, notes["name"], avals, out_avals, in_tree, out_tree)
