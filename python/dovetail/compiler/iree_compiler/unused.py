"""The functions that IREE links into each executable of a CPU, and that no code of ours calls."""

from __future__ import annotations

import functools
import platform
from collections.abc import Sequence
from pathlib import Path

# Functions of the C library and of floating-point arithmetic, which are compiled again with each
# executable. Rounding and products that older processors have no instructions for are not listed.
# The scalar functions of a program are in its text, and its copies are loops, in which LLVM is not
# allowed to see a call. A function that is called after all is right, and slow.
_OF_LIBRARY = (
    *("memcpy", "memmove", "memset"),
    *("exp", "expf", "fmodf", "frexpf", "ldexpf", "log", "powf", "scalbnf", "specialcase"),
    *(f"__math_{name}{of}" for name in ("invalid", "oflow", "uflow", "xflow") for of in ("", "f")),
    "__math_divzero",
    *("feclearexcept", "fegetenv", "fegetround", "feraiseexcept", "fesetenv", "fetestexcept"),
    "__fesetround",
)
# Conversions of f16 for which most processors have instructions; x86 has none from f64.
_OF_HALF = (
    *("__extendhfsf2", "__extendhfdf2", "__truncsfhf2"),
    *(f"{prefix}_{name}_ieee" for prefix in ("__gnu", "iree") for name in ("f2h", "h2f")),
)
_CPU = "--iree-llvmcpu-target-cpu="
_TRIPLE = "--iree-llvmcpu-target-triple="


def unused_functions(flags: Sequence[str]) -> tuple[str, ...]:
    """The functions that code for the CPU of a compiler's flags does not call."""
    return (*_OF_LIBRARY, *(_OF_HALF if _converts_half(flags) else ()))


def _converts_half(flags: Sequence[str]) -> bool:
    """Whether a processor is known to have instructions for the conversions of f16."""
    model = _value(flags, _CPU)
    machine = _value(flags, _TRIPLE).partition("-")[0] or platform.machine()
    if machine in ("aarch64", "arm64"):
        return True
    return _host_converts_half() if model == "host" else model in ("x86-64-v3", "x86-64-v4")


@functools.cache
def _host_converts_half() -> bool:
    """Whether this machine's processor does."""
    try:
        return " f16c " in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


def _value(flags: Sequence[str], start: str) -> str:
    return next((flag.removeprefix(start) for flag in flags if flag.startswith(start)), "")
