"""Checkpoints: functions whose derivatives recompute values instead of keeping them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from types import SimpleNamespace
from typing import Any

from dovetail import _core, ops
from dovetail.base.errors import type_error, value_error
from dovetail.base.trace_stack import derivative_order
from dovetail.programs.jitted import Jitted
from dovetail.programs.options import Options
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import (
    Function,
    LeafNames,
    as_numbers,
    as_operand,
    as_operand_or_ref,
    name_of,
    results_of,
    wraps,
)
from dovetail.tracing.functions import apply, call, trace
from dovetail.tracing.references import check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.linearization import saved_residuals
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten, map_leaves, unflatten


class Policy:
    """A checkpoint policy: which of a function's values may be saved for its derivative.

    Args:
      entries: the policy attribute of the op `checkpoint`.
      name: its name in messages.

    Example:
      >>> import dovetail as dt
      >>> dt.checkpoint_policies.dots_saveable
      <checkpoint policy dots_saveable>
    """

    def __init__(self, entries: Sequence[tuple[str, ...]], name: str) -> None:
        self.entries = tuple(entries)
        self.__name__ = name

    def __repr__(self) -> str:
        return f"<checkpoint policy {self.__name__}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(self.entries)


def _of_names(kind: str, function: str) -> Callable[..., Policy]:
    def policy(*names: str) -> Policy:
        for name in names:
            if not isinstance(name, str):
                raise type_error(f"{function}: names must be strings, got: {name!r}")
        return Policy([(kind, *names)], f"{function}{names}")

    policy.__name__ = function
    return policy


def _save_from_both_policies(policy_1: Any, policy_2: Any) -> Policy:
    both = [_checked(policy, "save_from_both_policies") for policy in (policy_1, policy_2)]
    entries = dict.fromkeys(entry for policy in both for entry in policy.entries)
    return Policy(list(entries), " | ".join(policy.__name__ for policy in both))


def _save_and_offload_only_these_names(
    *,
    names_which_can_be_saved: Collection[str],
    names_which_can_be_offloaded: Collection[str],
    offload_src: str,
    offload_dst: str,
) -> Policy:
    """Those to offload are saved where they are: a device has one memory here."""
    function = "save_and_offload_only_these_names"
    saved, offloaded = list(names_which_can_be_saved), list(names_which_can_be_offloaded)
    if both := sorted({*saved} & {*offloaded}):
        raise value_error(
            f"{function}: names must be in one of names_which_can_be_saved and "
            f"names_which_can_be_offloaded, got: {', '.join(map(repr, both))} in both"
        )
    return _of_names("named", function)(*saved, *offloaded)


def _offload_dot_with_no_batch_dims(offload_src: str, offload_dst: str) -> Policy:
    return Policy(_UNBATCHED_DOTS.entries, "offload_dot_with_no_batch_dims")


_DOTS = Policy([("dot",)], "dots_saveable")
_UNBATCHED_DOTS = Policy([("unbatched_dot",)], "dots_with_no_batch_dims_saveable")

# The policies that `checkpoint` accepts, and factories of policies.
checkpoint_policies = SimpleNamespace(
    everything_saveable=Policy([("all",)], "everything_saveable"),
    nothing_saveable=Policy([], "nothing_saveable"),
    dots_saveable=_DOTS,
    checkpoint_dots=_DOTS,
    dots_with_no_batch_dims_saveable=_UNBATCHED_DOTS,
    checkpoint_dots_with_no_batch_dims=_UNBATCHED_DOTS,
    save_only_these_names=_of_names("named", "save_only_these_names"),
    save_any_names_but_these=_of_names("named_but", "save_any_names_but_these"),
    save_anything_except_these_names=_of_names("all_but", "save_anything_except_these_names"),
    save_from_both_policies=_save_from_both_policies,
    save_and_offload_only_these_names=_save_and_offload_only_these_names,
    offload_dot_with_no_batch_dims=_offload_dot_with_no_batch_dims,
)


def _checked(policy: Any, what: str) -> Policy:
    if isinstance(policy, Policy):
        return policy
    if callable(policy):
        return _of_function(policy, what)
    known = ", ".join(vars(checkpoint_policies))
    raise type_error(
        f"{what}: a policy must be one of checkpoint_policies ({known}) or a function of an op, "
        f"got: {policy!r}"
    )


class OpKind:
    """A kind of op, passed to policies that are functions.

    Args:
      name: the op's name in the dialect, as in `dovetail.sin`.

    Example:
      >>> import dovetail as dt
      >>> def keep_sines(op, *types, **params):
      ...     return op.name == "dovetail.sin"
      >>> f = dt.checkpoint(lambda x: dnp.cos(dnp.sin(x)), policy=keep_sines)
      >>> print(dt.grad(f)(0.0))
      -0.0
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def _of_function(function: Callable[..., Any], what: str) -> Policy:
    """A policy given as a function, called once for each kind of op."""
    kinds = _core.registered_ops()
    try:
        saved = [kind for kind in kinds if function(OpKind(kind))]
    except TypeError as error:
        raise type_error(
            f"{what}: the policy `{name_of(function)}` must be a function of an op, whose name is "
            f"`op.name`, got: an error from it: {error}"
        ) from error
    if len(saved) == len(kinds):
        return checkpoint_policies.everything_saveable
    return Policy([("op", *saved)] if saved else [], name_of(function))


