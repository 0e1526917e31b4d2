"""The text of docs/accuracy.md."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from complex_functions import SCREENED
from formats import LIMIT
from measuring import WORST, Result


class Column(NamedTuple):
    """One type on one target, and the approximate number of arguments of each function."""

    title: str
    element: str
    target: str
    samples: int
    has_place: bool = False


REAL = (
    Column("f32", "f32", "cpu", 2**27, has_place=True),
    Column("f64", "f64", "cpu", 2**22, has_place=True),
    Column("f16", "f16", "cpu", 2**20),
    Column("bf16", "bf16", "cpu", 2**20),
    Column("generic f32", "f32", "cpu-generic", 2**26),
    Column("generic f64", "f64", "cpu-generic", 2**22),
    Column("Vulkan f32", "f32", "vulkan", 2**22),
)
COMPLEX = (
    Column("complex64", "complex64", "cpu", 2**20, has_place=True),
    Column("complex128", "complex128", "cpu", 2**12, has_place=True),
    Column("generic complex64", "complex64", "cpu-generic", 2**20),
    Column("generic complex128", "complex128", "cpu-generic", 2**12),
    Column("Vulkan complex64", "complex64", "vulkan", 2**20),
)
# The target and type for which subnormal numbers are examined.
SUBNORMAL = (
    *(("cpu", element) for element in ("f32", "f64", "f16", "bf16", "complex64", "complex128")),
    *(("cpu-generic", element) for element in ("f32", "f64", "f16", "bf16")),
    *(("vulkan", element) for element in ("f32", "complex64")),
)

_GENERIC = {"x86_64": "any x86_64, without fused multiply-add"}

_INTRODUCTION = """\
# Accuracy of the elementary functions

Written by `.venv/bin/python tools/accuracy --write`, which compiles each function of
`dovetail.ops` with `dovetail.jit` for a target, runs it, and compares the results with exact
values. It last ran with IREE {iree}:

- `cpu`: {machine}; columns below without a target are for this one.
- `cpu-generic`: {generic}; for programs that run on other machines.
- Vulkan: lavapipe, Mesa's driver that computes on the CPU.

{limits}

## Real functions

The largest errors found, in units in the last place (ulp) of the exact value, down to the spacing
of subnormals, and the arguments where they occur. A wrong NaN, infinity or sign, including the sign
of zero, counts as an infinite error.

- **f32**: of all 2³² values, a random one among each {step} consecutive ones; among {generic_step}
  on `cpu-generic`, among {vulkan_step} on Vulkan. **f64**: 2²² values, spread evenly over all bit
  patterns. In addition, for both: 2¹⁸ in each interval of interest; floats next to roots, branch
  points, limits and multiples of π/2; subnormals, the smallest and largest numbers, zeros,
  infinities, NaN; and, in three rounds, 2¹⁴ near each of the {worst} worst so far.
- **f16 and bf16** are computed in f32 and rounded once more. All 65,536 values are tried.
- **Functions of two arguments**: all pairs of special values, and 2²² random pairs (2²⁰ in f16 and
  bf16); for pow, three times as many more whose results are finite.
- **References** are the functions in f64, and in extended precision for f64. The {worst} arguments
  with the largest errors are recomputed with mpmath to 50 digits, which gives the errors below.
- max and min get no subnormals here (see below), and on Vulkan they do not order -0 and +0.

Not in the table: addition, multiplication and division, which are the processor's; `integer_pow`,
which for complex numbers and for exponents from -4 to 5 consists of products, each rounded, and
otherwise of pow; and the 8-bit formats, which are computed in f32 and rounded.

Each op rounds its result to its element type, even if several ops become one loop: compiled
programs in bf16, f16 and the 8-bit formats return what the same ops return one by one. Only sums
and matrix products are wider internally. A product whose only use is a sum may be rounded once,
with the sum, where the processor has an instruction for both in this type: f32 and f64 on nearly
all, f16 with AVX512-FP16. XLA does so, too.

"""

_COMPLEX = """
## Complex functions

The largest errors in norm, |result - exact| / |exact|, in units of the type's epsilon (2⁻²³ and
2⁻⁵²), where |exact| is a normal number that is neither within 10⁸ of the smallest one nor within a
factor of 2 of the largest. Errors of pow are divided by 1 + |y log x| / 2, as they grow with the
exponent of e, which is rounded.

The arguments are ordinary ones, neighbourhoods of roots, poles, branch points and the unit circle,
and, for some functions, the ends of the range: about 3,400, whose exact values mpmath computes to
60 digits or more. For complex64, {screened:,} random arguments and, in three rounds, 2¹² near each
of the {worst} worst so far are first compared with the same function of complex128, and the {worst}
worst of them are added. Infinities, NaN, signed zeros and branch cuts are compared with NumPy in
`tests/python/ops/test_complex.py`.

