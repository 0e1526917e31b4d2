"""Functions with derivatives of their own within functions of parts; run by `test_devices`."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AxisType
from dovetail.sharding import PartitionSpec as P

MESH = dt.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
VALUES = np.arange(32.0, dtype=np.float32).reshape(8, 4) / 32
Function = Callable[..., Any]

# Functions of two arrays of one shape, and how their parts depend on the axes.
FUNCTIONS: dict[str, Function] = {
    "product": lambda a, b: dnp.sin(a) * b,
    "sum over y": lambda a, b: lax.psum(dnp.sin(a) * b, "y"),
    "sum over both": lambda a, b: lax.psum(dnp.sin(a) * b, ("x", "y")),
    "one of them": lambda a, b: lax.psum(dnp.sin(a), "y") * b,
    "mean": lambda a, b: a * lax.pmean(b, "y") + b,
    "greatest": lambda a, b: lax.pmax(a, "y") * b,
    "gathered": lambda a, b: lax.all_gather(a, "y").sum(0) * b,
    "next": lambda a, b: lax.ppermute(a, "y", [(k, (k + 1) % 4) for k in range(4)]) * b,
    "number": lambda a, b: a * (1 + lax.axis_index("y")) + b,
}


def by_vjp(function: Function) -> Function:
    """The function with its own derivative as its rule."""
    wrapped = dt.custom_vjp(function)
    wrapped.defvjp(lambda a, b: (function(a, b), (a, b)), lambda r, ct: dt.vjp(function, *r)[1](ct))
    return wrapped


def by_jvp(function: Function) -> Function:
    wrapped = dt.custom_jvp(function)
    wrapped.defjvp(lambda primals, tangents: dt.jvp(function, primals, tangents))
    return wrapped


RULES: dict[str, Callable[[Function], Function]] = {"vjp": by_vjp, "jvp": by_jvp}
SPECS = (P(), P("y"), P("x"), P(("x", "y")))


def _summed(function: Function, seen: list[Any]) -> Function:
    """The sum of results over the axes along which they vary, which are noted."""

    def on_a_device(a: Any, b: Any) -> Any:
        found = function(a, b)
        seen.append(tuple(sorted(dt.typeof(found).mat.varying)))
        return lax.psum(dnp.sum(found), seen[-1])

    return on_a_device


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_rule_that_is_the_derivative_changes_nothing(name: str, rule: str) -> None:
    """Whatever varies along an axis, and whatever is the same: values, types and gradients."""
    function = FUNCTIONS[name]
    for a, b in itertools.product(SPECS, SPECS):
        shape = tuple(2 * np.prod([MESH.shape[axis] for axis in s.axes], dtype=int) for s in (a, b))
        whole = [VALUES[: shape[0]][:, :3] + 0.1, VALUES[: shape[1]][:, 1:] + 0.2]
        seen: list[Any] = []
        results = []
        for each in (function, RULES[rule](function)):
            mapped = dt.shard_map(_summed(each, seen), mesh=MESH, in_specs=(a, b), out_specs=P())
            both = dt.value_and_grad(mapped, argnums=(0, 1))
            results.append(dt.jit(both, compile="never")(*whole))
        assert seen[0] == seen[-1]
        for found, expected in zip(*map(dt.tree.leaves, results), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6, err_msg=f"{a} {b}")


def test_a_rule_that_sums_over_devices() -> None:
    """The cotangent of what all devices share is summed by the rule, once."""

    @dt.custom_vjp
    def scaled(x: Any, w: Any) -> Any:
        return x * w

    def backward(residuals: Any, ct: Any) -> Any:
        x, w = residuals
        return ct * w, lax.psum(dnp.sum(ct * x, 0), "y")

    scaled.defvjp(lambda x, w: (x * w, (x, w)), backward)
    mapped = dt.shard_map(scaled, mesh=MESH, in_specs=(P("y"), P()), out_specs=P("y"))
    gradient = dt.jit(dt.grad(lambda x, w: dnp.sum(mapped(x, w)), argnums=1))
    np.testing.assert_allclose(gradient(VALUES, VALUES[0]), VALUES.sum(0), rtol=1e-6)


def test_a_rule_that_leaves_the_sum() -> None:
    """A rule may as well return what each device contributes."""

    @dt.custom_vjp
    def scaled(x: Any, w: Any) -> Any:
        return x * w

    scaled.defvjp(lambda x, w: (x * w, (x, w)), lambda r, ct: (ct * r[1], dnp.sum(ct * r[0], 0)))
    mapped = dt.shard_map(scaled, mesh=MESH, in_specs=(P("y"), P()), out_specs=P("y"))
    gradient = dt.jit(dt.grad(lambda x, w: dnp.sum(mapped(x, w)), argnums=1))
    np.testing.assert_allclose(gradient(VALUES, VALUES[0]), VALUES.sum(0), rtol=1e-6)


def test_sums_with_rules() -> None:
    @dt.custom_vjp
    def total(x: Any) -> Any:
        return lax.psum(x, "y")

    total.defvjp(
        lambda x: (lax.psum(x, "y"), None),
        lambda _, ct: (3 * lax.pcast(ct, "y", to="varying"),),
    )
    mapped = dt.shard_map(total, mesh=MESH, in_specs=P("y"), out_specs=P())
    np.testing.assert_allclose(mapped(VALUES), VALUES.reshape(4, 2, 4).sum(0), rtol=1e-6)
    gradient = dt.jit(dt.grad(lambda x: dnp.sum(mapped(x))))
    np.testing.assert_array_equal(gradient(VALUES), np.full_like(VALUES, 3))


def test_equations_whose_matrix_is_divided() -> None:
    """A solver that all devices run alike: its solution is one value."""
    matrix = VALUES.reshape(2, 4, 4).sum(0) + 4 * np.eye(4, dtype=np.float32)
    symmetric = (matrix + matrix.T).astype(np.float32)

    def solve(columns: Any, b: Any) -> Any:
        def product(x: Any) -> Any:
            own = lax.dynamic_slice_in_dim(x, lax.axis_index("y"), 1)
            return lax.psum(columns @ own, "y")

        def iterate(product: Function, b: Any) -> Any:
            return lax.fori_loop(0, 60, lambda _, x: x + 0.08 * (b - product(x)), 0 * b)

        return lax.custom_linear_solve(product, b, iterate, symmetric=True)

    mapped = dt.shard_map(solve, mesh=MESH, in_specs=(P(None, "y"), P()), out_specs=P())
    b = VALUES[0]
    found = dt.jit(dt.value_and_grad(lambda m, b: dnp.sum(mapped(m, b) ** 2), argnums=(0, 1)))
    expected = dt.value_and_grad(lambda m, b: dnp.sum(dnp.linalg.solve(m, b) ** 2), argnums=(0, 1))
    leaves = zip(
        dt.tree.leaves(found(symmetric, b)), dt.tree.leaves(expected(symmetric, b)), strict=True
    )
    for actual, wanted in leaves:
        np.testing.assert_allclose(actual, wanted, rtol=1e-3, atol=1e-4)