def checkpoint(
    fun: Function | None = None,
    *,
    prevent_cse: bool | Sequence[bool] = True,
    policy: Policy | Callable[..., Any] | None = None,
    static_argnums: int | Sequence[int] = (),
    concrete: bool = False,
) -> Any:
    """The function with a derivative that needs little memory.

    Reverse mode keeps the arguments, and recomputes what else it needs. Values and derivatives are
    the same. The function is traced, as by `jit`, even if it is not differentiated.

    Args:
      fun: takes and returns trees of arrays.
      prevent_cse: whether to keep the compiler from merging the recomputed values with the original
        ones. This is unnecessary in the body of a loop. Of several bools, one suffices.
      policy: the values that may be kept in addition to the arguments: one of
        `checkpoint_policies`, or a predicate of an op, with name `op.name`, for the ops whose
        results may be kept.
      static_argnums: arguments that are not arrays.
      concrete: False; values that Python code needs are static arguments.

    Returns:
      The function; without `fun`, a decorator.

    Raises:
      NotImplementedError: `concrete` is True.
      TypeError: `policy` is neither.

    Example:
      >>> import dovetail as dt
      >>> f = dt.checkpoint(lambda x: dnp.sin(dnp.sin(x)))
      >>> float(dt.grad(f)(0.0))
      1.0
    """
    if concrete:
        raise NotImplementedError(
            "checkpoint: concrete must be False, as the function is traced, got: True; let "
            "static_argnums name the arguments whose values Python asks for"
        )
    if fun is None:
        return functools.partial(
            checkpoint, prevent_cse=prevent_cse, policy=policy, static_argnums=static_argnums
        )
    if not callable(fun):
        raise type_error(f"checkpoint: fun must be a function, got: {fun!r}")
    function, name = fun, name_of(fun)
    chosen = _checked(policy or checkpoint_policies.nothing_saveable, "checkpoint")
    numbers = as_numbers(static_argnums, "static_argnums")
    is_kept_apart = prevent_cse if isinstance(prevent_cse, bool) else any(prevent_cse)

    plain = _Evaluated(function, Options(static_argnums=numbers, compile="never"))

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        statics = {_position(number, len(args), name) for number in numbers}
        if derivative_order() or not all(_is_hashable(args[i]) for i in statics):
            return _apply(function, args, kwargs, statics, chosen, is_kept_apart)
        return plain(*args, **kwargs)

    return wrapper


class _Evaluated(Jitted):
    """A checkpointed function where nothing is differentiated: traced, but not compiled."""

    _kind = "checkpoint"


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _apply(
    function: Function,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    statics: Collection[int],
    policy: Policy,
    prevent_cse: bool,
) -> Any:
    """Trace the checkpoint again; returns its results."""
    name = name_of(function)
    dynamic = [None if i in statics else arg for i, arg in enumerate(args)]
    values, spec = set_float0_aside(*flatten((dynamic, kwargs)))
    names = LeafNames(function, dynamic, kwargs)
    leaves = [as_operand_or_ref(value, names.at(i)) for i, value in enumerate(values)]

    def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
        given, keywords = unflatten(spec, tracers)
        full = [args[i] if i in statics else value for i, value in enumerate(given)]
        outs, out_spec = set_float0_aside(*flatten(function(*full, **keywords)))
        return results_of(function, outs, out_spec), out_spec

    avals = [leaf.aval for leaf in leaves]
    traced = trace(python, avals, names, "checkpoint", name, origins=leaves, refs="held")
    check_references("checkpoint", name, leaves, names, traced.captured)
    references = [*leaves, *traced.captured]
    operands = traced.held(references)
    if derivative_order():
        saving = {"policy": policy.entries} if policy.entries else {}
        outs = apply(
            "checkpoint",
            traced,
            operands,
            traced.avals,
            prevent_cse=prevent_cse,
            **saving,
        )
    else:
        outs = call(evaluation.Callee(traced.function, traced.place), operands, traced.avals)
    outs = traced.store(references, outs)
    if traced.uses is not None:
        traced.uses.apply(leaves, outs)
    return unflatten(traced.extra, outs)


# JAX's other name for it.
remat = checkpoint


def _position(number: int, count: int, name: str) -> int:
    if not -count <= number < count:
        raise value_error(
            f"static_argnums must be numbers of the {count} positional arguments that `{name}` was "
            f"called with, got: {number}"
        )
    return number % count


def checkpoint_name(x: Any, name: str) -> Any:
    """The arrays, with a name by which checkpoint policies select them.

    Args:
      x: a tree of arrays.
      name: the name.

    Returns:
      The tree.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.ad_checkpoint import checkpoint_name
      >>> policy = dt.checkpoint_policies.save_only_these_names("s")
      >>> f = dt.checkpoint(lambda x: dnp.sin(checkpoint_name(dnp.sin(x), "s")), policy=policy)
      >>> float(dt.grad(f)(0.0))
      1.0
    """
    if not isinstance(name, str):
        raise type_error(f"checkpoint_name: name must be a string, got: {name!r}")

    def named(leaf: Any) -> Operand:
        operand = as_operand(leaf, "an argument of checkpoint_name")
        return ops.name(operand, name) if derivative_order() else operand

    return map_leaves(named, x)


def print_saved_residuals(f: Function, *args: Any, **kwargs: Any) -> None:
    """Print what `vjp` keeps of a function at a point.

    Args:
      f: the function.
      args, kwargs: its arguments, or `ShapeDtypeStruct`s.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.ad_checkpoint import print_saved_residuals
      >>> print_saved_residuals(dt.checkpoint(lambda x: dnp.sin(dnp.sin(x))), 1.0)
      f32[] from the argument x
    """
    for aval, source in saved_residuals(f, *args, **kwargs):
        print(f"{aval.str_short(short_dtypes=True)} {source}")