"""

_SUBNORMAL = """
## Subnormal numbers

IREE's CPU runtime makes the processor read and write subnormal numbers as zero in arithmetic on f32
and f64, and therefore on bf16. The real functions above compute with the bits of such numbers and
keep them, except for those in the following table. It was made with subnormal arguments, next to
ordinary and special ones, and with arguments whose result is subnormal. In addition to the
functions above it covers negation, arithmetic, comparison, and conversion to f64; a complex
function is judged in norm, on arguments with only subnormal parts. f16 is a special case: on
processors without instructions for it, IREE's own conversion from f32 writes zero for subnormals.

| target and type | zeros replace subnormal arguments, results, or both |
| --- | --- |
"""


def document(
    results: Sequence[Mapping[str, Result]],
    flushed: Mapping[tuple[str, str], Mapping[str, str]],
) -> str:
    """The whole text.

    Args:
      results: of each column of `REAL`, then of `COMPLEX`, by function.
      flushed: verdicts on subnormal numbers by target and type, then by function.
    """
    columns = (*REAL, *COMPLEX)
    real, complex_results = results[: len(REAL)], results[len(REAL) :]
    steps = {column.target: 2**32 // column.samples for column in REAL if column.element == "f32"}
    introduction = _INTRODUCTION.format(
        iree=importlib.metadata.version("iree-base-compiler"),
        machine=_machine(),
        generic=_GENERIC.get(platform.machine(), f"any {platform.machine()}"),
        limits=_limits(columns, results),
        step=steps["cpu"],
        generic_step=steps["cpu-generic"],
        vulkan_step=steps["vulkan"],
        worst=WORST,
    )
    return "".join(
        [
            introduction,
            _table(REAL, real),
            _COMPLEX.format(screened=SCREENED, worst=WORST),
            _table(COMPLEX, complex_results),
            _SUBNORMAL,
            *_subnormal_rows(flushed),
        ]
    )


def _machine() -> str:
    """The model of the processor."""
    path = Path("/proc/cpuinfo")
    flags = set(path.read_text(encoding="utf-8").split()) if path.exists() else set()
    names = {"avx512f": "AVX-512", "avx2": "AVX2", "asimd": "NEON"}
    vectors = next((text for flag, text in names.items() if flag in flags), "")
    features = [vectors] * bool(vectors) + ["fused multiply-add"] * ("fma" in flags)
    return platform.machine() + (f" with {' and '.join(features)}" if features else "")


def _limits(columns: Sequence[Column], results: Sequence[Mapping[str, Result]]) -> str:
    """A sentence on the limit, and everything that exceeds it."""
    bad = [
        f"- {name}, {column.title}: {result.error:.2f} at {result.place()}"
        for column, of_column in zip(columns, results, strict=True)
        for name, result in of_column.items()
        if result.is_bad
    ]
    if not bad:
        return f"No error exceeds {LIMIT:.0f} units."
    return f"Errors are to be at most {LIMIT:.0f} units. These exceed it:\n\n" + "\n".join(bad)


def _table(columns: Sequence[Column], results: Sequence[Mapping[str, Result]]) -> str:
    """One row for each function, one or two cells for each column, and the column's largest."""
    header, rule = ["function"], ["---"]
    for column in columns:
        header += [column.title, "at"] if column.has_place else [column.title]
        rule += ["---:", "---"] if column.has_place else ["---:"]
    rows = [header, rule]
    for name in results[0]:
        cells = [name]
        for column, of_column in zip(columns, results, strict=True):
            result = of_column[name]
            cells.append(f"{result.error:.2f}")
            if column.has_place:
                cells.append(f"`{result.place()}`" if result.place() else "")
        rows.append(cells)
    cells = ["**largest**"]
    for column, of_column in zip(columns, results, strict=True):
        cells.append(f"**{max(result.error for result in of_column.values()):.2f}**")
        if column.has_place:
            cells.append("")
    rows.append(cells)
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _subnormal_rows(flushed: Mapping[tuple[str, str], Mapping[str, str]]) -> list[str]:
    """One row for all targets and types of the same verdicts."""
    rows: dict[str, list[str]] = {}
    for (target, element), verdicts in flushed.items():
        parts = [name for name, judged in verdicts.items() if judged == "zero"]
        parts += [f"{name} (wrong)" for name, judged in verdicts.items() if judged == "wrong"]
        rows.setdefault(", ".join(parts) or "none", []).append(f"{target} {element}")
    return [f"| {', '.join(places)} | {names} |\n" for names, places in rows.items()]
