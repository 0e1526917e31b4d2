"""Functions of module files that several devices, and processes, run together.

An exporter writes how they are partitioned as entry `dovetail.spmd` of the function's
`iree.reflection`:

    {"axes": [["data", 4], ["model", 2]],
     "arguments": [[["data"], []], …], "results": [[["data"], ["model"]], …],
     "lines": ["at train.py:12 (step)", …],
     "text": "`step`(float32[8,2])", "digest": "5b2f…"}

For each array there are the axes over which each dimension is divided; the signature has the types
of whole arrays. `lines` are those of the collectives in the user's program, and the last two tell
programs apart.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from iree.runtime import VmModule

from . import processes
from .executable import LoadedModule
from .participants import Participants, SpmdExecutable
from .parts import Dims, Index, Parts, index_of, padded, shape_of_parts
from .processes import identity_of
from .reflection import read
from .signature import Signature
from .tree import Arguments, unflatten

SPMD_KEY = "dovetail.spmd"


@dataclass(frozen=True)
class Partitioning:
    """How a program is partitioned.

    Attributes:
      axes: the names and sizes of the mesh's axes.
      arguments: over which of them each dimension of each argument is divided.
      results: the same for results.
      lines: the lines in the user's program of its collectives.
      text: what the program is called in messages.
      digest: of the program, in hexadecimal digits.
    """

    axes: tuple[tuple[str, int], ...]
    arguments: tuple[Dims, ...]
    results: tuple[Dims, ...]
    lines: tuple[str, ...]
    text: str
    digest: str

    @property
    def size(self) -> int:
        """The number of participants."""
        return math.prod(size for _, size in self.axes)

    def to_json(self) -> str:
        """Returns the text that `from_reflection` reads."""
        return json.dumps(vars(self), separators=(",", ":"))

    @staticmethod
    def from_reflection(reflection: Mapping[str, str]) -> Partitioning | None:
        """Reads a function's reflection attributes; None if it runs on one device.

        Raises:
          ValueError: the text is malformed.
        """
        return read(reflection, SPMD_KEY, _partitioning_of)


def _partitioning_of(fields: Any) -> Partitioning:
    return Partitioning(
        tuple((str(name), int(size)) for name, size in fields["axes"]),
        tuple(fields["arguments"]),
        tuple(fields["results"]),
        tuple(map(str, fields["lines"])),
        str(fields["text"]),
        str(fields["digest"]),
    )


def is_spmd(module: VmModule) -> bool:
    """True if several devices run the functions of a module."""
    functions = map(module.lookup_function, module.function_names)
    return any(SPMD_KEY in function.reflection for function in functions if function is not None)


@functools.cache
def _participants(count: int, group: processes.ProcessGroup | None) -> Participants:
    """Participants of this process, or of all."""
    if group is None:
        return Participants(count)
    local, rest = divmod(count, group.count)
    if rest:
        raise ValueError(
            f"a program on {count} devices must be run by a number of processes that divides "
            f"{count}, got: {group.count}"
        )
    owners = [number // local for number in range(count)]
    return Participants(local, group.timeout, group.transport, processes=owners, turn=group.turn)


class SpmdFunction:
    """A function that several devices run together, on parts of arrays.

    In a process that is alone, all devices are threads of it. After `runtime.initialize()`, each
    process has as many of them, in the order of the processes, and all processes must call the
    function.

    Args:
      module: the module.
      name: the function's name.

    Attributes:
      name: its name.
      signature: the types of its arguments and results as whole arrays.
    """

    def __init__(self, module: LoadedModule, name: str) -> None:
        reflection = module.function(name).reflection
        signature, partitioning = (
            Signature.from_reflection(reflection),
            Partitioning.from_reflection(reflection),
        )
        if signature is None or partitioning is None:
            raise ValueError(f"{name} must say how it is partitioned, got: {sorted(reflection)}")
        self.name = name
        self.signature = signature
        self.partitioning = partitioning
        self._module = module
        self._arguments = Arguments(name, signature)

    @functools.cached_property
    def _executable(self) -> SpmdExecutable:
        partitioning = self.partitioning
        digest = bytes.fromhex(partitioning.digest)
        return SpmdExecutable(
            self._module.module,
            self.name,
            _participants(partitioning.size, processes.current()),
            lines=partitioning.lines,
            meets=bool(partitioning.lines),
            identity=identity_of(partitioning.text, digest),
        )

    def indices(self, argument: int) -> list[Index]:
        """The part of an argument, a leaf of all arguments, of each participant in this process."""
        spec = self.signature.inputs[argument]
        assert spec is not None
        return self._indices(self.partitioning.arguments[argument], spec.shape)

    def _indices(self, dims: Dims, shape: Sequence[Any]) -> list[Index]:
        axes = self.partitioning.axes
        numbers = self._executable.participants.global_numbers
        return [index_of(number, axes, dims, _known(shape)) for number in numbers]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function.

        Args:
          *args: arrays, or pytrees of arrays, as in the signature: `Parts`, or whole arrays, of
            which each participant takes its part.
          **kwargs: arguments by name, if the signature names them.

        Returns:
          The signature's pytree, of `Buffer`s where all participants have all of a result, and
          `Parts` otherwise.

        Raises:
          TypeError: the number or structure of the arguments, a shape or a dtype is wrong.
          CollectiveError: other processes run something else, or one has ended.
        """
        leaves = self._arguments.flatten(args, kwargs)
        divided = [self._divided(number, leaf) for number, leaf in enumerate(leaves)]
        executable = self._executable
        count = len(executable.executables)
        results = executable([[parts[i] for parts in divided] for i in range(count)])
        joined = [
            self._joined(number, [parts[number] for parts in results])
            for number in range(len(self.signature.outputs))
        ]
        if self.signature.in_tree is None:
            return joined[0] if len(joined) == 1 else tuple(joined)
        return unflatten(self.signature.out_tree, joined)

    def _divided(self, argument: int, value: Any) -> Sequence[Any]:
        """The part of an argument for each participant in this process."""
        indices = self.indices(argument)
        dims, spec = self.partitioning.arguments[argument], self.signature.inputs[argument]
        assert spec is not None
        shape = shape_of_parts(self.partitioning.axes, dims, _known(spec.shape))
        if type(value) is Parts:
            if value.indices is None or value.indices == indices:
                if len(value.parts) != len(indices):
                    raise TypeError(
                        f"{self.name}: an argument must have a part for each participant of this "
                        f"process, {len(indices)}, got: {len(value.parts)}"
                    )
                return [padded(part, shape) for part in value.parts]
            value = np.asarray(value)
        if not any(dims):
            return [value] * len(indices)
        whole = np.asarray(value)
        return [padded(np.ascontiguousarray(whole[index]), shape) for index in indices]

    def _joined(self, result: int, parts: Sequence[Any]) -> Any:
        dims, spec = self.partitioning.results[result], self.signature.outputs[result]
        assert spec is not None
        if not any(dims):
            return parts[0]
        shape = _known(spec.shape)
        indices = self._indices(dims, shape)
        return Parts(shape, [*map(_trimmed, parts, indices)], indices)

    def __repr__(self) -> str:
        return f"<function {self.name}{self.signature} on {self.partitioning.size} devices>"


def _known(shape: Sequence[Any]) -> tuple[int, ...]:
    """A shape whose sizes are all known, as those of partitioned programs are."""
    return tuple(map(int, shape))


def _trimmed(part: Any, index: Index) -> Any:
    """A part without what it is padded with."""
    sizes = tuple(one.stop - one.start for one in index)
    return part if part.shape == sizes else np.asarray(part)[tuple(map(slice, sizes))]
