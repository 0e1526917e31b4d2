"""Functions that say how they are partitioned."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import dovetail as dt
from dovetail.base.errors import value_error

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
        **factor_sizes: int,
    ) -> None:
        self.operand_mappings = operand_mappings
        self.result_mappings = result_mappings
        self.factor_sizes = factor_sizes


class custom_partitioning:
    """A function with a rule for its partition over the devices of a mesh.

    This compiler partitions functions by their ops, also this one: it computes the function's
    values on any mesh, and does not ask for the rule, which may only choose how.

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
        self._jitted = dt.jit(fun, static_argnums=self.static_argnums)
        functools.update_wrapper(self, fun)

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
          sharding_rule: a rule as text, or a `SdyShardingRule`.
          **rule_options: the sizes and the kinds of factors.

        Returns:
          `partition`.

        Example:
          >>> from dovetail.experimental.custom_partitioning import custom_partitioning
          >>> same = custom_partitioning(lambda x: x)
          >>> rule = same.def_partition(lambda *_: None, sharding_rule="i -> i")
        """
        del infer_sharding_from_operands, propagate_user_sharding, decode_shardings
        del sharding_rule, rule_options
        return partition

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return self._jitted(*args, **kwargs)
