"""Which values are perturbed, as rules with symbolic zeros see it: where JAX's are."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.custom_derivatives import SymbolicZero, zero_from_primal
from dovetail.jaxprs.evaluation import jaxpr_as_fun

Seen = list[tuple[bool, ...]]


def product(seen: Seen) -> Callable[..., Any]:
    """x * y, whose rule notes which arguments are perturbed."""
    f = dt.custom_vjp(lambda x, y: x * y)

    def fwd(*primals: Any) -> Any:
        seen.append(tuple(primal.perturbed for primal in primals))
        x, y = (primal.value for primal in primals)
        return x * y, (x, y)

    f.defvjp(fwd, lambda kept, g: (g * kept[1], g * kept[0]), symbolic_zeros=True)
    return f


def noting(seen: Seen) -> Callable[..., Any]:
    """The identity, whose rule notes whether its argument is perturbed."""
    f = dt.custom_jvp(lambda x: x)

    def rule(primals: Any, tangents: Any) -> Any:
        seen.append((type(tangents[0]) is not SymbolicZero,))
        return primals[0], tangents[0]

    f.defjvp(rule, symbolic_zeros=True)
    return f


def in_scan(step: Any, carry: Any) -> Any:
    return lax.scan(lambda c, _: (step(c), None), carry, None, length=3)[0]


def in_while(step: Any, carry: Any) -> Any:
    after = lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, step(c[1])), (0, carry), max_steps=3
    )
    return after[1]


def in_fori(step: Any, carry: Any) -> Any:
    return lax.fori_loop(0, 3, lambda _, c: step(c), carry)


LOOPS = [in_scan, in_while, in_fori]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("wrap", [lambda f: f, dt.jit])
def test_carries_that_never_have_a_tangent_are_not_perturbed(loop: Any, wrap: Any) -> None:
    seen: Seen = []
    f = product(seen)
    gradient = dt.grad(lambda x: loop(lambda c: (f(c[0], c[1]), c[1] + 1.0), (x, 2.0))[0])
    np.testing.assert_allclose(wrap(gradient)(1.0), 24.0)
    assert set(seen) == {(True, False)}


@pytest.mark.parametrize("loop", LOOPS)
def test_carries_that_get_a_tangent_later_are_perturbed(loop: Any) -> None:
    # The last carry is that of the first one, two iterations later.
    seen: Seen = []
    f = product(seen)
    gradient = dt.grad(lambda x: sum(loop(lambda c: (c[1], c[2], f(c[0], 3.0)), (1.0, 2.0, x))))
    np.testing.assert_allclose(gradient(1.0), 3.0)
    assert seen[-1] == (True, False)
    # The rule of an unperturbed call is not traced, as no derivative of it is taken.
    assert (False, False) not in seen


def test_loops_within_loops() -> None:
    seen: Seen = []
    f = product(seen)

    def outer(carry: Any) -> Any:
        x, y, z = carry
        return (*in_scan(lambda c: (f(c[0], c[1]), c[1]), (x, z)), y)

    gradient = dt.grad(lambda x: in_scan(outer, (x, 1.0, 2.0))[0])
    np.testing.assert_allclose(gradient(1.0), 2.0**3 * 2.0**3 * 1.0)
    assert set(seen) == {(True, False)}


def test_what_loops_and_branches_take_from_outside() -> None:
    seen: Seen = []
    f = product(seen)
    rows = np.arange(1.0, 3.0, dtype=np.float32)

    def loss(x: Any) -> Any:
        total = lax.scan(lambda c, row: (c + f(x, row), None), dnp.zeros(()), rows)[0]
        return total + lax.cond(x > 0, lambda a, b: f(b, a), lambda a, b: a, 5.0, x)

    np.testing.assert_allclose(dt.grad(loss)(1.0), 3.0 + 5.0)
    assert set(seen) == {(True, False)}


@pytest.mark.parametrize("constant", [lax.stop_gradient, dnp.floor, lambda x: x.astype(int) * 1.0])
def test_ops_without_derivative_end_perturbation(constant: Any) -> None:
    seen: Seen = []
    f = product(seen)
    gradient = dt.grad(lambda x: f(x, constant(x)))
    np.testing.assert_allclose(gradient(2.0), 2.0)
    assert seen == [(True, False)]
    # Also where a loop or a jitted function is in between, result by result.
    seen.clear()

    def pair(x: Any) -> Any:
        return in_scan(lambda c: (2.0 * c[0], constant(c[0])), (x, 0.0))

    gradient = dt.grad(lambda x: f(*dt.jit(pair)(x)))
    np.testing.assert_allclose(gradient(1.0), 8.0 * 4.0)
    assert seen == [(True, False)]


def test_results_that_a_rule_says_are_constant_are_so_in_loops() -> None:
    seen: Seen = []
    f = product(seen)
    split = dt.custom_jvp(lambda x: (x, x))
    split.defjvp(
        lambda primals, tangents: (
            (primals[0], primals[0]),
            (tangents[0], zero_from_primal(primals[0], symbolic_zeros=True)),
        ),
        symbolic_zeros=True,
    )

    def loss(x: Any) -> Any:
        y, z = in_scan(lambda c: split(c[0]), (x, 1.0))
        return f(y, z)

    np.testing.assert_allclose(dt.grad(loss)(3.0), 3.0)
    assert seen == [(True, False)]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("kind", [dt.custom_jvp, dt.custom_vjp])
def test_a_rule_that_is_an_error_matters_only_where_a_derivative_is_taken(
    loop: Any, kind: Any
) -> None:
    f = kind(lambda x: x)

    def rule(*_: Any) -> Any:
        raise RuntimeError("no derivative")

    if kind is dt.custom_jvp:
        f.defjvp(rule)
    else:
        f.defvjp(rule, rule)
    gradient = dt.grad(lambda x: loop(lambda c: (x * c[1], f(c[1])), (x, 2.0))[0])
    np.testing.assert_allclose(gradient(1.0), 2.0)
    with pytest.raises(RuntimeError, match="no derivative"):
        dt.grad(lambda x: loop(lambda c: (c[1], f(c[0])), (x, 2.0))[0])(1.0)


def test_references_count_as_perturbed() -> None:
    seen: Seen = []
    f = noting(seen)

    def loss(x: Any) -> Any:
        ref = dt.new_ref(dnp.zeros(()))
        ref[...] = x
        return f(ref[...])

    np.testing.assert_allclose(dt.grad(loss)(2.0), 1.0)
    assert seen == [(True,)]


def test_zeros_of_trees() -> None:
    tree = {"x": dnp.ones((2, 3)), "n": dnp.arange(2)}
    zeros = zero_from_primal(tree)
    np.testing.assert_array_equal(zeros["x"], np.zeros((2, 3), np.float32))
    assert zeros["n"].dtype == dt.dtypes.float0
    symbolic = zero_from_primal(tree, symbolic_zeros=True)
    assert {name: type(zero) for name, zero in symbolic.items()} == dict.fromkeys(
        tree, SymbolicZero
    )
    assert symbolic["x"].shape == (2, 3)
    with pytest.raises(TypeError, match="a leaf of val must be an array"):
        zero_from_primal(("a",))


def test_a_program_as_data_leaves_out_a_rule_that_is_an_error() -> None:
    f = dt.custom_jvp(lambda x: 2.0 * x)

    @f.defjvp
    def rule(*_: Any) -> Any:
        raise RuntimeError("no derivative")

    def closed(x: Any) -> Any:
        return jaxpr_as_fun(dt.make_jaxpr(lambda y: f(y) * 3.0)(x))(x)[0]

    np.testing.assert_allclose(closed(1.0), 6.0)
    np.testing.assert_allclose(dt.grad(lambda x: x * closed(2.0))(1.0), 12.0)
    # Not where it closes over what is differentiated.
    with pytest.raises(RuntimeError, match="no derivative"):
        dt.grad(lambda x: dt.make_jaxpr(lambda y: f(y * x))(1.0).eqns and x)(1.0)


def test_derivatives_in_rules() -> None:
    # A first derivative does not differentiate its rule: there, only its own arguments count.
    seen: Seen = []
    f = dt.custom_vjp(lambda x, y: x * y)

    def bwd(kept: Any, g: Any) -> Any:
        x, y = kept
        slope = dt.linearize(lambda x: noting(seen)(x) * noting(seen)(y), x)[1](g)
        return slope, x * g

    f.defvjp(lambda x, y: (x * y, (x, y)), bwd)
    assert dt.grad(f, (0, 1))(3.0, 5.0) == (5.0, 3.0)
    assert seen == [(True,)]
    seen.clear()
    assert dt.grad(dt.grad(f), 1)(3.0, 5.0) == 1.0
    assert seen.count((True,)) >= 2


def test_chains_of_rules_take_linear_time() -> None:
    """Each question is about what was not asked about before, not about all that came before it."""

    def seconds(steps: int) -> float:
        identity = noting([])

        def chain(x: Any) -> Any:
            for _ in range(steps):
                x = identity(dnp.sin(x))
            return x

        start = time.process_time()
        dt.make_jaxpr(dt.grad(chain))(1.0)
        return time.process_time() - start

    seconds(20)
    short = min(seconds(50) for _ in range(3))
    assert seconds(400) < 8 * 3 * short
