"""Metadata in a module file: its writer, target devices and requirements.

An exporter writes the JSON as entry `dovetail.module` of each function's `iree.reflection`:

    {"version": "0.1.0", "targets": ["cpu:x86-64-v3", "vulkan"],
     "processor": {"x86_64": ["avx2", "fma", …]},
     "parameters": {"model": {"file": "weights.irpa",
                              "arrays": {"params.w": {"shape": [2, 2], "dtype": "float32"}, …}}},
     "foreign": {"rms_norm": {"kind": "xla", "library": "librms_norm.so",
                              "symbols": {"execute": "RmsNorm"}}}}

`processor` lists the processor features that the code needs, by their Linux names; an array of
`parameters` is named by its scope and its key. `foreign` are functions of native libraries.
"""

from __future__ import annotations

import functools
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .foreign import Symbols
from .reflection import read
from .signature import ArraySpec, spec_from_json, spec_to_json

NOTES_KEY = "dovetail.module"

_ARCHITECTURES = {"amd64": "x86_64", "arm64": "aarch64"}


@dataclass(frozen=True)
class Parameters:
    """Arrays that a module reads from a file.

    Attributes:
      file: the name of the file, which is searched for in the module's folder; empty if none was
        written.
      arrays: their types, by their keys.
    """

    file: str
    arrays: Mapping[str, ArraySpec]


@dataclass(frozen=True)
class Notes:
    """The metadata of a module file.

    Attributes:
      version: the version of Dovetail that wrote it.
      targets: the targets it was compiled for.
      processor: the processor features that its code for an architecture needs.
      parameters: the arrays that it reads from files, by scope.
      foreign: where the functions of native libraries are that it calls, by their names.

    Example:
      >>> from dovetail import runtime
      >>> runtime.Notes("0.1.0", ("cpu:x86-64-v3", "vulkan")).to_json()
      '{"version": "0.1.0", "targets": ["cpu:x86-64-v3", "vulkan"]}'
    """

    version: str
    targets: tuple[str, ...] = ()
    processor: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    parameters: Mapping[str, Parameters] = field(default_factory=dict)
    foreign: Mapping[str, Symbols] = field(default_factory=dict)

    def to_json(self) -> str:
        """Returns the text that `from_reflection` reads."""
        fields = {
            "version": self.version,
            "targets": self.targets,
            "processor": dict(self.processor),
            "parameters": {
                scope: {
                    "file": parameters.file,
                    "arrays": {key: spec_to_json(spec) for key, spec in parameters.arrays.items()},
                }
                for scope, parameters in self.parameters.items()
            },
            "foreign": {name: symbols._asdict() for name, symbols in self.foreign.items()},
        }
        return json.dumps({key: value for key, value in fields.items() if value})

    @staticmethod
    def from_reflection(reflection: Mapping[str, str]) -> Notes | None:
        """Reads metadata from a function's reflection attributes; None if there are none.

        Raises:
          ValueError: the text is malformed.
        """
        return read(reflection, NOTES_KEY, _from_fields)

    def missing_in_processor(self) -> list[str]:
        """Processor features that the code for this machine needs but the processor lacks."""
        known = processor_features()
        return [f for f in self.processor.get(architecture(), ()) if known and f not in known]


def _from_fields(fields: dict[str, Any]) -> Notes:
    parameters = {
        str(scope): Parameters(
            str(value["file"]),
            {str(key): spec_from_json(spec) for key, spec in value["arrays"].items()},
        )
        for scope, value in fields.get("parameters", {}).items()
    }
    processor = {str(k): tuple(map(str, v)) for k, v in fields.get("processor", {}).items()}
    targets = tuple(map(str, fields.get("targets", ())))
    foreign = {
        str(name): Symbols(
            str(value["kind"]),
            str(value["library"]),
            {str(stage): str(symbol) for stage, symbol in value["symbols"].items()},
        )
        for name, value in fields.get("foreign", {}).items()
    }
    return Notes(str(fields["version"]), targets, processor, parameters, foreign)


def architecture() -> str:
    """This machine's architecture: `x86_64`, `aarch64`, `riscv64` …"""
    machine = platform.machine().lower()
    return _ARCHITECTURES.get(machine, machine)


@functools.cache
def processor_features() -> frozenset[str]:
    """The processor's features according to Linux; empty on other systems."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith(("flags", "Features")):
                    return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()
