"""`jax._src.util`: functions on lists, with which interpreters of jaxprs are written."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def safe_map(f: Callable[..., Any], *lists: Iterable[Any]) -> list[Any]:
    """`list(map(f, *lists))` of lists of the same length."""
    return [f(*each) for each in safe_zip(*lists)]


def safe_zip(*lists: Iterable[Any]) -> list[tuple[Any, ...]]:
    """`list(zip(*lists))` of lists of the same length.

    Raises:
      AssertionError: the lengths are different.
    """
    columns = [list(each) for each in lists]
    lengths = [len(each) for each in columns]
    if len(set(lengths)) > 1:
        raise AssertionError(f"length mismatch: lists must have the same length, got: {lengths}")
    return list(zip(*columns, strict=True))


def unzip2(pairs: Iterable[tuple[Any, Any]]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The first and the second elements of pairs."""
    each = list(pairs)
    return tuple(x for x, _ in each), tuple(y for _, y in each)


def split_list(elements: Sequence[Any], sizes: Sequence[int]) -> list[list[Any]]:
    """The first elements in lists of some sizes, and a list of the rest."""
    parts, rest = [], list(elements)
    for size in sizes:
        parts.append(rest[:size])
        rest = rest[size:]
    return [*parts, rest]


def partition_list(second: Sequence[bool], elements: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Elements in two lists, by whether they go to the second one."""
    parts: tuple[list[Any], list[Any]] = [], []
    for to_second, element in safe_zip(second, elements):
        parts[bool(to_second)].append(element)
    return parts


def merge_lists(second: Sequence[bool], *lists: Sequence[Any]) -> list[Any]:
    """The inverse of `partition_list`."""
    parts = [iter(each) for each in lists]
    merged = [next(parts[bool(from_second)]) for from_second in second]
    left = [len(list(each)) for each in parts]
    assert not any(left), f"each element must have its place, got: {left} left"
    return merged


def wraps(
    wrapped: Callable[..., Any], namestr: str | None = None, docstr: str | None = None, **_: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Like `functools.wraps`, with another name and docstring, which may refer to `{fun}`."""
    name = getattr(wrapped, "__name__", "<unnamed function>")

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        f = functools.wraps(wrapped)(f)
        f.__name__ = name if namestr is None else namestr.format(fun=name)
        if docstr is not None:
            f.__doc__ = docstr.format(fun=name, doc=getattr(wrapped, "__doc__", "") or "")
        return f

    return decorate
