"""Rules that state the factors of a function's arguments and results, by their names."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base.errors import type_error, value_error
from dovetail.transforms.foreign_calls import Loops

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


def loops_in(rule: SdyShardingRule) -> tuple[Loops, Loops]:
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


def factors_of(
    rule: SdyShardingRule, avals: Sequence[ShapedArray], out_avals: Sequence[ShapedArray]
) -> list[list[int]]:
    """The numbers of the factors of arrays of these types; dimensions of the same several factors
    are one.

    Raises:
      ValueError: the rule is for other numbers of arrays, or of dimensions, or of elements.
    """
    for what, mappings, types in (
        ("operands", rule.operand_mappings, avals),
        ("results", rule.result_mappings, out_avals),
    ):
        if len(mappings) != len(types):
            raise value_error(
                f"Sharding rule has {len(mappings)} {what}, but the operation has {len(types)} "
                f"{what}, got: {[str(aval) for aval in types]}"
            )
    sizes: dict[str, Any] = dict(rule.factor_sizes)
    dims_of: list[list[Any]] = []
    ranks: dict[str, int] = {}
    mappings = [*rule.operand_mappings, *rule.result_mappings]
    for i, (mapping, aval) in enumerate(zip(mappings, [*avals, *out_avals], strict=True)):
        dims: list[Any] = list(mapping)
        what = f"{i}th operand" if i < len(avals) else f"{i - len(avals)}th result"
        if dims and isinstance(dims[0], str) and dims[0].startswith(BATCHING):
            group = dims.pop(0)
            rank = max(len(aval.shape) - len(dims), 0)
            if ranks.setdefault(group, rank) != rank:
                raise value_error(
                    "Ellipsis represents different number of leading dimensions "
                    f"{ranks[group]} and {rank}, got: {aval} for the {what}"
                )
            dims[:0] = [f"{group} {d}" for d in range(rank)]
        if len(dims) != len(aval.shape):
            raise value_error(
                f"Sharding rule {what} has rank {len(dims)}, but the operation {what} has rank "
                f"{len(aval.shape)}, got: {aval}"
            )
        for dim, size in zip(dims, aval.shape, strict=True):
            if isinstance(dim, str) and sizes.setdefault(dim, size) != size:
                if dim.startswith(BATCHING):
                    raise value_error(
                        f"Batching dimension corresponds to two sizes: {sizes[dim]} and {size}, "
                        f"got: {aval} for the {what}"
                    )
                sizes[dim] = min(sizes[dim], size)
        dims_of.append(dims)
    for dims, aval in zip(dims_of, [*avals, *out_avals], strict=True):
        for dim, size in zip(dims, aval.shape, strict=True):
            if (
                not isinstance(dim, str)
                and (product := math.prod(sizes[name] for name in dim)) != size
            ):
                raise value_error(
                    f"actual size {size} doesn't match the size {product} derived from the "
                    f"compound factors {tuple(dim)}, got: {aval}"
                )
    numbers: dict[Hashable, int] = {}
    return [[numbers.setdefault(dim, len(numbers)) for dim in dims] for dims in dims_of]
