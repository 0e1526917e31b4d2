"""The options of `jit`, checked against the function's parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.base import config
from dovetail.base.errors import value_error
from dovetail.placement import platforms
from dovetail.placement.layouts import Format
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import P
from dovetail.placement.shardings import Place, Sharding, place_on
from dovetail.tracing.arguments import as_numbers, name_of
from dovetail.trees.float0 import is_float0
from dovetail.trees.pytree import broadcast_prefix, count_leaves, flatten, unflatten


class ShardingPrefix(NamedTuple):
    """A tree of shardings, and formats, that is a prefix of that of arrays; hashable."""

    leaves: tuple[Any, ...]
    spec: Any

    @staticmethod
    def of(shardings: Any, what: str) -> ShardingPrefix | None:
        """The prefix that an argument of `jit` is, or None for None.

        Raises:
          ValueError: a sharding is over no devices, or leaves a dimension to the compiler.
        """
        if shardings is None:
            return None
        leaves, spec = flatten(shardings, _is_sharding)
        for leaf in leaves:
            _check(leaf.sharding if isinstance(leaf, Format) else leaf, what)
        return ShardingPrefix(tuple(leaves), spec)

    def for_each(self, tree: Any, what: str) -> list[Any]:
        """The sharding of each leaf of a tree that is not an array without data.

        Raises:
          NotImplementedError: the layout of a format is not row-major.
        """
        if len(self.leaves) == 1 and self.spec.is_leaf():
            wanted = [self.leaves[0]] * count_leaves(tree)
        else:
            wanted = broadcast_prefix(unflatten(self.spec, self.leaves), tree, what)
        return [
            each.for_shape(np.shape(x), what) if isinstance(each, Format) else each
            for each, x in zip(wanted, flatten(tree)[0], strict=True)
            if not is_float0(x)
        ]


def _check(sharding: Any, what: str) -> None:
    if isinstance(sharding, NamedSharding) and sharding.mesh.empty:
        raise value_error(
            f"One of jit {what} got an empty NamedSharding: {sharding} which is not allowed."
        )
    spec = sharding.spec if isinstance(sharding, NamedSharding) else sharding
    if isinstance(spec, P) and P.UNCONSTRAINED in spec.partitions:
        raise value_error(
            f"Unconstrained dims are not allowed when passed to {what}: {sharding}; use None for "
            "what the compiler chooses"
        )


def _is_sharding(node: Any) -> bool:
    return node is None or isinstance(node, (Sharding, P, Format))


class Options(NamedTuple):
    """How a function is compiled and called.

    Attributes:
      static_argnums: the positions of arguments that are not arrays.
      static_argnames: the keywords of arguments that are not arrays.
      donate_argnums: the positions of arguments whose memory results may reuse.
      donate_argnames: the keywords of arguments whose memory results may reuse.
      device, backend: where programs run: a device, or the first one of a platform.
      compile: when they are compiled; None for the setting `compile`.
      in_shardings, out_shardings: how arguments and results are sharded; None if it is not stated.
      keep_unused, inline: parameters of the equations of calls.
    """

    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: tuple[str, ...] = ()
    device: Any = None
    backend: str | None = None
    compile: str | None = None
    in_shardings: ShardingPrefix | None = None
    out_shardings: ShardingPrefix | None = None
    keep_unused: bool = False
    inline: Any = False

    @property
    def place(self) -> Place | None:
        """Where programs run, if stated."""
        if self.backend is not None:
            return place_on(platforms.first_of(self.backend), True)
        return None if self.device is None else place_on(platforms.device_meant(self.device), True)

    @property
    def donates(self) -> bool:
        """Whether calls may consume arguments."""
        return bool(self.donate_argnums or self.donate_argnames)


def refuse_compiler_options(name: str, options: Mapping[str, Any] | None) -> None:
    """Raise a ValueError if there are options of JAX's compiler.

    Args:
      name: of the function that was given them, for messages.
      options: by their names.
    """
    if options:
        raise value_error(
            f"{name}: compiler_options must have no entries, since they are options of "
            f"another compiler, got: {dict(options)}; leave them out"
        )


def options_for(
    function: Callable[..., Any],
    *,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Sequence[str] | None = None,
    device: Any = None,
    backend: str | None = None,
    compile: str | None = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
    keep_unused: bool = False,
    inline: Any = False,
) -> Options:
    """The options for a function; if only numbers or names are given, the others follow.

    Raises:
      TypeError: something other than numbers or names.
      ValueError: the function has no such parameter, one is both static and donated, both a device
        and a platform are given, or there is no such way to compile.
    """
    static = _completed(function, static_argnums, static_argnames, "static")
    donated = _completed(function, donate_argnums, donate_argnames, "donate")
    both = [*sorted({*static[0]} & {*donated[0]}), *sorted({*static[1]} & {*donated[1]})]
    if both:
        kind = "argnames" if {*static[1]} & {*donated[1]} else "argnums"
        raise ValueError(
            f"static_{kind} and donate_{kind} cannot intersect, as an argument is static or "
            f"donated, got: {', '.join(map(repr, both))} of `{name_of(function)}` in both"
        )
    if device is not None and backend is not None:
        raise ValueError(
            "can't specify both a device and a backend for jit, got: "
            f"device={device!r} and backend={backend!r}"
        )
    shardings = {"in_shardings": in_shardings, "out_shardings": out_shardings}
    for what, sharding in shardings.items():
        if sharding is not None and (device is not None or backend is not None):
            raise ValueError(
                f"If backend or device is specified on jit, then {what} should not be specified. "
                f"got: {sharding} of `{name_of(function)}`"
            )
    if compile is not None and compile not in config.compile.choices:
        raise ValueError(
            f"compile must be None or one of {', '.join(map(repr, config.compile.choices))}, "
            f"got: {compile!r}"
        )
    prefixes = {what: ShardingPrefix.of(sharding, what) for what, sharding in shardings.items()}
    return Options(
        *static,
        *donated,
        device,
        backend,
        compile,
        keep_unused=bool(keep_unused),
        inline=inline,
        **prefixes,
    )


def _completed(
    function: Callable[..., Any],
    numbers: int | Sequence[int] | None,
    names: str | Sequence[str] | None,
    kind: str,
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Arguments by position and by name, one of which may be omitted and follows from the other."""
    by_number = () if numbers is None else as_numbers(numbers, f"{kind}_argnums")
    by_name = _as_names(names, f"{kind}_argnames")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        if by_name and numbers is None:
            raise ValueError(
                f"Getting the signature of function `{name_of(function)}` failed. Pass "
                f"{kind}_argnums instead of {kind}_argnames. ({error})"
            ) from None
        return by_number, by_name
    positional = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    count = len(positional)
    only_positional = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.VAR_POSITIONAL)
    ]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    known = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for name in by_name:
        if name in only_positional or (name not in known and not takes_any):
            raise ValueError(
                f"{kind}_argnames must name parameters of `{name_of(function)}` that can be "
                f"keywords, {', '.join(known)}, got: {name!r}"
            )
    has_varargs = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    for number in by_number:
        if not has_varargs and not -count <= number < count:
            raise ValueError(
                f"{kind}_argnums must be numbers of the {count} positional parameters of "
                f"`{name_of(function)}`, got: {number}"
            )
    if not has_varargs:
        by_number = tuple(number % count for number in by_number)
    if numbers is not None and names is not None:
        return by_number, by_name
    if by_number:
        keywords = (positional[n] for n in by_number if -count <= n < count)
        return by_number, tuple(name for name in keywords if name not in only_positional)
    return tuple(positional.index(name) for name in by_name if name in positional), by_name


def _as_names(names: str | Sequence[str] | None, what: str) -> tuple[str, ...]:
    given = (names,) if isinstance(names, str) else tuple(names or ())
    if not all(isinstance(name, str) for name in given):
        raise TypeError(f"{what} must be a string or a sequence of strings, got: {names!r}")
    return given
