"""Functions that say how they are partitioned."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from dovetail.base.errors import value_error
from dovetail.base.trace_stack import current
from dovetail.placement.mesh_contexts import context_mesh, get_abstract_mesh
from dovetail.tracing.arguments import name_of
from dovetail.transforms.custom_derivatives.calls import Call, WithRule
from dovetail.transforms.foreign_calls import loops_of
from dovetail.transforms.partition_rules import call_partitioned
from dovetail.transforms.sharding_rules import (
    BATCHING,
    ArrayMapping,
    CompoundFactor,
    SdyShardingRule,
    factors_of,
    loops_in,
    str_to_sdy_sharding_rule,
)

__all__ = ["BATCHING", "ArrayMapping", "CompoundFactor", "SdyShardingRule", "custom_partitioning"]


class custom_partitioning(WithRule):
    """A function that says how it is partitioned over the devices of a mesh.

    On one device, outside of `jit` and in functions of `shard_map`, it is `fun`, as in derivatives
    and batches of it. In a program over a mesh, the compiler propagates shardings by
    `sharding_rule`, then asks `partition` what each device computes. It must be the same as `fun`
    does.

    Args:
      fun: the function.
      static_argnums: the arguments that are no arrays.

    Example:
      >>> from dovetail.experimental.custom_partitioning import custom_partitioning
      >>> @custom_partitioning
      ... def double(x):
      ...     return 2 * x
      >>> def partition(mesh, arg_shapes, result_shape):
      ...     arguments = dt.tree.map(lambda x: x.sharding, arg_shapes)
      ...     return mesh, lambda part: 2 * part, result_shape.sharding, arguments
      >>> rule = double.def_partition(partition, sharding_rule="i -> i")
      >>> double(dnp.arange(3))
      Array([0, 2, 4], dtype=int32)
    """

    def __init__(self, fun: Callable[..., Any], static_argnums: Sequence[int] = ()) -> None:
        super().__init__(fun)
        self.static_argnums = tuple(static_argnums)
        self.partition: Callable[..., Any] | None = None
        self.sharding_rule: Any = None
        self._needs_rule = False

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
          partition: takes the static arguments, the mesh, and trees of `ShapeDtypeStruct`s with
            their shardings, of the arguments and of the results. It returns the mesh, a function of
            a device's parts of the arguments, whose collectives name axes of the mesh, the tree
            of shardings of its results, and the tuple of those of its arguments, which may be
            others than it was given: then arrays are moved.
          infer_sharding_from_operands, propagate_user_sharding: accepted beside a `sharding_rule`,
            which says the same.
          decode_shardings: accepted; shardings are `NamedSharding`s.
          sharding_rule: a rule as text, such as "i k, k j -> i j", or a `SdyShardingRule`, or a
            function of the static arguments, the mesh, and the types of arguments and results that
            returns one, or a pair of a text and a dict of `rule_options`. Without it, arguments
            keep their shardings, and results have those of their uses.
          **rule_options: the sizes and the kinds of factors, `reduction_factors` and the like.

        Returns:
          `partition`.

        Raises:
          ValueError: the text is no rule, or a factor is named that it does not have.

        Example:
          >>> from dovetail.experimental.custom_partitioning import custom_partitioning
          >>> same = custom_partitioning(lambda x: x)
          >>> def partition(mesh, arg_shapes, result_shape):
          ...     return mesh, lambda part: part, arg_shapes[0].sharding, (arg_shapes[0].sharding,)
          >>> rule = same.def_partition(partition, sharding_rule="i -> i")
        """
        del decode_shardings
        if isinstance(sharding_rule, str):
            sharding_rule = str_to_sdy_sharding_rule(sharding_rule, **rule_options)
        elif rule_options:
            raise value_error(f"Unknown keyword arguments: {rule_options}")
        callbacks = infer_sharding_from_operands, propagate_user_sharding
        self._needs_rule = sharding_rule is None and callbacks != (None, None)
        self.partition, self.sharding_rule = partition, sharding_rule
        return partition

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, such that `partition` says what devices compute."""
        args = self._resolved(args, kwargs)
        in_progress = current()
        # Of parts along all axes, each device computes its own.
        is_of_parts = get_abstract_mesh().are_all_axes_manual
        if in_progress is None or self.partition is None or is_of_parts:
            return self._applied()(*args)
        if self._needs_rule:
            raise NotImplementedError(
                "Shardy is used, but sharding propagation callbacks instead of sharding_rule are "
                "provided. Need to provide sharding_rule to migrate to Shardy: that of "
                f"`{name_of(self.fun)}` is missing"
            )
        call = Call(self._applied(), args, self.static_argnums)
        return call_partitioned(call, self.partition, self._factors(call.statics))

    def _applied(self) -> Callable[..., Any]:
        """The function; devices call a foreign one in it on parts as the rule says."""
        rule = self.sharding_rule
        if not isinstance(rule, SdyShardingRule):
            return self.fun

        @functools.wraps(self.fun)
        def with_loops(*args: Any) -> Any:
            with loops_of(*loops_in(rule)):
                return self.fun(*args)

        return with_loops

    def _factors(self, statics: Sequence[Any]) -> Callable[..., Any]:
        """The factors of a call with these static arguments, of the types of its arrays."""

        def factors(avals: Sequence[Any], out_avals: Sequence[Any]) -> Any:
            rule = self.sharding_rule
            if callable(rule):
                rule = rule(*statics, context_mesh(), [*avals], [*out_avals])
                options: dict[str, Any] = {}
                if isinstance(rule, (tuple, list)) and len(rule) == 2:
                    rule, options = rule
                if isinstance(rule, str):
                    rule = str_to_sdy_sharding_rule(rule, **options)
                elif not isinstance(rule, SdyShardingRule):
                    raise value_error(
                        "sharding_rule callable must produce either an SdyShardingRule object or "
                        f"an Einsum-like notation string, got: {rule!r}"
                    )
            return None if rule is None else factors_of(rule, avals, out_avals)

        return factors
