"""Collectives, with formulas on whole arrays for their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax


class Case(NamedTuple):
    """A collective over axes of `n` elements.

    Attributes:
      named: a function of one element's array and the names.
      whole: a function of an array with another axis, then the elements, then each element's
        dimensions.
      shape: the shape of one element's array.
    """

    named: Callable[[Any, Any], Any]
    whole: Callable[[Any], Any]
    shape: Callable[[int], tuple[int, ...]] = lambda n: (4,)


def each(x: Any, n: int) -> Any:
    """The same for all elements."""
    return dnp.broadcast_to(x[:, None], (x.shape[0], n, *x.shape[1:]))


def shifted(x: Any, n: int, by: int) -> Any:
    return dnp.stack([x[:, (t - by) % n] for t in range(n)], 1)


def ring(n: int, by: int) -> list[tuple[int, int]]:
    return [(s, (s + by) % n) for s in range(n)]


def tiled_gather(x: Any) -> Any:
    n, (rows, columns) = x.shape[1], x.shape[2:]
    gathered = dnp.moveaxis(x, 1, 2)
    return each(gathered.reshape(-1, rows, n * columns), n)


def tiled_exchange(x: Any) -> Any:
    """From chunks of the last dimension to chunks of the first."""
    o, n, rows, columns = x.shape
    chunks = x.reshape(o, n, rows, n, columns // n)
    return dnp.transpose(chunks, (0, 3, 1, 2, 4)).reshape(o, n, n * rows, columns // n)


def tiled_scatter(x: Any) -> Any:
    o, n, rows, columns = x.shape
    return dnp.moveaxis(dnp.sum(x, 1).reshape(o, rows, n, columns // n), 2, 1)


CASES = {
    "psum": Case(lax.psum, lambda x: each(dnp.sum(x, 1), x.shape[1])),
    "psum_of_dimension": Case(
        lambda x, axes: lax.psum(x, (0, *axes)),
        lambda x: each(dnp.sum(x, (1, 2)), x.shape[1]),
    ),
    "pmean": Case(lax.pmean, lambda x: each(dnp.mean(x, 1), x.shape[1])),
    "pmax": Case(lax.pmax, lambda x: each(dnp.max(x, 1), x.shape[1])),
    "pmin": Case(lax.pmin, lambda x: each(dnp.min(x, 1), x.shape[1])),
    "all_gather": Case(
        lambda x, axes: lax.all_gather(x, axes, axis=-1),
        lambda x: each(dnp.moveaxis(x, 1, -1), x.shape[1]),
        lambda n: (2, 4),
    ),
    "all_gather_first": Case(lax.all_gather, lambda x: each(x, x.shape[1])),
    "all_gather_tiled": Case(
        lambda x, axes: lax.all_gather(x, axes, axis=1, tiled=True), tiled_gather, lambda n: (2, 4)
    ),
    "psum_scatter": Case(
        lambda x, axes: lax.psum_scatter(x, axes, scatter_dimension=1),
        lambda x: dnp.moveaxis(dnp.sum(x, 1), 2, 1),
        lambda n: (2, n, 3),
    ),
    "psum_scatter_tiled": Case(
        lambda x, axes: lax.psum_scatter(x, axes, scatter_dimension=1, tiled=True),
        tiled_scatter,
        lambda n: (2, 2 * n),
    ),
    "all_to_all": Case(
        lambda x, axes: lax.all_to_all(x, axes, 1, 0),
        lambda x: dnp.transpose(x, (0, 3, 1, 2, 4)),
        lambda n: (2, n, 3),
    ),
    "all_to_all_later": Case(
        lambda x, axes: lax.all_to_all(x, axes, 0, 2),
        lambda x: dnp.transpose(x, (0, 2, 3, 4, 1)),
        lambda n: (n, 2, 3),
    ),
    "all_to_all_tiled": Case(
        lambda x, axes: lax.all_to_all(x, axes, 1, 0, tiled=True),
        tiled_exchange,
        lambda n: (2, 2 * n),
    ),
    "pswapaxes": Case(
        lambda x, axes: lax.pswapaxes(x, axes, 1),
        lambda x: dnp.swapaxes(x, 1, 3),
        lambda n: (2, n),
    ),
    "ppermute": Case(
        lambda x, axes: lax.ppermute(x, axes, ring(lax.axis_size(axes), 1)),
        lambda x: shifted(x, x.shape[1], 1),
    ),
    "ppermute_some": Case(
        lambda x, axes: lax.ppermute(x, axes, ring(lax.axis_size(axes), 1)[:-1]),
        lambda x: shifted(x, x.shape[1], 1).at[:, 0].set(0),
    ),
    "pshuffle": Case(
        lambda x, axes: lax.pshuffle(x, axes, list(reversed(range(lax.axis_size(axes))))),
        lambda x: x[:, ::-1],
    ),
    "pbroadcast": Case(
        lambda x, axes: lax.pbroadcast(x, axes, 1), lambda x: each(x[:, 1], x.shape[1])
    ),
    "axis_index": Case(
        lambda x, axes: x * lax.axis_index(axes),
        lambda x: x * dnp.arange(x.shape[1])[:, None],
    ),
}


def count(axes: Sequence[str], sizes: Mapping[str, int]) -> int:
    """The product of the axes' sizes."""
    return int(np.prod([sizes[axis] for axis in axes]))


def sample(case: Case, axes: Sequence[str], sizes: Mapping[str, int], seed: int = 0) -> np.ndarray:
    """An array for all elements of all axes, whose dimensions lead."""
    shape = (*sizes.values(), *case.shape(count(axes, sizes)))
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def over_axes(
    f: Callable[..., Any], sizes: Mapping[str, int], order: Sequence[str] | None = None
) -> Callable[..., Any]:
    """A function of one element over all axes, the leading dimensions, bound in that order."""
    left, places = list(sizes), []
    for name in order or left.copy():
        places.append((name, left.index(name)))
        left.remove(name)
    for name, place in reversed(places):
        f = dt.vmap(f, place, place, axis_name=name)
    return f


def on_whole(case: Case, axes: Sequence[str], sizes: Mapping[str, int]) -> Callable[[Any], Any]:
    """The formula on the array of all elements."""
    names, rank = list(sizes), len(sizes)
    order = [names.index(name) for name in (*(n for n in names if n not in axes), *axes)]

    def f(x: Any) -> Any:
        n = count(axes, sizes)
        others = int(np.prod(list(sizes.values()))) // n
        moved = dnp.transpose(x, (*order, *range(rank, x.ndim)))
        result = case.whole(moved.reshape(others, n, *x.shape[rank:]))
        result = result.reshape(*(x.shape[d] for d in order), *result.shape[2:])
        return dnp.transpose(result, (*np.argsort(order), *range(rank, result.ndim)))

    return f
