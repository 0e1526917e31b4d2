"""Functions that say how they are partitioned."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import dovetail as dt
from dovetail.base.errors import type_error, value_error
from dovetail.transforms.foreign_calls import Loops, loops_of

__all__ = ["BATCHING", "ArrayMapping", "CompoundFactor", "SdyShardingRule", "custom_partitioning"]

BATCHING = "…"


class CompoundFactor(tuple[str, ...]):
    """Two or more factors of one dimension.

    Args:
      *factors: their names, the major one first.

    Raises:
      ValueError: there are fewer than two.

    Example:
      >>> from dovetail.experimental.custom_partitioning import CompoundFactor
      >>> CompoundFactor("b", "c")
      ('b', 'c')
    """

    def __new__(cls, *factors: str) -> CompoundFactor:  # noqa: D102
        if len(factors) < 2:
            raise value_error(
                "CompoundFactor: A compound factor should contain at least two factors; name a "
                f"single one by a string, got: {factors}"
            )
        return tuple.__new__(cls, factors)


class ArrayMapping(tuple[str | CompoundFactor, ...]):
    """The factors of each dimension of an array.

    Args:
      *dim_mappings: the name, or the `CompoundFactor`, of each dimension.

    Example:
      >>> from dovetail.experimental.custom_partitioning import ArrayMapping
      >>> ArrayMapping("i", "k")
      ('i', 'k')
    """

    def __new__(cls, *dim_mappings: str | CompoundFactor) -> ArrayMapping:  # noqa: D102
        return tuple.__new__(cls, dim_mappings)


class SdyShardingRule:
    """The factors of the arguments and of the results of a function.

    Args:
      operand_mappings: of each argument.
      result_mappings: of each result.
      **factor_sizes: the sizes of factors that are in compound ones only.

    Example:
      >>> from dovetail.experimental.custom_partitioning import ArrayMapping, SdyShardingRule
      >>> SdyShardingRule((ArrayMapping("i"),), (ArrayMapping("i"),)).result_mappings
      (('i',),)
    """

    def __init__(
        self,
        operand_mappings: tuple[ArrayMapping, ...],
        result_mappings: tuple[ArrayMapping, ...],
        *,
        reduction_factors: tuple[str, ...] = (),
        need_replication_factors: tuple[str, ...] = (),
        permutation_factors: tuple[str, ...] = (),
        **factor_sizes: int,
    ) -> None:
        self.operand_mappings = operand_mappings
        self.result_mappings = result_mappings
        self.factor_sizes = factor_sizes
        self.reduction_factors = reduction_factors
        self.need_replication_factors = need_replication_factors
        self.permutation_factors = permutation_factors
        is_whole = dict[str, bool]()
        for dim in (dim for mapping in (*operand_mappings, *result_mappings) for dim in mapping):
            for factor in (dim,) if isinstance(dim, str) else dim:
                is_whole[factor] = is_whole.get(factor, False) or isinstance(dim, str)
        for factor in factor_sizes:
            if factor not in is_whole:
                raise value_error(
                    f"Factor {factor} is not used in the rule, but size is provided, got: "
                    f"{factor_sizes}"
                )
        for factor, whole in is_whole.items():
            if not whole and factor not in factor_sizes:
                raise value_error(
                    f"Factor {factor} is only used in compound factors; must specify its size, "
                    f"got: {factor_sizes}"
                )
            if whole and factor in factor_sizes:
                raise value_error(
                    f"Factor {factor} represents a whole dimension; do not specify its size, got: "
                    f"{factor_sizes}"
                )
        special: set[str] = set()
        for kind in ("reduction_factors", "need_replication_factors", "permutation_factors"):
            factors = getattr(self, kind)
            if not isinstance(factors, tuple):
                raise value_error(f"{kind} must be a tuple of factors, got: {factors!r}")
            for factor in factors:
                if factor not in is_whole:
                    raise value_error(
                        f"Factor {factor} in {kind} is not used in the rule, got: {factors}"
                    )
                if factor in special:
                    raise value_error(
                        f"Factor {factor} can only be in one of the reduction, need replication, "
                        f"or permutation factor sets, and once, got: {factors} as {kind}"
                    )
                special.add(factor)


def str_to_sdy_sharding_rule(rule: str, **options: Any) -> SdyShardingRule:
    """A rule from its text.

    Args:
      rule: the factors of each dimension of the arguments, "->", and those of the results: names
        with spaces between them, arrays with commas. "(i j)" is a dimension of two factors, "..."
        in front stands for any more.
      **options: those of `SdyShardingRule`.

    Raises:
      ValueError: the text is no rule.

    Example:
      >>> str_to_sdy_sharding_rule("... i k, k j -> ... i j").result_mappings
      (('…', 'i', 'j'),)
    """
    if not isinstance(rule, str):
        raise type_error(f"rule must be a str, but got {type(rule)}")
    sides = rule.replace("...", BATCHING).split("->")
    if BATCHING in rule:
        raise value_error(f"Unknown character '{BATCHING}', got: {rule!r}")
    if len(sides) != 2:
        raise value_error(f"There is no -> in rule, or more than one, got: {rule!r}")
    return SdyShardingRule(*(_mappings(side, rule) for side in sides), **options)


_DIMENSION = re.compile(r"\s*(\(([^()]*)\)|[A-Za-z_]\w*|…\d*)(?=[\s(),…]|$)")


def _mappings(side: str, rule: str) -> tuple[ArrayMapping, ...]:
    return tuple(_mapping(text, rule) for text in side.split(","))


def _mapping(text: str, rule: str) -> ArrayMapping:
    dims: list[str | CompoundFactor] = []
    while text.strip():
        found = _DIMENSION.match(text)
        if found is None or (found[1].startswith(BATCHING) and dims):
            raise value_error(
                "a rule must have names of factors, that start with a letter, pairs of brackets "
                f"around two factors or more, and ... only at the beginning of a dimension, got: "
                f"{text.strip()!r} in {rule!r}"
            )
        dims.append(found[1] if found[2] is None else CompoundFactor(*found[2].split()))
        text = text[found.end() :]
    return ArrayMapping(*dims)


def _loops(rule: SdyShardingRule) -> tuple[Loops, Loops]:
    """The loops of a foreign function; those that devices may not divide are -1."""
    whole = {*rule.reduction_factors, *rule.need_replication_factors, *rule.permutation_factors}
    for dim in (
        dim for mapping in (*rule.operand_mappings, *rule.result_mappings) for dim in mapping
    ):
        whole.update(() if isinstance(dim, str) else dim)
    numbers: dict[str, int] = {}

    def loop(dim: Any) -> Any:
        if not isinstance(dim, str) or dim in whole:
            return -1
        return ... if dim.startswith(BATCHING) else numbers.setdefault(dim, len(numbers))

    operands, results = (
        tuple(tuple(map(loop, mapping)) for mapping in mappings)
        for mappings in (rule.operand_mappings, rule.result_mappings)
    )
    return operands, results


class custom_partitioning:
    """A function with a rule for its partition over the devices of a mesh.

    This compiler partitions functions by their ops, also this one. The rule is that of a foreign
    function in it (`dovetail.ffi.ffi_call`) which takes and returns arrays like those of `fun`:
    devices call it on parts along factors that all its results have. Other factors, and those of
    compound dimensions, are not divided.

    Args:
      fun: the function.
      static_argnums: the arguments that are no arrays.

    Example:
      >>> from dovetail.experimental.custom_partitioning import custom_partitioning
      >>> @custom_partitioning
      ... def double(x):
      ...     return 2 * x
      >>> rule = double.def_partition(partition=lambda *_: None, sharding_rule="i -> i")
      >>> double(dnp.arange(3))
      Array([0, 2, 4], dtype=int32)
    """

    def __init__(self, fun: Callable[..., Any], static_argnums: Sequence[int] = ()) -> None:
        self.fun = fun
        self.static_argnums = tuple(static_argnums)
        self._loops: tuple[Loops, Loops] | None = None
        functools.update_wrapper(self, fun)
        self._jitted = self._as_jitted()

    def def_partition(
        self,
        partition: Callable[..., Any],
        infer_sharding_from_operands: Callable[..., Any] | None = None,
        propagate_user_sharding: Callable[..., Any] | None = None,
        decode_shardings: bool = True,
        sharding_rule: Any = None,
        **rule_options: Any,
    ) -> Callable[..., Any]:
        """Give the rule.

        Args:
          partition: the sharded function for a mesh and shapes; it is not called.
          infer_sharding_from_operands: the shardings of the results; it is not called.
          propagate_user_sharding: the shardings of the results for the user's; it is not called.
          decode_shardings: whether these take `NamedSharding`s.
          sharding_rule: a rule as text, such as "i k, k j -> i j", or a `SdyShardingRule`; one
            that is made by a function of the mesh is not used.
          **rule_options: the sizes and the kinds of factors, `reduction_factors` and the like.

        Returns:
          `partition`.

        Raises:
          ValueError: the text is no rule, or a factor is named that it does not have.

        Example:
          >>> from dovetail.experimental.custom_partitioning import custom_partitioning
          >>> same = custom_partitioning(lambda x: x)
          >>> rule = same.def_partition(lambda *_: None, sharding_rule="i -> i")
        """
        del infer_sharding_from_operands, propagate_user_sharding, decode_shardings
        if isinstance(sharding_rule, str):
            sharding_rule = str_to_sdy_sharding_rule(sharding_rule, **rule_options)
        self._loops = None
        if isinstance(sharding_rule, SdyShardingRule):
            self._loops = _loops(sharding_rule)
        # What was traced before does not have the rule.
        self._jitted = self._as_jitted()
        return partition

    def _as_jitted(self) -> Callable[..., Any]:
        @functools.wraps(self.fun)
        def traced(*args: Any, **kwargs: Any) -> Any:
            with contextlib.nullcontext() if self._loops is None else loops_of(*self._loops):
                return self.fun(*args, **kwargs)

        return dt.jit(traced, static_argnums=self.static_argnums)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._jitted(*args, **kwargs)
