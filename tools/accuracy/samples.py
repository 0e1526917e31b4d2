"""Arguments of the real functions: with all exponents, and where errors are likely."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
from formats import Array, Format
from functions import FUNCTIONS

# Elements in one call of a compiled program.
BLOCK = 2**16
# Pairs are slower.
_MOST_PAIRS = 2**22


def blocks(name: str, element: str, form: Format, count: int) -> Iterator[list[Array]]:
    """The sample of one function and format, in parts of at most `BLOCK`.

    Args:
      name: the function's name.
      element: the format's name.
      form: the format.
      count: the number of equal parts of all bit patterns to sample, if there are that many,
        rounded up to a power of two; of pairs, at most 2^22 are drawn.

    Yields:
      One array per argument.
    """
    rng = np.random.default_rng(zlib.crc32(f"{name}:{element}".encode()))
    with np.errstate(all="ignore"):
        if FUNCTIONS[name].arity == 2:
            chosen = _pairs(name, form, min(count, _MOST_PAIRS), rng)
        else:
            count = min(1 << (count - 1).bit_length(), 2**form.width)
            chosen = [_places(name, form, min(count, 2**20), rng)]
            for start in range(0, count, BLOCK):
                yield [_strata(form, count, range(start, min(start + BLOCK, count)), rng)]
    for start in range(0, chosen[0].size, BLOCK):
        yield [x[start : start + BLOCK] for x in chosen]


def surroundings(points: Array, form: Format) -> Iterator[Array]:
    """Random numbers near each of a few finite ones, in parts of at most `BLOCK`."""
    rng = np.random.default_rng(0)
    wide = points[np.isfinite(points)].astype(np.float64)
    count = BLOCK // 4
    for start in range(0, wide.size, 4):
        centres = np.repeat(wide[start : start + 4], count)
        with np.errstate(over="ignore"):
            yield (centres * (1 + rng.uniform(-1, 1, centres.size) / 64)).astype(form.dtype)


def _strata(form: Format, count: int, parts: range, rng: np.random.Generator) -> Array:
    """One random value from each of some of `count` equal parts of all bit patterns."""
    step = 2**form.width // count
    starts = np.arange(parts.start, parts.stop, dtype=np.uint64) * np.uint64(step)
    offsets = rng.integers(0, step, starts.size, np.uint64)
    return (starts + offsets).astype(form.bits).view(form.dtype)


def _patterns(form: Format, count: int, rng: np.random.Generator) -> Array:
    """Random bits: every exponent is as likely as another."""
    raw = rng.integers(0, 2**form.width, count, np.uint64)
    return raw.astype(form.bits).view(form.dtype)


def subnormals(form: Format, count: int, rng: np.random.Generator) -> Array:
    """Subnormal numbers of both signs and every order of magnitude."""
    magnitudes = np.exp2(rng.uniform(0, form.precision - 1, count)).astype(form.bits)
    signs = rng.integers(0, 2, count).astype(form.bits) << form.bits.type(form.width - 1)
    return (magnitudes | signs).view(form.dtype)


def specials(form: Format) -> Array:
    """Zeros, units, extremes, infinities, NaN, subnormals and small integers, with both signs."""
    # The largest finite number as a difference, since 2^(greatest + 1) overflows.
    top = np.ldexp(1.0, form.greatest)
    least = np.ldexp(1.0, form.least)
    tiny = np.ldexp(1.0, form.least - form.precision + 1)
    largest = top + (top - np.ldexp(top, 1 - form.precision))
    values = [0, 1, 0.5, 1.5, 2, 3, 4, 5, 1e3, 1e4, top, largest, np.inf, least, tiny, 3 * tiny]
    values += [1 + np.ldexp(1.0, 1 - form.precision), 1 - np.ldexp(1.0, -form.precision)]
    values += [least - tiny, 2.0 ** (form.precision - 1) + 1, 2.0**form.precision]
    positive = np.array(values)
    return np.concatenate([positive, -positive, [np.nan]]).astype(form.dtype)


def _places(name: str, form: Format, count: int, rng: np.random.Generator) -> Array:
    """Special values, neighbourhoods and intervals of a function of one argument."""
    function = FUNCTIONS[name]
    parts = [specials(form)]
    parts += [_neighbours(point, form, 4096, rng) for point in function.points]
    for low, high in (*function.ranges, (-1.0, 1.0)):
        parts.append(rng.uniform(low, high, count // 4).astype(form.dtype))
    if name in ("sin", "cos", "tan"):
        parts.append(_near_multiples(form, count // 2, rng))
    return np.concatenate(parts)


def _neighbours(centre: float, form: Format, count: int, rng: np.random.Generator) -> Array:
    """The next floats on both sides, and some at distances of every order of magnitude."""
    start = np.array([centre], form.dtype).view(form.bits).astype(np.int64)
    close = start + np.arange(-count // 4, count // 4)
    near = close.astype(form.bits).view(form.dtype)
    steps = np.exp2(-rng.uniform(0, form.precision, count // 2)) * rng.choice([-1, 1], count // 2)
    return np.concatenate([near, (centre * (1 + steps) + (centre == 0) * steps).astype(form.dtype)])


def _near_multiples(form: Format, count: int, rng: np.random.Generator) -> Array:
    """Floats next to multiples of pi/2."""
    multiples = np.floor(np.exp2(rng.uniform(0, form.precision, count)))
    half_pi = np.longdouble("1.57079632679489661923132169163975144")
    values = (multiples * half_pi).astype(form.dtype).view(form.bits)
    return (values + rng.integers(-2, 3, count).astype(form.bits)).view(form.dtype)


def _pairs(name: str, form: Format, count: int, rng: np.random.Generator) -> list[Array]:
    """The sample of a function of two arguments."""
    grid = np.meshgrid(specials(form), specials(form))
    quarter = count // 4
    x = [grid[0].ravel(), _patterns(form, count, rng)]
    y = [grid[1].ravel(), _patterns(form, count, rng)]
    # Similar magnitudes, and integers.
    base = _patterns(form, quarter, rng)
    x.append(base)
    y.append((base.astype(form.wide) * rng.uniform(-4, 4, quarter)).astype(form.dtype))
    x.append(np.rint(rng.uniform(-50, 50, quarter)).astype(form.dtype))
    y.append(np.rint(rng.uniform(-50, 50, quarter)).astype(form.dtype))
    if name == "pow":
        # Exponents for which the result is finite, for any base and for bases close to 1.
        for bases in (
            np.exp2(rng.uniform(form.least, form.greatest, count)),
            1 + np.exp2(rng.uniform(-form.precision, -1, count)) * rng.choice([-1, 1], count),
            rng.uniform(0.5, 2, count),
        ):
            bases = bases.astype(form.dtype)
            logarithms = np.log2(bases.astype(form.wide))
            exponents = rng.uniform(form.least - form.precision, form.greatest, count) / logarithms
            usable = np.isfinite(exponents)
            x.append(bases[usable])
            y.append(exponents[usable].astype(form.dtype))
    return [np.concatenate(x), np.concatenate(y)]
