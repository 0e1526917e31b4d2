"""Functions of an array of shape (b, 6), compared with their results at known sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
import dovetail.scipy as dsp
from dovetail import lax, nn, random

Function = Callable[[Any], Any]

key = random.key(3)


def positive(x: Any) -> Any:
    return dnp.abs(x) + 0.5


def square(x: Any) -> Any:
    """A positive definite matrix of b rows."""
    return x @ x.T + dnp.eye(x.shape[0])


def integers(x: Any) -> Any:
    return (x * 50).astype(dnp.int32)


POINTWISE: dict[str, Function] = {
    "trigonometric": lambda x: dnp.sin(x) + dnp.cos(x) + dnp.tan(x) + dnp.arctan2(x, 1 + x),
    "hyperbolic": lambda x: dnp.sinh(x) + dnp.cosh(x) * dnp.tanh(x) + dnp.arcsinh(x),
    "powers": lambda x: positive(x) ** 1.5 + dnp.cbrt(x) + dnp.square(x) + dnp.float_power(2, x),
    "logarithms": lambda x: dnp.log1p(positive(x)) + dnp.logaddexp(x, 2 * x) + dnp.exp2(x),
    "rounding": lambda x: dnp.round(x, 1) + dnp.floor(x) + dnp.rint(x * 3) + dnp.trunc(x),
    "modf": lambda x: dnp.modf(x * 3),
    "frexp": lambda x: dnp.frexp(x),
    "divmod": lambda x: dnp.divmod(x, 0.3),
    "remainders": lambda x: dnp.fmod(x, 0.7) + dnp.remainder(x, 0.7) + lax.rem(x, x + 3),
    "gcd": lambda x: dnp.gcd(integers(x), 12) + dnp.lcm(integers(x), 4),
    "bits": lambda x: (integers(x) & 7) ^ (integers(x) << 2) | dnp.bitwise_count(integers(x)),
    "hypot": lambda x: dnp.hypot(x, x[:1]) + dnp.copysign(x, -x) + dnp.heaviside(x, 0.5),
    "nan_to_num": lambda x: dnp.nan_to_num(x / dnp.zeros_like(x)),
    "clip": lambda x: dnp.clip(x, -0.5, x.mean()) + lax.clamp(-0.2, x, 0.4),
    "select": lambda x: dnp.select([x > 0.5, x > 0], [x, -x], 7.0),
    "piecewise": lambda x: dnp.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * 2]),
    "where three": lambda x: dnp.where(x > 0, x, x[:1]),
    "choose": lambda x: dnp.choose((x > 0).astype(dnp.int32), [x, -x], mode="clip"),
    "sinc": lambda x: dnp.sinc(x) + dnp.i0(x),
    "complex": lambda x: dnp.abs(lax.complex(x, 1 - x)) + dnp.angle(x + 1j),
    "convert": lambda x: x.astype(dnp.int8).astype(dnp.float16) + lax.reduce_precision(x, 5, 4),
    "bitcast": lambda x: lax.bitcast_convert_type(x, np.int32),
    "bitcast to bytes": lambda x: lax.bitcast_convert_type(x, np.uint8),
    "special": lambda x: lax.erf(x) + lax.lgamma(positive(x)) + dsp.special.expit(x),
    "unwrap": lambda x: dnp.unwrap(x * 5, axis=0),
    "isclose": lambda x: dnp.isclose(x, x + 1e-9) & dnp.isfinite(x),
    "nextafter": lambda x: dnp.nextafter(x, 2.0) + dnp.ldexp(x, 3),
    "vectorize": lambda x: dnp.vectorize(lambda v: v @ v, signature="(n)->()")(x),
}

REDUCTIONS: dict[str, Function] = {
    "sums": lambda x: x.sum(0) + dnp.nansum(x, 0) + dnp.prod(x, 0),
    "sum where": lambda x: dnp.sum(x, 0, where=x > 0, initial=1.0, keepdims=True),
    "mean where": lambda x: dnp.mean(x, 0, where=x > -5),
    "nanmean": lambda x: dnp.nanmean(x, 0) + dnp.nanvar(x) + dnp.nanstd(x, 0),
    "extremes": lambda x: dnp.max(x, 0) - dnp.min(x, 0) + dnp.ptp(x, 0) + dnp.nanmax(x),
    "any and all": lambda x: (dnp.any(x > 0, 0), dnp.all(x < 2), dnp.count_nonzero(x > 0, 0)),
    "argmin": lambda x: dnp.argmin(x, 0) + dnp.nanargmax(x, 0),
    "argmax of all": lambda x: dnp.argmax(x) + dnp.argmin(x, keepdims=True),
    "average": lambda x: dnp.average(x, 0, weights=dnp.arange(x.shape[0]) + 1.0),
    "cov": lambda x: dnp.cov(x, rowvar=False, bias=True),
    "cov of rows": lambda x: dnp.cov(x),
    "corrcoef": lambda x: dnp.corrcoef(x),
    "median": lambda x: dnp.median(x, 0) + dnp.nanmedian(x, 0),
    "median of all": lambda x: dnp.median(x),
    "percentile": lambda x: dnp.percentile(x, dnp.array([10.0, 50.0]), axis=0),
    "quantile of rows": lambda x: dnp.quantile(x, 0.25, axis=1, method="nearest"),
    "trapezoid": lambda x: (dnp.trapezoid(x, axis=0), dnp.trapezoid(x)),
    "norms": lambda x: dnp.linalg.norm(x, axis=0) + dnp.linalg.norm(x, 1, axis=0),
    "matrix norm": lambda x: dnp.linalg.norm(x, "fro") + dnp.linalg.norm(x, np.inf),
    "logsumexp": lambda x: nn.logsumexp(x, 0) + nn.logmeanexp(x, 0),
    "reduce": lambda x: lax.reduce(x, np.float32(0), lax.add, (0,)),
    "reduce of own": lambda x: lax.reduce(x, np.float32(1), lambda a, b: a * b, (0,)),
    "histogram": lambda x: dnp.histogram(x, 5, range=(-1, 1)),
    "histogram of any": lambda x: dnp.histogram(x, 5),
    "histogram2d": lambda x: dnp.histogram2d(x[:, 0], x[:, 1], 3)[0],
    "bincount": lambda x: dnp.bincount(dnp.argmax(x, 1), length=6),
    "bincount of weights": lambda x: dnp.bincount(dnp.argmax(x, 1), x[:, 0], length=6),
    "digitize": lambda x: dnp.digitize(x, dnp.array([-0.5, 0.0, 0.5])),
    "apply over axes": lambda x: dnp.apply_over_axes(dnp.sum, x, [0, 1]),
    "apply along axis": lambda x: dnp.apply_along_axis(lambda v: v.sum() * v, 0, x),
    "standardize": lambda x: nn.standardize(x, 0, epsilon=1e-3),
}

ORDERED: dict[str, Function] = {
    "cumulative": lambda x: dnp.cumsum(x, 0) + dnp.cumprod(x, 0) + lax.cummax(x, 0),
    "cumulative backwards": lambda x: lax.cumsum(x, 0, reverse=True) + lax.cummin(x, 1),
    "cumulative of all": lambda x: dnp.cumsum(x) + dnp.nancumsum(x.ravel()),
    "cumulative with initial": lambda x: dnp.cumulative_sum(x, axis=0, include_initial=True),
    "cumlogsumexp": lambda x: lax.cumlogsumexp(x, 0),
    "sort": lambda x: dnp.sort(x, 0) + dnp.sort(x, 1, descending=True),
    "sort of all": lambda x: dnp.sort(x, None),
    "argsort": lambda x: dnp.argsort(x, 0) + dnp.argsort(-x, 1),
    "argsort descending": lambda x: dnp.argsort(x, 0, descending=True),
    "lexsort": lambda x: dnp.lexsort((x[:, 0], x[:, 1] > 0)),
    "sort by key": lambda x: lax.sort_key_val(x, dnp.cumsum(x, 0), 0),
    "sort of several": lambda x: lax.sort((x, -x, x * 2), dimension=0, num_keys=2),
    "partition": lambda x: dnp.partition(x, 2, axis=1)[:, 2],
    "partition of rows": lambda x: dnp.partition(x, 0, axis=0)[0],
    "top_k": lambda x: lax.top_k(x, 3),
    "top_k of rows": lambda x: lax.top_k(x.T, 1),
    "searchsorted": lambda x: dnp.searchsorted(dnp.sort(x[:, 0]), x[:, 1]),
    "searchsorted in known": lambda x: dnp.searchsorted(dnp.array([-0.5, 0.1, 0.6]), x),
    "searchsorted by sorting": lambda x: dnp.searchsorted(
        dnp.sort(x[:, 0]), x[:, 1], side="right", method="sort"
    ),
    "searchsorted by comparing": lambda x: dnp.searchsorted(
        dnp.sort(x[:, 0]), x[:, 1], method="compare_all"
    ),
    "unique": lambda x: dnp.unique(integers(x), size=4, fill_value=0),
    "unique with counts": lambda x: dnp.unique(
        dnp.argmax(x, 1), size=6, return_counts=True, return_inverse=True, return_index=True
    ),
    "unique of rows": lambda x: dnp.unique(integers(x), size=2, axis=0),
    "unique of any size": lambda x: dnp.unique(x[:, 0], size=x.shape[0]),
    "nonzero": lambda x: dnp.nonzero(x > 0, size=3, fill_value=0),
    "nonzero of any size": lambda x: dnp.nonzero(x > 0, size=x.size),
    "flatnonzero": lambda x: dnp.flatnonzero(x > 0, size=4),
    "argwhere": lambda x: dnp.argwhere(x > 0, size=3),
    "isin": lambda x: dnp.isin(integers(x), dnp.array([1, 2, 3])),
    "intersect1d": lambda x: dnp.intersect1d(integers(x), dnp.arange(40), size=3),
    "setdiff1d": lambda x: dnp.setdiff1d(dnp.arange(8), integers(x), size=5),
    "union1d": lambda x: dnp.union1d(integers(x), dnp.arange(3), size=5),
    "setxor1d": lambda x: dnp.setxor1d(dnp.unique(integers(x), size=4), dnp.arange(3), size=5),
    "compress": lambda x: dnp.compress(np.array([True, False, True]), x, axis=1),
    "extract": lambda x: dnp.extract(x > 0, x, size=3),
    "gradient": lambda x: dnp.gradient(x, axis=1),
    "diff": lambda x: dnp.diff(x, axis=0) + 1,
    "diff twice": lambda x: dnp.diff(x, 2, axis=1),
    "ediff1d": lambda x: dnp.ediff1d(x),
    "interp": lambda x: dnp.interp(x, dnp.array([-1.0, 0.0, 1.0]), dnp.array([3.0, 5.0, 2.0])),
    "interp in rows": lambda x: dnp.interp(
        dnp.array([0.1, 2.5]), dnp.arange(x.shape[0], dtype=dnp.float32), x[:, 0]
    ),
}

SHAPES: dict[str, Function] = {
    "pad constant": lambda x: dnp.pad(x, ((2, 1), (0, 3)), constant_values=4.0),
    "pad edge": lambda x: dnp.pad(x, ((1, 2), (0, 0)), mode="edge"),
    "pad wrap": lambda x: dnp.pad(x, ((0, 0), (2, 2)), mode="wrap"),
    "pad reflect": lambda x: dnp.pad(x, ((0, 0), (2, 2)), mode="reflect"),
    "pad symmetric rows": lambda x: dnp.pad(x, ((1, 1), (0, 0)), mode="symmetric"),
    "pad mean": lambda x: dnp.pad(x, ((1, 1), (0, 0)), mode="mean"),
    "pad ramp": lambda x: dnp.pad(x, ((2, 0), (0, 0)), mode="linear_ramp"),
    "pad inside": lambda x: lax.pad(x, 1.0, [(0, 0, 2), (-1, 1, 0)]),
    "pad by minus": lambda x: lax.pad(x, 1.0, [(2, -1, 0), (0, 0, 0)]),
    "pad within": lambda x: lax.pad(x, 1.0, [(x.shape[0] // 2, 0, 1), (0, 0, 0)]),
    "roll": lambda x: dnp.roll(x, 3, 0) + dnp.roll(x, -2, 1),
    "roll of all": lambda x: dnp.roll(x, 5),
    "roll of two": lambda x: dnp.roll(x, (1, -1), (0, 1)),
    "roll by value": lambda x: dnp.roll(x, dnp.argmax(x[:, 0]), 0),
    "roll by size": lambda x: dnp.roll(x, x.shape[0] // 2, 0),
    "rot90": lambda x: dnp.rot90(x) + dnp.rot90(x, 3),
    "flips": lambda x: dnp.flipud(x) + dnp.fliplr(x),
    "concatenate with known": lambda x: dnp.concatenate([x, dnp.ones((3, 6)), x[:1]]),
    "concatenate of several": lambda x: lax.concatenate([x, x * 2, x[1:]], 0),
    "append": lambda x: dnp.append(x, dnp.zeros((2, 6)), 0),
    "stacks": lambda x: dnp.vstack([x, x[:1]]) + dnp.hstack([x[:, :3], x[:, 3:]])[:1],
    "dstack": lambda x: dnp.dstack([x, x]) + dnp.stack([x, -x], 2),
    "column_stack": lambda x: dnp.column_stack([x[:, 0], x]),
    "block": lambda x: dnp.block([[x, x], [dnp.ones((1, 6)), dnp.zeros((1, 6))]]),
    "split of columns": lambda x: dnp.split(x, [2, 4], axis=1),
    "split of rows": lambda x: dnp.split(dnp.tile(x, (3, 1)), 3),
    "split at sizes": lambda x: dnp.split(dnp.tile(x, (3, 1)), [x.shape[0], 2 * x.shape[0]]),
    "split at numbers": lambda x: dnp.split(x, [1], axis=0),
    "array_split": lambda x: dnp.array_split(x, 4, axis=1),
    "array_split of rows": lambda x: dnp.array_split(x, 2, axis=0),
    "unstack": lambda x: dnp.unstack(x, axis=1),
    "tile": lambda x: dnp.tile(x, (2, 3)) + 1,
    "tile by size": lambda x: dnp.tile(x[0], (x.shape[0], 2)),
    "repeat": lambda x: dnp.repeat(x, 2, 1),
    "repeat by size": lambda x: dnp.repeat(x, x.shape[0], 0),
    "repeat by numbers": lambda x: dnp.repeat(x, np.array([1, 0, 2, 1, 1, 3]), 1),
    "repeat of total": lambda x: dnp.repeat(
        x, dnp.argmax(x, 1), 0, total_repeat_length=3 * x.shape[0]
    ),
    "repeat of known total": lambda x: dnp.repeat(x, dnp.argmax(x, 1), 0, total_repeat_length=5),
    "reshape by -1": lambda x: x.reshape(3, -1),
    "reshape by -1 in the middle": lambda x: x.reshape(2, -1, 3),
    "reshape to columns": lambda x: x.T.reshape(6, -1),
    "reshape there and back": lambda x: x.reshape(-1).reshape(x.shape),
    "reshape in order F": lambda x: dnp.reshape(x, (-1,), order="F"),
    "lax.reshape": lambda x: lax.reshape(x, (x.shape[0] * 6,)) + lax.collapse(x, 0),
    "expand_dims": lambda x: dnp.expand_dims(x, (0, 2)) + dnp.atleast_3d(x)[None],
    "squeeze": lambda x: dnp.squeeze(x[:, :1], 1),
    "swapaxes": lambda x: dnp.swapaxes(x[None], 0, 2) + dnp.moveaxis(x.T[None], 0, 2),
    "rollaxis": lambda x: dnp.rollaxis(x[None], 2),
    "broadcast arrays": lambda x: dnp.broadcast_arrays(x, x[:1], x[:, :1]),
    "broadcast in dim": lambda x: lax.broadcast_in_dim(x, (3, x.shape[0], 6), (1, 2)),
    "lax.broadcast": lambda x: lax.broadcast(x, (2,)) * 2,
    "diag": lambda x: dnp.diag(x[:, 0]) + dnp.diagflat(x[:, 1]),
    "diag of square": lambda x: dnp.diag(square(x)) + dnp.diagonal(square(x)),
    "diag beside": lambda x: dnp.diag(x[:, 0], 1) + 0,
    "diagonal": lambda x: dnp.diagonal(x.reshape(-1, 2, 3), axis1=1, axis2=2),
    "trace": lambda x: dnp.trace(square(x)),
    "tri": lambda x: dnp.tri(x.shape[0], 4) + dnp.tri(x.shape[0], 4, -1),
    "triu": lambda x: dnp.triu(x, 1) + dnp.tril(x, -1),
    "eye": lambda x: dnp.eye(x.shape[0], 3, 1) + dnp.identity(3)[:1],
    "fill_diagonal": lambda x: dnp.fill_diagonal(square(x), 3.0, inplace=False),
    "vander": lambda x: dnp.vander(x[:, 0], 3),
    "linspace": lambda x: dnp.linspace(0.0, 1.0, x.shape[0]),
    "linspace of arrays": lambda x: dnp.linspace(x, x + 1, 4, endpoint=False),
    "logspace": lambda x: dnp.logspace(0.0, 1.0, x.shape[0] + 1),
    "geomspace": lambda x: dnp.geomspace(1.0, 8.0, 4) + x[0, 0],
    "arange of steps": lambda x: dnp.arange(0, x.shape[0], 2) + dnp.arange(1, x.shape[0] + 1, 2),
    "arange down": lambda x: dnp.arange(x.shape[0], 0, -1),
    "indices": lambda x: dnp.indices((x.shape[0], 2)),
    "meshgrid": lambda x: dnp.meshgrid(x[:, 0], x[0], indexing="ij"),
    "ix_": lambda x: x[dnp.ix_(dnp.array([0, 0]), dnp.array([1, 3]))],
    "tril_indices": lambda x: x[:, :3][:, dnp.tril_indices(3)[0]],
    "windows of numbers": lambda x: dnp.hamming(5) + dnp.kaiser(5, 2.0) + x[0, 0],
    "fromfunction": lambda x: dnp.fromfunction(lambda i, j: i + j, (x.shape[0], 3)),
    "insert": lambda x: dnp.insert(x, 1, 5.0, axis=1),
    "insert of rows": lambda x: dnp.insert(x, 0, 5.0, axis=0),
    "delete": lambda x: dnp.delete(x, 1, axis=1),
    "delete of rows": lambda x: dnp.delete(x, 0, axis=0),
    "trim": lambda x: lax.slice(x, (0, 1), (x.shape[0], 5), (1, 2)),
    "slice in dim": lambda x: lax.slice_in_dim(x, 0, x.shape[0], 2, 0),
    "index in dim": lambda x: lax.index_in_dim(x, 0, 0) + lax.dynamic_index_in_dim(x, 0, 0),
    "packbits": lambda x: dnp.packbits(x > 0, axis=1),
    "packbits of rows": lambda x: dnp.packbits(x > 0, axis=0),
    "unpackbits": lambda x: dnp.unpackbits(integers(x).astype(dnp.uint8), axis=1),
    "convolve": lambda x: dnp.convolve(x[:, 0], dnp.array([1.0, 2.0, 3.0]), mode="full"),
    "convolve same": lambda x: dnp.convolve(x[0], dnp.array([1.0, 2.0, 3.0]), mode="same"),
    "correlate": lambda x: dnp.correlate(x[:, 0], dnp.array([1.0, 2.0]), mode="full"),
    "kron": lambda x: dnp.kron(x, dnp.array([[1.0, 2.0]])),
    "stack of empty": lambda x: dnp.zeros((0, 6)).sum() + dnp.zeros((x.shape[0], 0)).sum(1),
}

INDEXING: dict[str, Function] = {
    "take": lambda x: dnp.take(x, dnp.array([0, -1]), 0) + dnp.take(x, 2, axis=1)[:1, None],
    "take clip": lambda x: dnp.take(x, dnp.array([0, 100, -100]), 0, mode="clip"),
    "take wrap": lambda x: dnp.take(x, dnp.array([0, 100, -3]), 0, mode="wrap"),
    "take fill": lambda x: dnp.take(x, dnp.array([0, 100]), 0, mode="fill", fill_value=-1),
    "take of all": lambda x: dnp.take(x, dnp.array([0, 3, -1])),
    "take along axis": lambda x: dnp.take_along_axis(x, dnp.argsort(x, 0), 0),
    "put along axis": lambda x: dnp.put_along_axis(
        x, dnp.argmax(x, 1)[:, None], 9.0, 1, inplace=False
    ),
    "put": lambda x: dnp.put(x, dnp.array([0, -1]), 5.0, inplace=False),
    "place": lambda x: dnp.place(x, x > 0, dnp.array([1.0, 2.0]), inplace=False),
    "index by values": lambda x: x[dnp.argsort(x[:, 0])] + x[dnp.argmax(x[:, 1])],
    "index by pairs": lambda x: x[dnp.arange(x.shape[0]), dnp.argmax(x, 1)],
    "index by mask": lambda x: dnp.where(x > 0, x, 0)[:, np.array([True, False] * 3)],
    "index with new axes": lambda x: x[None, :, None, ::2] + x[0, 0],
    "index with dots": lambda x: x[..., 1:3] + x[..., -1:],
    "index from the end": lambda x: x[-1, -2] + x[x.shape[0] - 1, 0],
    "get with fill": lambda x: x.at[dnp.array([0, 50])].get(mode="fill", fill_value=3.0),
    "get with clip": lambda x: x.at[dnp.array([0, 50])].get(mode="clip"),
    "at set": lambda x: x.at[:, 1:3].set(7.0).at[0, 0].set(1.0),
    "at set of last": lambda x: x.at[-1].set(x[0]),
    "at add": lambda x: x.at[dnp.array([0, 0, -1])].add(1.0),
    "at mul and min": lambda x: x.at[:, 0].multiply(2.0).at[0].min(0.1).at[-1].max(0.2),
    "at apply": lambda x: x.at[:, 1].apply(dnp.exp).at[0].power(2.0),
    "at by values": lambda x: x.at[dnp.arange(x.shape[0]), dnp.argmax(x, 1)].set(0.0),
    "at slice": lambda x: x.at[1:].set(0.0).at[: x.shape[0] // 2].add(3.0),
    "at steps": lambda x: x.at[::2].add(1.0),
    "at of mask": lambda x: x.at[:, np.array([True, False, True, False, False, True])].set(0.0),
    "at drop": lambda x: x.at[dnp.array([0, 90])].set(1.0, mode="drop"),
    "segments": lambda x: dnp.zeros((x.shape[0], 6)).at[dnp.argsort(x[:, 0])].add(x),
    "dynamic slices": lambda x: lax.dynamic_slice(x, (dnp.argmax(x[:, 0]), 1), (1, 3)),
    "dynamic update": lambda x: lax.dynamic_update_slice(x, x[:1] * 2, (dnp.argmin(x[:, 0]), 0)),
    "dynamic update of rows": lambda x: lax.dynamic_update_slice_in_dim(
        dnp.tile(x, (2, 1)), x, x.shape[0], 0
    ),
    "gather": lambda x: lax.gather(
        x,
        dnp.argmax(x, 1)[:, None] % x.shape[0],
        lax.GatherDimensionNumbers((1,), (0,), (0,)),
        (1, 6),
    ),
    "scatter": lambda x: lax.scatter_add(
        x,
        dnp.argmax(x, 1)[:, None],
        x[:, 0],
        lax.ScatterDimensionNumbers((), (1,), (1,), (0,), (0,)),
    ),
    "ravel_multi_index": lambda x: dnp.ravel_multi_index(
        (dnp.arange(x.shape[0]), dnp.argmax(x, 1)), x.shape, mode="clip"
    ),
    "unravel_index": lambda x: dnp.unravel_index(dnp.argmax(x), x.shape),
    "one_hot": lambda x: nn.one_hot(dnp.argmax(x, 1), 6) + nn.one_hot(dnp.argmax(x, 1), 6),
    "one_hot of rows": lambda x: nn.one_hot(dnp.argmax(x, 0), x.shape[0]),
    "diag_indices": lambda x: square(x)[dnp.diag_indices_from(square(x))],
    "diag_indices of a size": lambda x: square(x).at[dnp.diag_indices(x.shape[0])].set(0.0),
}

CONTRACTIONS: dict[str, Function] = {
    "dots": lambda x: dnp.dot(x, x.T) + dnp.inner(x, x),
    "vdot": lambda x: dnp.vdot(x, x) + dnp.vecdot(x, x).sum(),
    "matvec": lambda x: dnp.matvec(x, x[0]) + dnp.vecmat(x[:, 0], x).sum(),
    "tensordot": lambda x: dnp.tensordot(x, x, ([0], [0])) + dnp.tensordot(x[None], x, 2).sum(),
    "outer": lambda x: dnp.outer(x, x[0]),
    "cross": lambda x: dnp.cross(x[:, :3], x[:, 3:]),
    "einsum": lambda x: dnp.einsum("bi,bj,ck->ijk", x, x, x),
    "einsum of diagonals": lambda x: dnp.einsum("ii->i", square(x)) + dnp.einsum("ii", square(x)),
    "einsum with dots": lambda x: dnp.einsum("...i,...i->...", x, x),
    "dot_general": lambda x: lax.dot_general(x, x, (((1,), (1,)), ((0,), (0,)))),
    "batch matmul": lambda x: x.reshape(-1, 2, 3) @ x.reshape(-1, 3, 2),
    "multi_dot": lambda x: dnp.linalg.multi_dot([x, x.T, x]),
    "matrix power": lambda x: dnp.linalg.matrix_power(x.T @ x, 3),
    "solve": lambda x: dnp.linalg.solve(square(x), x),
    "solve of many": lambda x: dnp.linalg.solve(
        dnp.eye(3) * 3 + x.reshape(-1, 2, 3)[:, :1] * 0.1, x[:, :3, None]
    ),
    "inv": lambda x: dnp.linalg.inv(square(x)),
    "det": lambda x: dnp.linalg.det(square(x)) + dnp.linalg.slogdet(square(x))[1],
    "det of many": lambda x: dnp.linalg.det(x[:, :4].reshape(-1, 2, 2)),
    "cholesky": lambda x: dnp.linalg.cholesky(square(x)),
    "cholesky solve": lambda x: dsp.linalg.cho_solve(dsp.linalg.cho_factor(square(x)), x),
    "triangular solve": lambda x: dsp.linalg.solve_triangular(dnp.tril(square(x)), x, lower=True),
    "qr": lambda x: dnp.abs(dnp.linalg.qr(x.T @ x + dnp.eye(6))[1]),
    "qr of rows": lambda x: dnp.abs(dnp.linalg.qr(square(x))[1]),
    "svd": lambda x: dnp.linalg.svd(x.T @ x)[1],
    "svd of rows": lambda x: dnp.linalg.svd(x, compute_uv=False),
    "eigh": lambda x: dnp.linalg.eigvalsh(square(x)),
    "pinv": lambda x: dnp.linalg.pinv(x.T @ x + dnp.eye(6)),
    "lstsq": lambda x: dnp.linalg.lstsq(square(x), x)[0],
    "cond": lambda x: dnp.linalg.cond(x.T @ x + dnp.eye(6)),
    "matrix_rank": lambda x: dnp.linalg.matrix_rank(square(x)),
    "expm": lambda x: dsp.linalg.expm(square(x) * 0.1),
    "lu": lambda x: dsp.linalg.lu(x.T @ x + dnp.eye(6))[2],
    "lu of rows": lambda x: dsp.linalg.lu_solve(dsp.linalg.lu_factor(square(x)), x),
    "fft of columns": lambda x: dnp.abs(dnp.fft.fft(x, axis=1)) + dnp.abs(dnp.fft.ifft(x)),
    "rfft of columns": lambda x: dnp.fft.irfft(dnp.fft.rfft(x, axis=1), 6),
    "fft of known": lambda x: dnp.abs(dnp.fft.fft(x, n=4, axis=0)),
    "fftshift": lambda x: dnp.fft.fftshift(x) + dnp.fft.ifftshift(x, 0),
    "fftfreq": lambda x: dnp.fft.fftfreq(x.shape[0]),
    "polyval": lambda x: dnp.polyval(x[0], x) + dnp.polyval(x[:, 0], 0.5),
    "polyfit": lambda x: dnp.polyfit(dnp.arange(6.0), x[0], 2),
    "conv": lambda x: lax.conv(x[:, None], dnp.ones((2, 1, 3)), (2,), "VALID"),
    "conv along rows": lambda x: lax.conv_general_dilated(
        x.T[None], dnp.ones((4, 6, 3)), (1,), [(1, 1)]
    ),
    "conv with strides along rows": lambda x: lax.conv_general_dilated(
        x.T[None], dnp.ones((4, 6, 2)), (2,), "SAME"
    ),
    "conv dilated": lambda x: lax.conv_general_dilated(
        x.T[None], dnp.ones((4, 3, 2)), (1,), [(2, 2)], (2,), (2,), feature_group_count=2
    ),
    "conv transpose": lambda x: lax.conv_transpose(
        x[None], dnp.ones((3, 6, 2)), (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")
    ),
    "max pooling": lambda x: lax.reduce_window(x, -np.inf, lax.max, (1, 2), (1, 2), "VALID"),
    "mean pooling of rows": lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 1), (2, 1), "SAME"),
    "patches": lambda x: lax.conv_general_dilated_patches(x[:, None], (3,), (1,), "VALID"),
    "gelu and others": lambda x: nn.gelu(x) + nn.silu(x) + nn.elu(x) + nn.glu(x)[:, :1],
    "attention": lambda x: nn.dot_product_attention(
        x.reshape(1, -1, 2, 3), x.reshape(1, -1, 2, 3), x.reshape(1, -1, 2, 3), is_causal=True
    ),
    "log_softmax": lambda x: nn.log_softmax(x, 0) + nn.softmax(x, where=x > -5, axis=0),
    "ragged_dot": lambda x: lax.ragged_dot(x, dnp.ones((2, 6, 3)), dnp.array([1, 0])),
}

RANDOM: dict[str, Function] = {
    "uniform": lambda x: random.uniform(key, x.shape, minval=-1.0) + random.normal(key, x.shape),
    "uniform of the size": lambda x: random.uniform(key, (x.shape[0],)) + x[:, 0],
    "randint": lambda x: random.randint(key, x.shape, 0, 9),
    "randint below the size": lambda x: random.randint(key, (4,), 0, x.shape[0]),
    "bits": lambda x: random.bits(key, (x.shape[0],), "uint8") + 1,
    "choice": lambda x: random.choice(key, x, (3,), axis=0),
    "choice of p": lambda x: random.choice(key, 6, (x.shape[0],), p=nn.softmax(x[0])),
    "choice without replacement": lambda x: random.choice(key, 6, (2,), replace=False) + x[0, 0],
    "permutation": lambda x: random.permutation(key, x),
    "permutation of the size": lambda x: random.permutation(key, x.shape[0]),
    "permutation of rows": lambda x: random.permutation(key, x, 1, independent=True),
    "split": lambda x: dt.vmap(lambda k: random.uniform(k, (3,)))(random.split(key, x.shape[0])),
    "fold_in": lambda x: random.uniform(random.fold_in(key, x.shape[0]), (2,)),
    "categorical": lambda x: random.categorical(key, x),
    "gumbel": lambda x: random.gumbel(key, x.shape) + random.laplace(key, x.shape),
    "truncated": lambda x: random.truncated_normal(key, -1, 1, x.shape),
    "exponential": lambda x: random.exponential(key, x.shape) + random.cauchy(key, x.shape),
    "gamma": lambda x: random.gamma(key, positive(x)),
    "beta": lambda x: random.beta(key, positive(x), 2.0),
    "dirichlet": lambda x: random.dirichlet(key, positive(x)),
    "poisson": lambda x: random.poisson(key, positive(x)),
    "binomial": lambda x: random.binomial(key, 5.0, 0.3, x.shape),
    "multivariate": lambda x: random.multivariate_normal(key, x[0], dnp.eye(6), (x.shape[0],)),
    "rademacher": lambda x: random.rademacher(key, x.shape) + random.t(key, 3.0, x.shape),
    "ball": lambda x: random.ball(key, 3, shape=(x.shape[0],)),
    "orthogonal": lambda x: dnp.abs(random.orthogonal(key, 3, (x.shape[0],))),
}

CONTROL: dict[str, Function] = {
    "scan backwards": lambda x: lax.scan(lambda c, r: (c + r, c), dnp.zeros(6), x, reverse=True),
    "scan over columns": lambda x: lax.scan(lambda c, r: (c * r, c), x[:, 0], x.T),
    "scan of several": lambda x: lax.scan(lambda c, r: (c + r[0], r[1]), x[0], (x, x * 2)),
    "scan of unrolled steps": lambda x: lax.scan(
        lambda c, r: (c * 0.5 + r, c), dnp.zeros(6), x, unroll=3
    ),
    "scan of unrolled steps backwards": lambda x: lax.scan(
        lambda c, r: (c * 0.5 + r, c), dnp.zeros(6), x, unroll=2, reverse=True
    ),
    "scan of a size, unrolled": lambda x: lax.scan(
        lambda c, _: (c * 0.5, c[0]), x[0], None, x.shape[0], unroll=2
    ),
    "fori to the size": lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i], x[0]),
    "while": lambda x: lax.while_loop(lambda c: c.sum() < 100, lambda c: c * 1.5 + 1, x),
    "switch": lambda x: lax.switch(dnp.argmax(x[0]) % 3, [dnp.sin, dnp.cos, lambda v: v * 2], x),
    "map in batches": lambda x: lax.map(lambda r: r.sum(), x, batch_size=2),
    "associative_scan": lambda x: lax.associative_scan(dnp.multiply, x, axis=1),
    "associative_scan of rows": lambda x: lax.associative_scan(dnp.add, x),
    "custom_vjp": lambda x: dt.grad(lambda v: clipped(v).sum())(x),
    "axis_index": lambda x: dt.vmap(lambda r: r * lax.axis_index("i"), axis_name="i")(x),
    "axis_size": lambda x: dt.vmap(lambda r: r / lax.axis_size("i"), axis_name="i")(x),
    "all_gather": lambda x: dt.vmap(lambda r: lax.all_gather(r[0], "i"), axis_name="i")(x),
    "ppermute": lambda x: dt.vmap(lambda r: lax.pmax(r, "i") - lax.pmin(r, "i"), axis_name="i")(x),
    "vmap of vmap": lambda x: dt.vmap(dt.vmap(lambda v: v * v + x.shape[0]))(x),
    "vmap without batch": lambda x: dt.vmap(lambda: dnp.ones(2), axis_size=x.shape[0])(),
    "vmap of sort": lambda x: dt.vmap(dnp.sort)(x) + dt.vmap(dnp.cumsum)(x),
    "vmap of solve": lambda x: dt.vmap(lambda r: dnp.linalg.solve(dnp.eye(6) * 2, r))(x),
    "vmap of random": lambda x: dt.vmap(lambda r: r + random.normal(key, r.shape))(x),
    "jacfwd": lambda x: dt.jacfwd(lambda v: dnp.sin(v) * x.shape[0])(x[0]),
    "jacrev": lambda x: dt.jacrev(lambda v: x @ v)(x[0]),
    "jacobian of rows": lambda x: dt.vmap(dt.jacrev(lambda r: r**2))(x),
    "jacobian of all": lambda x: dt.jacrev(lambda v: v[:, 0] ** 2)(x),
    "linearize": lambda x: dt.linearize(lambda v: dnp.sin(v) * v, x)[1](x),
    "linear transpose": lambda x: dt.linear_transpose(lambda v: v[::-1] * 2 + v, x)(x),
    "linear transpose of products": lambda x: dt.linear_transpose(lambda v: x @ v, x.T)(square(x)),
    "linear transpose of cumsum": lambda x: dt.linear_transpose(lambda v: dnp.cumsum(v, 0), x)(x),
    "linear transpose of integers": lambda x: dt.linear_transpose(
        lambda v: dnp.concatenate([v[::-1], v @ dnp.ones((v.shape[1], 2), int)], 1), integers(x)
    )(dnp.concatenate([integers(x), integers(x[:, :2])], 1)),
    "hvp": lambda x: dt.jvp(dt.grad(lambda v: (v**3).mean()), (x,), (x,))[1],
    "value_and_grad": lambda x: dt.value_and_grad(lambda v: dnp.log(positive(v)).mean())(x),
    "grad of sort": lambda x: dt.grad(lambda v: (dnp.sort(v, 0) * v).sum())(x),
    "grad of cumsum": lambda x: dt.grad(lambda v: (dnp.cumsum(v, 0) ** 2).sum())(x),
    "grad of max": lambda x: dt.grad(lambda v: dnp.max(v, 0).sum() + dnp.max(v))(x),
    "grad of take": lambda x: dt.grad(lambda v: v[dnp.argsort(v[:, 0])][0].sum())(x),
    "grad of conv": lambda x: dt.grad(
        lambda v: (lax.conv(v[:, None], dnp.ones((2, 1, 3)), (1,), "SAME") ** 2).sum()
    )(x),
    "grad of solve": lambda x: dt.grad(lambda v: dnp.linalg.solve(square(v), x).sum())(x),
    "grad of scan": lambda x: dt.grad(
        lambda v: lax.scan(lambda c, r: (dnp.sin(c * r), c), dnp.ones(6), v)[0].sum()
    )(x),
    "grad of unrolled scan": lambda x: dt.grad(
        lambda v: lax.scan(lambda c, r: (dnp.sin(c * r), c), dnp.ones(6), v, unroll=2)[0].sum()
    )(x),
    "grad of concatenate": lambda x: dt.grad(
        lambda v: (dnp.concatenate([v, v[1:] * 2, dnp.ones((2, 6))]) ** 2).sum()
    )(x),
    "grad of pad": lambda x: dt.grad(lambda v: (dnp.pad(v, ((1, 2), (0, 1))) ** 2).sum())(x),
    "grad of windows": lambda x: dt.grad(
        lambda v: lax.reduce_window(v, 0.0, lax.add, (2, 2), (1, 1), "SAME").sum()
    )(x),
    "grad of prod": lambda x: dt.grad(lambda v: dnp.prod(v, 0).sum())(x),
    "grad of at": lambda x: dt.grad(lambda v: (v.at[0].set(v[-1]).at[1:].mul(2.0) ** 2).sum())(x),
    "grad of einsum": lambda x: dt.grad(lambda v: dnp.einsum("bi,ci->bc", v, v**2).sum())(x),
    "grad of attention": lambda x: dt.grad(
        lambda v: nn.dot_product_attention(*[v.reshape(1, -1, 2, 3)] * 3).sum()
    )(x),
    "custom_root": lambda x: lax.custom_root(
        lambda y: y**3 - positive(x),
        x * 0 + 1,
        lambda f, y: lax.fori_loop(0, 30, lambda i, y: y - (y**3 - positive(x)) / (3 * y**2), y),
        lambda g, y: y / g(dnp.ones_like(y)),
    ),
}


@dt.custom_vjp
def clipped(x: Any) -> Any:
    return dnp.clip(x, -0.5, 0.5)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, ct: (ct * x.shape[0] * (x > 0),))

PROGRAMS: dict[str, Function] = {
    **{f"pointwise: {name}": f for name, f in POINTWISE.items()},
    **{f"reductions: {name}": f for name, f in REDUCTIONS.items()},
    **{f"ordered: {name}": f for name, f in ORDERED.items()},
    **{f"shapes: {name}": f for name, f in SHAPES.items()},
    **{f"indexing: {name}": f for name, f in INDEXING.items()},
    **{f"contractions: {name}": f for name, f in CONTRACTIONS.items()},
    **{f"random: {name}": f for name, f in RANDOM.items()},
    **{f"control: {name}": f for name, f in CONTROL.items()},
}
