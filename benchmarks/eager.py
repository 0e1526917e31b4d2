"""Overhead of eager calls over NumPy's own: functions of small arrays, outside of any program.

Usage: eager.py [--repeat N] [--size N] [--only TEXT] [--limit µs] [--new]

Times are the best of N rounds in which the libraries take turns, so that a busy machine slows all
of them alike. JAX is measured too if it is installed. A summary comes at the end; with --limit the
exit status reports whether all differences are below the limit. --new measures calls that are not
cached yet instead: the first, the second, which is recorded, and the third.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import statistics
import sys
import time
import timeit
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import dovetail.lax as dlax
import dovetail.numpy as dnp

# The approximate duration of a round for each function and library, in seconds.
ROUND = 2e-3

# The calls, given a library like NumPy and its arrays: vectors x and y of floats, i and k of
# integers, j of two indices, b of bools, c of complex numbers, n with NaN and u of bytes; square
# matrices m of floats and p of small integers; t of rank 3.
NUMPY = """
x + y; x + 1.0; 2 * x; x / y; x ** 2; x ** 3; x ** 0.5; x ** y; -x; x > 0; i // k; i % k; i // 3;
i & 1; i << k; ~b; x // y; x % y; i ** i; x[1]; x[1:3]; m[0, ::-1]; x[:, None]; x[j]; x[b];
m[i, k]; m @ m; x @ m; x.astype(np.int32); m.reshape(-1); m.sum(axis=0); m.argsort(axis=0);
x.mean(); x.std(); np.lcm(i, i); np.cumsum(x); np.where(b, x, y); np.zeros(4); np.arange(4);
np.einsum("ij,j->i", m, x); np.stack([x, y]); np.absolute(c); np.angle(c); np.all(b);
np.allclose(x, y); np.amax(x); np.amin(x); np.any(m); np.append(x, y); np.around(x);
np.round(x, 2); np.array_equal(x, y); np.array_equiv(x, y); np.array_split(x, 2); np.asarray(x);
np.astype(x, np.float16); np.atleast_1d(x); np.atleast_2d(x); np.atleast_3d(x); np.average(x);
np.average(x, weights=y); np.average(m, axis=0); np.bincount(i); np.bincount(i, weights=x);
np.bitwise_and(i, k); np.bitwise_count(u); np.bitwise_invert(i); np.bitwise_left_shift(i, k);
np.bitwise_not(i); np.bitwise_right_shift(i, k); np.block([[m, m], [m, m]]);
np.broadcast_arrays(x, m); np.broadcast_to(x, (4, 4)); np.cbrt(x); np.ceil(x); np.choose(i, p);
np.choose(i, [x, y, x, y]); np.clip(x, 0.6, 1.0); np.column_stack([x, y]); np.compress(b, x);
np.concat([x, y]); np.concatenate([x, y]); np.concatenate([m, m], axis=1); np.conj(c);
np.convolve(x, y); np.copy(x); np.copysign(x, y); np.corrcoef(m); np.correlate(x, y); np.cos(x);
np.cosh(x); np.count_nonzero(x); np.count_nonzero(m, axis=0); np.cov(m); np.cumprod(x);
np.cumsum(m, axis=1); np.cumulative_sum(x); np.cumulative_prod(x); np.deg2rad(x); np.degrees(x);
np.delete(x, 1); np.diag(x); np.diag(x, 1); np.diag(m); np.diag(m, 1); np.diagflat(x);
np.diagonal(m); np.diff(x); np.diff(m, axis=0); np.digitize(x, y); np.divide(x, y);
np.divmod(i, k); np.dot(x, y); np.dot(m, m); np.dsplit(t, 2); np.dstack([x, y]); np.ediff1d(x);
np.einsum("ij,jk->ik", m, m); np.equal(x, y); np.exp(x); np.exp2(x); np.expand_dims(x, 0);
np.expm1(x); np.extract(b, x); np.eye(4); np.fabs(x); np.flatnonzero(x); np.flip(x);
np.fliplr(m); np.flipud(m); np.float_power(x, y); np.floor(x); np.floor_divide(x, y);
np.fmax(x, y); np.fmin(x, y); np.fmod(x, y); np.frexp(x); np.full(4, 2.0); np.full_like(x, 2.0);
np.gcd(i, k); np.geomspace(1.0, 2.0, 4); np.gradient(x); np.greater(x, y); np.heaviside(x, y);
np.histogram(x); np.histogram_bin_edges(x); np.hsplit(x, 2); np.hstack([x, y]); np.hypot(x, y);
np.i0(x); np.identity(4); np.imag(c); np.inner(x, y); np.inner(m, m); np.insert(x, 1, 2.0);
np.interp(x, x, y); np.intersect1d(x, y); np.invert(i); np.isclose(x, y); np.isfinite(x);
np.isin(x, y); np.isinf(x); np.isneginf(x); np.isposinf(x); np.isreal(c); np.iscomplex(c);
np.kron(x, y); np.kron(m, m); np.lcm(i, k); np.ldexp(x, i); np.less(x, y); np.lexsort((x, y));
np.linspace(0.0, 1.0, 4); np.log(x); np.log10(x); np.log1p(x); np.log2(x); np.logaddexp(x, y);
np.logical_not(b); np.logical_xor(b, b); np.logspace(0.0, 1.0, 4); np.matmul(m, m);
np.matrix_transpose(m); np.matvec(m, x); np.max(x); np.max(m, axis=1); np.maximum(x, y);
np.mean(x); np.mean(m, axis=0); np.median(x); np.median(m, axis=0); np.meshgrid(x, y); np.min(x);
np.minimum(x, y); np.mod(i, k); np.modf(x); np.moveaxis(t, 0, 1); np.multiply(x, y);
np.nan_to_num(n); np.nanargmax(n); np.nanargmin(n); np.nancumprod(n); np.nancumsum(n);
np.nanmax(n); np.nanmean(n); np.nanmedian(n); np.nanmin(n); np.nanpercentile(n, 50.0);
np.nanprod(n); np.nanquantile(n, 0.5); np.nanstd(n); np.nansum(n); np.nanvar(n); np.negative(x);
np.nextafter(x, y); np.nonzero(m); np.not_equal(x, y); np.ones((2, 2)); np.ones_like(x);
np.outer(x, y); np.packbits(b); np.pad(x, 1); np.pad(m, ((1, 1), (0, 0))); np.partition(x, 2);
np.argpartition(x, 2); np.percentile(x, 50.0); np.permute_dims(t, (1, 0, 2)); np.poly(x);
np.polyadd(x, y); np.polyder(x); np.polyint(x); np.polymul(x, y);
np.polysub(x, y); np.polyval(x, y); np.positive(x); np.pow(x, y); np.power(i, k); np.prod(x);
np.ptp(x); np.ptp(m, axis=0); np.quantile(x, 0.5); np.quantile(m, 0.5, axis=0); np.rad2deg(x);
np.radians(x); np.ravel(m); np.ravel_multi_index((i, k), (4, 4), mode="clip"); np.real(c);
np.reciprocal(x); np.remainder(x, y); np.repeat(x, 2); np.repeat(m, 2, axis=0);
np.reshape(m, (2, 8)); np.resize(x, (2, 3)); np.right_shift(i, k); np.rint(x); np.roll(x, 1);
np.roll(m, 1, axis=0); np.rollaxis(t, 2); np.rot90(m); np.searchsorted(x, y); np.setdiff1d(x, y);
np.setxor1d(x, y); np.sign(x); np.signbit(x); np.sin(x); np.sinc(x); np.sinh(x); np.sort(m);
np.sort_complex(x); np.spacing(x); np.split(x, 2); np.sqrt(x); np.square(x); np.squeeze(x);
np.std(x); np.std(m, axis=0); np.subtract(x, y); np.sum(m, axis=(0, 1)); np.swapaxes(m, 0, 1);
np.take(m, j, axis=0); np.take_along_axis(x, j, 0); np.tan(x); np.tanh(x); np.tensordot(m, m, 1);
np.tensordot(m, m); np.tile(x, 2); np.tile(m, (2, 1)); np.trace(m); np.transpose(t);
np.trapezoid(x); np.tri(4); np.tril(m); np.tril_indices(4); np.trim_zeros(x); np.triu(m);
np.triu_indices(4); np.true_divide(x, y); np.trunc(x); np.union1d(x, y); np.unique(i);
np.unpackbits(u); np.unravel_index(i, (2, 2)); np.unstack(m); np.unwrap(x);
np.vander(x); np.var(x); np.vdot(x, y); np.vecdot(x, y); np.vecdot(m, m); np.vecmat(x, m);
np.vsplit(m, 2); np.vstack([x, y]); np.where(b); np.zeros((2, 2)); np.zeros_like(x);
np.argmax(m, axis=1); np.argmin(x); np.argsort(m); np.argwhere(b); np.blackman(4); np.hamming(4);
np.hanning(4); np.kaiser(4, 2.0); np.bartlett(4); np.ix_(i, k); np.indices((2, 2));
np.diag_indices(4); np.diag_indices_from(m); np.tril_indices_from(m); np.nanmax(m, axis=0);
np.array([1.0, 2.0]); np.array(x)
"""

# Functions of lax, and their equivalents in NumPy.
LAX: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "lax.add": (lambda lax, **v: lax.add(v["x"], v["y"]), lambda np, **v: np.add(v["x"], v["y"])),
    "lax.exp": (lambda lax, **v: lax.exp(v["x"]), lambda np, **v: np.exp(v["x"])),
    "lax.select": (
        lambda lax, **v: lax.select(v["b"], v["x"], v["y"]),
        lambda np, **v: np.where(v["b"], v["x"], v["y"]),
    ),
    "lax.reduce_sum": (
        lambda lax, **v: lax.reduce_sum(v["m"], (0,)),
        lambda np, **v: np.sum(v["m"], (0,)),
    ),
    "lax.dot": (lambda lax, **v: lax.dot(v["m"], v["x"]), lambda np, **v: np.dot(v["m"], v["x"])),
    "lax.reshape": (
        lambda lax, **v: lax.reshape(v["m"], (v["m"].size,)),
        lambda np, **v: np.reshape(v["m"], (v["m"].size,)),
    ),
    "lax.dynamic_slice": (
        lambda lax, **v: lax.dynamic_slice(v["x"], (1,), (2,)),
        lambda np, **v: v["x"][1:3],
    ),
}


def arrays(size: int) -> dict[str, np.ndarray]:
    """The arguments."""
    x = np.linspace(0.5, 2.0, size, dtype=np.float32)
    numbers = np.arange(size, dtype=np.int32)
    return {
        "x": x,
        "y": x[::-1].copy(),
        "m": np.outer(x, x),
        "i": numbers,
        "k": numbers[::-1] % 3 + 1,
        "j": np.array([size - 1, 0], np.int32),
        "b": x > 1,
        "c": x + 1j * x,
        "n": np.where(numbers == 1, np.float32("nan"), x),
        "u": numbers.astype(np.uint8),
        "p": np.add.outer(numbers, numbers) % size,
        "t": np.ones((2, 3, size), np.float32),
    }


def function_of(text: str) -> Callable[..., Any]:
    """A call as a function of the library and the arrays."""
    return eval(f"lambda np, x, y, m, i, k, j, b, c, n, u, p, t: {text}")


def leaves(result: Any) -> list[np.ndarray]:
    """The arrays of a result, one after the other."""
    if isinstance(result, (list, tuple)):
        return [leaf for part in result for leaf in leaves(part)]
    return [np.asarray(result)]


def rows(size: int, only: str) -> Iterator[tuple[str, dict[str, Callable[[], Any]]]]:
    """Each function, with a call for each library."""
    plain = arrays(size)
    libraries: list[tuple[str, Any, Any, Any]] = [("Dovetail", dnp, dlax, dnp.asarray)]
    with contextlib.suppress(ImportError):
        import jax.numpy  # type: ignore

        libraries.append(("JAX", jax.numpy, jax.lax, jax.numpy.asarray))
    names = [text.strip() for text in NUMPY.replace("\n", " ").split(";")]
    for name in [*names, *LAX]:
        if only not in name:
            continue
        ours, theirs = LAX[name] if name in LAX else (function_of(name),) * 2
        calls: dict[str, Callable[[], Any]] = {"NumPy": functools.partial(theirs, np, **plain)}
        for library, numpy, lax, asarray in libraries:
            values = {key: asarray(value) for key, value in plain.items()}
            calls[library] = functools.partial(ours, lax if name in LAX else numpy, **values)
        expected = leaves(calls["NumPy"]())
        # More than twice before the clock starts: then a call is cached.
        for _ in range(4):
            results = leaves(calls["Dovetail"]())
            for result, wanted in zip(results, expected, strict=True):
                if not np.allclose(result, wanted, rtol=1e-4, atol=1e-5, equal_nan=True):
                    raise RuntimeError(f"{name} computes something else: {result}")
        yield name, calls


def measure(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The best time of a call for each library, in seconds."""
    counts, best = {}, {}
    for library, call in list(calls.items()):
        try:
            call()
        except (TypeError, ValueError, NotImplementedError, AttributeError):
            # JAX lacks some of NumPy's functions; Dovetail has all of them, so its errors are ours.
            if library != "JAX":
                raise
            del calls[library]
            continue
        once = min(timeit.repeat(call, number=1, repeat=3))
        counts[library], best[library] = max(3, int(ROUND / max(once, 1e-6))), float("inf")
    for _ in range(repeat):
        for library, call in calls.items():
            seconds = timeit.timeit(call, number=counts[library]) / counts[library]
            best[library] = min(best[library], seconds)
    return best


