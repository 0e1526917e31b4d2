"""Compilation targets, and their flags for `iree-compile`."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dovetail.compiler import iree_tool
from dovetail.runtime.notes import architecture as this_architecture
from dovetail.runtime.notes import processor_features

COMMON_FLAGS = (
    "--iree-input-type=none",
    # IREE's default silently computes f64 in f32.
    "--iree-input-demote-f64-to-f32=false",
    "--iree-opt-level=O2",
    # With it, IREE 3.13 forms one dispatch of row-wise sums and the sum of all rows, and computes
    # wrong numbers, for example in the loss and gradient of a classifier; and it saves no time.
    "--iree-dispatch-creation-fuse-multi-use=false",
    # What depends on constants alone is computed ahead, which takes 30 to 300 ms: with
    # `--iree-opt-const-eval=false`, IREE 3.13 computes the halves of a split constant key alike.
)

_CPU_FLAGS = (
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-debug-symbols=false",
    # Loops that IREE does not vectorize itself, such as those on complex numbers, by LLVM.
    "--iree-llvmcpu-loop-vectorization=true",
    # The default of 32 KiB rejects a data-tiled contraction whose users are fused into it; threads
    # have megabytes.
    "--iree-llvmcpu-stack-allocation-limit=131072",
)


class _Backend(NamedTuple):
    """A kind of device.

    Attributes:
      hal: IREE's name for it.
      device: the runtime's driver for it.
      arch: the default model.
      model: the flag that sets the model.
      flags: flags that do not depend on the model.
    """

    hal: str
    device: str
    arch: str
    model: str = ""
    flags: tuple[str, ...] = ()


# IREE 3.13 does not support sm_90, which runs the PTX for older models.
_BACKENDS = {
    "cpu": _Backend("local", "local-task", "host", "", _CPU_FLAGS),
    "cpu-generic": _Backend("local", "local-task", "generic", "", _CPU_FLAGS),
    "cuda": _Backend("cuda", "cuda", "sm_80", "--iree-cuda-target"),
    "rocm": _Backend("hip", "hip", "gfx942", "--iree-rocm-target"),
    "vulkan": _Backend("vulkan", "vulkan", "llvmpipe", "--iree-vulkan-target"),
    # Shaders stay source text: building a metallib needs Apple's tools.
    "metal": _Backend("metal", "metal", "", "", ("--iree-metal-compile-to-metallib=false",)),
}

# The processor model whose code runs on all processors of its architecture; the flags for any of
# them. Code is independent of the operating system: IREE's loader is the same on all.
_ARCHITECTURES = {
    "x86_64": ("x86-64", ()),
    "aarch64": ("generic", ()),
    "riscv64": (
        "generic-rv64",
        # Required by Linux on RISC-V.
        ("--iree-llvmcpu-target-cpu-features=+m,+a,+f,+d,+c", "--iree-llvmcpu-target-abi=lp64d"),
    ),
}
_SAME_ARCHITECTURE = {"amd64": "x86_64", "x86-64": "x86_64", "arm64": "aarch64"}

# Features of the levels of x86-64, by Linux's names.
_X86_2 = ("cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3")
_X86_3 = (*_X86_2, "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe")
_X86_4 = (*_X86_3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
_FEATURES = {"x86-64-v2": _X86_2, "x86-64-v3": _X86_3, "x86-64-v4": _X86_4}
# Additional features that code for this machine may use if its processor has them.
_USED_FEATURES = frozenset(
    f"{' '.join(_X86_4)} avx512_vnni avx512_bf16 avx512_fp16 avx512_vbmi2 avx_vnni amx_tile "
    "asimd asimddp asimdhp fphp atomics bf16 i8mm sve sve2 v".split()
)


@dataclass(frozen=True)
class Target:
    """A compilation target.

    Args:
      backend: `cpu` (this machine's), `cpu-generic` (any machine of this architecture), `cuda`,
        `rocm`, `vulkan` or `metal`.
      arch: the device model, by IREE's name (`sm_89`, `gfx942`, `znver4`); empty for the default.
        For a CPU also an architecture (`x86_64`, `aarch64`, `riscv64`), a level of it
        (`x86-64-v3`), or an architecture and a model (`aarch64:neoverse-v1`).
    """

    backend: str = "cpu"
    arch: str = ""

    def __post_init__(self) -> None:
        if self.backend not in _BACKENDS:
            raise ValueError(f"target must be one of {', '.join(_BACKENDS)}, got: {self.backend!r}")
        if self.arch and not _BACKENDS[self.backend].arch:
            raise ValueError(f"target {self.backend!r} has no models, got: {self.arch!r}")
        if self.arch and self.backend == "cpu-generic":
            raise ValueError(
                f"target 'cpu-generic' has no models, got: {self.arch!r}; write 'cpu:{self.arch}'"
            )
        if ":" in self.arch and (self.backend != "cpu" or self._cpu[0] not in _ARCHITECTURES):
            raise ValueError(
                f"a target is backend:model, of a CPU also cpu:architecture:model with one of "
                f"{', '.join(_ARCHITECTURES)}, got: '{self.backend}:{self.arch}'"
            )

    @staticmethod
    def parse(text: str) -> Target:
        """Parse `backend` or `backend:arch`, for example `cuda:sm_89`."""
        backend, _, arch = text.partition(":")
        return Target(backend, arch)

    def __str__(self) -> str:
        return f"{self.backend}:{self.arch}" if self.arch else self.backend

    @property
    def is_cpu(self) -> bool:
        """True if the target is a CPU."""
        return _BACKENDS[self.backend].hal == "local"

    @property
    def is_spirv(self) -> bool:
        """True if the target's code is SPIR-V, or made of it."""
        return self.backend in ("vulkan", "metal")

    @property
    def device(self) -> str:
        """The runtime device that runs such modules."""
        return _BACKENDS[self.backend].device

    @property
    def code(self) -> str:
        """The kind of code: a file holds one of each, from which its loader chooses."""
        return f"cpu {self._cpu[0] or this_architecture()}" if self.is_cpu else self.backend

    @property
    def processor(self) -> tuple[str, tuple[str, ...]]:
        """A CPU's architecture and the features that code may use, as far as they are known."""
        architecture, model = self._cpu
        if model == "host":
            return this_architecture(), tuple(sorted(processor_features() & _USED_FEATURES))
        return architecture or this_architecture(), _FEATURES.get(model, ())

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags of `iree-compile` for this target."""
        return (*COMMON_FLAGS, f"--iree-hal-target-device={self._hal}", *self._flags)

    @property
    def is_host(self) -> bool:
        """True if the result depends on the compiling machine."""
        return self.is_cpu and self._cpu[1] == "host"

    @property
    def _hal(self) -> str:
        return _BACKENDS[self.backend].hal

    @property
    def _flags(self) -> tuple[str, ...]:
        backend = _BACKENDS[self.backend]
        if self.is_cpu:
            return (*backend.flags, *self._cpu_flags)
        model = (f"{backend.model}={self.arch or backend.arch}",) if backend.model else ()
        return (*backend.flags, *model)

    @property
    def _cpu(self) -> tuple[str, str]:
        """The architecture, empty for that of this machine, and the model."""
        head, colon, model = (self.arch or _BACKENDS[self.backend].arch).partition(":")
        architecture = _SAME_ARCHITECTURE.get(head, head)
        if architecture in _ARCHITECTURES:
            return architecture, model or _ARCHITECTURES[architecture][0]
        if colon:
            return head, model
        return ("x86_64" if head.startswith("x86-64") else ""), head

    @property
    def _cpu_flags(self) -> tuple[str, ...]:
        architecture, model = self._cpu
        flags = (f"--iree-llvmcpu-target-cpu={model}",)
        if not architecture:
            return flags
        triple = f"--iree-llvmcpu-target-triple={architecture}-unknown-linux-gnu"
        return (*flags, triple, *_ARCHITECTURES[architecture][1])


@dataclass(frozen=True)
class Targets:
    """Several targets of one file, whose loader chooses by device.

    Args:
      each: the targets, of different kinds of code.
    """

    each: tuple[Target, ...]

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags of `iree-compile`."""
        if len(self.each) == 1:
            return self.each[0].flags
        cpus = [target for target in self.each if target.is_cpu]
        common, models, devices = [*COMMON_FLAGS], [], {}
        for target in self.each:
            backend = _BACKENDS[target.backend]
            common += backend.flags
            devices[target._hal] = f'#hal.device.alias<"{target._hal}"> : !hal.device'
            if not target.is_cpu or len(cpus) == 1:
                models += [flag for flag in target._flags if flag not in backend.flags]
        if len(cpus) > 1:
            kinds = ", ".join(_executable_target(target) for target in cpus)
            devices["local"] = f'#hal.device.target<"local", [{kinds}]> : !hal.device'
        chosen = f"#hal.device.select<[{', '.join(devices.values())}]> : !hal.device"
        # IREE 3.13 keeps only one kind of the code that it links.
        linking = "--iree-hal-link-executables=false"
        return (*dict.fromkeys([*common, *models]), linking, f"--iree-hal-target-device={chosen}")

    @property
    def is_host(self) -> bool:
        """True if the result depends on the compiling machine."""
        return any(target.is_host for target in self.each)


@functools.cache
def _executable_target(target: Target) -> str:
    """IREE's description of a CPU of the given model."""
    done = iree_tool.run([*target.flags, "--compile-to=executable-sources"], "module {}")
    found = re.search(r'#hal\.device\.target<"local", \[(.*)\]> : !hal\.device', done.stdout)
    if done.returncode != 0 or found is None:
        raise ValueError(f"IREE knows no target {str(target)!r}: {done.stderr.strip()[:400]}")
    return found[1]


def parse_targets(targets: str | Target | Sequence[str | Target]) -> tuple[Target, ...]:
    """The targets with these texts, each once.

    Raises:
      ValueError: there is none, or one that does not exist.
    """
    given = [targets] if isinstance(targets, (str, Target)) else list(targets)
    parsed = [Target.parse(one) if isinstance(one, str) else one for one in given]
    if not parsed:
        raise ValueError("targets must name one target at least, got: none")
    return tuple(dict.fromkeys(parsed))
