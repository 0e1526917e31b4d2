"""Transforms of functions with a description, written as generators."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from typing import Any

from dovetail.trees.wrapped import WrappedFun

# It gives arguments, as a tuple and a dict, gets the results of the function, and gives its own.
Transformation = Callable[..., Generator[Any, Any, Any]]


class StoreException(Exception):
    """A function was not called yet, so that what its transform returned beside is not known."""


class _Store:
    """What a transform returned beside the results."""

    def __init__(self) -> None:
        self._values: list[Any] = []

    def store(self, value: Any) -> None:
        self._values[:] = [value]

    def __call__(self) -> Any:
        if not self._values:
            raise StoreException("the function must be called first, got: no call so far")
        return self._values[0]


def transformation(gen: Transformation) -> Callable[..., WrappedFun]:
    """A transform of functions, from a generator.

    Args:
      gen: gets the transform's arguments, then those of a call; yields `(args, kwargs)` for the
        function, is sent its result, and yields that of the call.

    Example:
      >>> from dovetail.trees.wrapped import wrap_init
      >>> @transformation
      ... def scaled(factor, *args):
      ...     out = yield [factor * x for x in args], {}
      ...     yield -out
      >>> scaled(wrap_init(max), 3).call_wrapped(1, 2)
      -6
    """

    return transformation2(functools.partial(_run, gen))


def transformation_with_aux(gen: Transformation) -> Callable[..., tuple[WrappedFun, _Store]]:
    """The same for a generator that yields `(result, aux)`.

    Args:
      gen: as for `transformation`.

    Returns:
      A function that returns the transformed one, and a function that returns the `aux` of the last
      call; that is a `StoreException` before the first one.

    Example:
      >>> from dovetail.trees.wrapped import wrap_init
      >>> @transformation_with_aux
      ... def noted(*args):
      ...     out = yield args, {}
      ...     yield out, len(args)
      >>> fun, count = noted(wrap_init(max))
      >>> fun.call_wrapped(1, 2), count()
      (2, 2)
    """

    def stored(call: Callable[..., Any], store: _Store, /, *args: Any, **kwargs: Any) -> Any:
        result, aux = _run(gen, call, *args, **kwargs)
        store.store(aux)
        return result

    return transformation_with_aux2(stored)


def _run(gen: Transformation, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    generator = gen(*args, **kwargs)
    inner, keywords = next(generator)
    try:
        out = call(*inner, **keywords)
    except BaseException as error:
        # Its contexts end before the error is passed on.
        generator.throw(error)
        raise
    result = generator.send(out)
    generator.close()
    return result


def transformation2(gen: Callable[..., Any]) -> Callable[..., WrappedFun]:
    """A transform of functions, from a function.

    Args:
      gen: gets the function to call, the transform's arguments, then those of a call.

    Example:
      >>> from dovetail.trees.wrapped import wrap_init
      >>> @transformation2
      ... def scaled(f, factor, *args):
      ...     return f(*[factor * x for x in args])
      >>> scaled(wrap_init(max), 3).call_wrapped(1, 2)
      6
    """

    def apply(fun: WrappedFun, *given: Any) -> WrappedFun:
        def transformed(*args: Any, **kwargs: Any) -> Any:
            return gen(fun.call_wrapped, *given, *args, **kwargs)

        return WrappedFun(transformed, {}, fun.debug_info)

    return apply


def transformation_with_aux2(gen: Callable[..., Any]) -> Callable[..., tuple[WrappedFun, _Store]]:
    """The same for a function that also gets a store, after the function to call.

    Args:
      gen: as for `transformation2`; it calls `store.store(aux)`.

    Returns:
      A function that returns the transformed one, and a function that returns the last `aux`.

    Example:
      >>> from dovetail.trees.wrapped import wrap_init
      >>> @transformation_with_aux2
      ... def noted(f, store, *args):
      ...     store.store(len(args))
      ...     return f(*args)
      >>> fun, count = noted(wrap_init(max))
      >>> fun.call_wrapped(1, 2), count()
      (2, 2)
    """

    def apply(fun: WrappedFun, *given: Any) -> tuple[WrappedFun, _Store]:
        store = _Store()

        def transformed(*args: Any, **kwargs: Any) -> Any:
            return gen(fun.call_wrapped, store, *given, *args, **kwargs)

        return WrappedFun(transformed, {}, fun.debug_info), store

    return apply


def merge_linear_aux(aux1: Callable[[], Any], aux2: Callable[[], Any]) -> tuple[bool, Any]:
    """Which of two functions was called, and what it returned beside its results.

    Args:
      aux1, aux2: what `transformation_with_aux` made; one of the functions must have been called.

    Returns:
      (whether it is the first, its `aux`).

    Raises:
      StoreException: none was called.

    Example:
      >>> from dovetail.trees.wrapped import wrap_init
      >>> @transformation_with_aux
      ... def noted(*args):
      ...     out = yield args, {}
      ...     yield out, len(args)
      >>> (first, one), (second, two) = noted(wrap_init(max)), noted(wrap_init(max))
      >>> _ = second.call_wrapped(1, 2)
      >>> merge_linear_aux(one, two)
      (False, 2)
    """
    try:
        return True, aux1()
    except StoreException:
        return False, aux2()