def measure_new(size: int, only: str, repeat: int) -> None:
    """Prints the times of the first calls of each function, in µs."""
    from dovetail import _core

    best: dict[str, list[float]] = {}
    for name, calls in rows(size, only):
        times = best[name] = [float("inf")] * 3
        for _ in range(repeat):
            _core.clear_eager_cache()
            for i in range(3):
                start = time.perf_counter()
                calls["Dovetail"]()
                times[i] = min(times[i], 1e6 * (time.perf_counter() - start))
    print("| call | median | nine tenths are below |")
    print("|---" * 3 + "|")
    for i, which in enumerate(("first", "second", "third")):
        ordered = sorted(times[i] for times in best.values())
        middle, most = statistics.median(ordered), ordered[int(0.9 * len(ordered))]
        print(f"| {which} | {middle:.1f} | {most:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what an eager call costs.")
    parser.add_argument("--repeat", type=int, default=10, help="rounds (default: %(default)s)")
    parser.add_argument("--size", type=int, default=4, help="of vectors (default: %(default)s)")
    parser.add_argument("--only", default="", help="measure the calls whose text has this in it")
    parser.add_argument("--limit", type=float, help="the largest difference to NumPy, in µs")
    parser.add_argument("--new", action="store_true", help="measure calls that are not cached")
    options = parser.parse_args()
    if options.new:
        measure_new(options.size, options.only, options.repeat)
        return
    differences = {}
    print("| call | NumPy | Dovetail | JAX | over NumPy |")
    print("|---" * 5 + "|")
    for name, calls in rows(options.size, options.only):
        best = measure(calls, options.repeat)
        differences[name] = 1e6 * (best["Dovetail"] - best["NumPy"])
        times = [
            f"{1e6 * best[key]:.2f}" if key in best else "" for key in ("NumPy", "Dovetail", "JAX")
        ]
        print(f"| `{name}` | {' | '.join(times)} | {differences[name]:.2f} |", flush=True)
    ordered = sorted(differences.values())
    over = [name for name, difference in differences.items() if difference > 3]
    print(f"\n{len(ordered)} calls: {statistics.median(ordered):.2f} µs over NumPy's in the median")
    print(f"{ordered[-1]:.2f} µs at most; more than 3 µs: {', '.join(over) or 'none'}")
    if options.limit is not None and ordered[-1] > options.limit:
        sys.exit(1)


if __name__ == "__main__":
    main()
