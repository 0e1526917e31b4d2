"""Functions of flat lists of leaves, which `api_util` makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dovetail.trees.pytree import flatten, unflatten


class WrappedFun:
    """A function, and what libraries say about it.

    Args:
      f: the function.
      params: arguments by name that each call passes.
      debug_info: a description for messages.
    """

    def __init__(self, f: Callable[..., Any], params: Mapping[str, Any], debug_info: Any) -> None:
        self.f = f
        self.params = dict(params)
        self.debug_info = debug_info

    def call_wrapped(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return self.f(*args, **self.params, **kwargs)

    @property
    def __name__(self) -> str:
        return getattr(self.f, "__name__", "<unnamed function>")


def wrap_init(
    f: Callable[..., Any], params: Mapping[str, Any] | None = None, *, debug_info: Any = None
) -> WrappedFun:
    """A function as an object that `jax.api_util` can flatten.

    Args:
      f: the function.
      params: arguments by name that each call passes.
      debug_info: a description for messages, from `jax.api_util.debug_info`.

    Example:
      >>> from dovetail.trees.wrapped import wrap_init
      >>> wrap_init(max).call_wrapped(1, 2)
      2
    """
    return WrappedFun(f, params or {}, debug_info)


def flatten_fun(f: WrappedFun, in_tree: Any) -> tuple[WrappedFun, Callable[[], Any]]:
    """A function of leaves, for one of positional and named arguments.

    Args:
      f: the function.
      in_tree: the structure of `(args, kwargs)`.

    Returns:
      (flat, out_tree): the function from leaves to leaves, and a function that returns the
      structure of the results after a call.

    Example:
      >>> from dovetail import tree_util
      >>> from dovetail import api_util
      >>> from dovetail.trees.wrapped import wrap_init
      >>> f = wrap_init(lambda x, y: {"sum": x + y})
      >>> flat, out_tree = api_util.flatten_fun(f, tree_util.tree_structure(((1,), {"y": 2})))
      >>> flat.call_wrapped(1, 2), out_tree().num_leaves
      ([3], 1)
    """
    return _flat(f, in_tree, lambda args, kwargs: f.call_wrapped(*args, **kwargs))


def flatten_fun_nokwargs(f: WrappedFun, in_tree: Any) -> tuple[WrappedFun, Callable[[], Any]]:
    """A function of leaves, for one of positional arguments; else as `flatten_fun`.

    Args:
      f: the function.
      in_tree: the structure of its arguments.

    Returns:
      (flat, out_tree): see `flatten_fun`.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import api_util
      >>> from dovetail.trees.wrapped import wrap_init
      >>> leaves, tree = dt.tree.flatten(({"a": 1, "b": 2},))
      >>> flat, out_tree = api_util.flatten_fun_nokwargs(wrap_init(lambda x: x["b"]), tree)
      >>> flat.call_wrapped(*leaves)
      [2]
    """
    return _flat(f, in_tree, f.call_wrapped)


def _flat(
    f: WrappedFun, in_tree: Any, call: Callable[..., Any]
) -> tuple[WrappedFun, Callable[[], Any]]:
    trees: list[Any] = []

    def flat(*leaves: Any) -> list[Any]:
        results, tree = flatten(call(*unflatten(in_tree, leaves)))
        trees.append(tree)
        return results

    def out_tree() -> Any:
        if not trees:
            raise RuntimeError("out_tree must be called after the function, got: no call so far")
        return trees[-1]

    return WrappedFun(flat, {}, f.debug_info), out_tree


class DebugInfo(NamedTuple):
    """A description of a function that is about to be traced.

    Attributes:
      traced_for: the transform.
      func_src_info: the function's name.
      arg_names: the names of the arguments' leaves, if known.
      result_paths: where each leaf is in the result, if known.
    """

    traced_for: str
    func_src_info: str
    arg_names: tuple[str, ...] | None = None
    result_paths: tuple[str, ...] | None = None


def debug_info(traced_for: str, fun: Callable[..., Any], *args: Any, **kwargs: Any) -> DebugInfo:
    """A description of a function that is about to be traced.

    Args:
      traced_for: the transform.
      fun: the function.
      args, kwargs: its arguments, and options; ignored.

    Returns:
      The description.

    Example:
      >>> from dovetail import api_util
      >>> api_util.debug_info("jit", abs, -1)
      DebugInfo(traced_for='jit', func_src_info='abs', arg_names=None, result_paths=None)
    """
    return DebugInfo(traced_for, getattr(fun, "__name__", "<unnamed function>"))
