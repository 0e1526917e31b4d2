"""Derivatives of functions with references among their primals, against those of values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

X, HELD, DX, DHELD = (np.random.default_rng(i).normal(size=3).astype(np.float32) for i in range(4))


def scan(x: Any, r: Any) -> Any:
    def body(c: Any, i: Any) -> Any:
        r[i] = r[i] * c
        return c + r[(i + 1) % 3], None

    return lax.scan(body, x.sum(), dnp.arange(3))[0]


def swap(x: Any, r: Any) -> Any:
    return dt.ref.swap(r, ..., x * x).sum()


def add(x: Any, r: Any) -> Any:
    r.addupdate(x * r[...], ...)
    r[0] += 2.0
    return (r[...] * x).sum()


def branch(x: Any, r: Any) -> Any:
    def write() -> Any:
        r[1:] = dnp.sin(x[1:])
        return r[...].sum()

    return lax.cond(x[0] < 5, write, lambda: x[1])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "read": lambda x, r: (x * r[...]).sum(),
    "write": lambda x, r: (r.set(2 * x), (r[...] * x).sum())[1],
    "constant": lambda x, r: (r.set(dnp.ones(3)), (r[...] * x).sum())[1],
    "nothing": lambda x, r: x.sum(),
    "called": lambda x, r: dt.jit(add)(x, r),
    "saved": lambda x, r: dt.checkpoint(add)(x, r),
    "add": add,
    "swap": swap,
    "scan": scan,
    "branch": branch,
}


def of_values(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function of what the reference holds, which also returns what it holds at the end."""

    def values(x: Any, held: Any) -> Any:
        ref = dt.new_ref(held)
        return f(x, ref), dt.freeze(ref)

    return values


def close(a: Any, b: Any) -> None:
    for got, wanted in zip(dt.tree.leaves(a), dt.tree.leaves(b), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


def ways(run: Callable[..., Any]) -> list[Callable[..., Any]]:
    return [run, dt.jit(run)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward_mode(name: str) -> None:
    f = FUNCTIONS[name]
    (value, last), (dvalue, dlast) = dt.jvp(of_values(f), (X, HELD), (DX, DHELD))

    def jvp(r: Any, dr: Any) -> Any:
        return dt.jvp(f, (X, r), (DX, dr))

    def linearized(r: Any, dr: Any) -> Any:
        result, push = dt.linearize(f, X, r)
        return result, push(DX, dr)

    for run in (*ways(jvp), *ways(linearized)):
        r, dr = dt.new_ref(HELD), dt.new_ref(DHELD)
        close(run(r, dr), (value, dvalue))
        close((r[...], dr[...]), (last, dlast))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_reverse_mode(name: str) -> None:
    f = FUNCTIONS[name]
    (value, last), pull = dt.vjp(of_values(f), X, HELD)

    def plain(r: Any) -> Any:
        result, pull = dt.vjp(f, X, r)
        return result, pull(2.0)

    for run in ways(plain):
        r = dt.new_ref(HELD)
        close(run(r), (value, pull((2.0, np.zeros(3, np.float32)))))
        close(r[...], last)

    def with_refs(r: Any, ct: Any) -> Any:
        result, pull = dt.vjp(f, X, r)
        return result, pull.with_refs(dt.ad.GradValue(), ct)(2.0)[0]

    for run in ways(with_refs):
        r, ct = dt.new_ref(HELD), dt.new_ref(DHELD)
        before, after = pull((2.0, DHELD))
        close(run(r, ct), (value, before))
        close(ct[...], after)

    def unwanted(r: Any) -> Any:
        return dt.vjp(f, X, r)[1].with_refs(dt.ad.GradValue(), dt.ad.DontWant())(1.0)[0]

    close(unwanted(dt.new_ref(HELD)), pull((1.0, np.zeros(3, np.float32)))[0])


def test_trees_windows_of_batches_and_integers() -> None:
    def f(x: Any, state: Any) -> Any:
        state["count"][...] += 1
        state["total"][...] += x
        return x * state["total"][...] * state["count"][...]

    def gradient(x: Any, total: Any, count: Any) -> Any:
        return dt.vjp(f, x, {"total": total, "count": count})[1](dnp.float32(1))

    total, count = dt.new_ref(np.float32(3)), dt.new_ref(1)
    ct, of_state = gradient(2.0, total, count)
    assert (float(ct), float(of_state["total"])) == (14.0, 4.0)
    assert of_state["count"].dtype == dt.dtypes.float0
    assert (float(total[...]), int(count[...])) == (5.0, 2)
    totals, counts = dt.new_ref(dnp.full(2, 3.0)), dt.new_ref(dnp.ones(2, int))
    ct, of_state = dt.vmap(gradient)(dnp.array([2.0, 1.0]), totals, counts)
    assert (ct.tolist(), of_state["total"].tolist()) == ([14.0, 10.0], [4.0, 2.0])
    assert totals[...].tolist() == [5.0, 4.0]


def test_rules_with_references() -> None:
    """A reference that a backward rule writes to has no cotangent of its own."""

    @dt.custom_vjp
    def keep(ref: Any, x: Any) -> Any:
        return x

    def bwd(ref: Any, g: Any) -> Any:
        ref[...] = g
        return None, g

    keep.defvjp(lambda ref, x: (x, ref), bwd)
    ref = dt.new_ref(0.0)
    value, pull = dt.vjp(lambda ref, x: 3 * keep(ref, 2 * x), ref, 1.0)
    assert (float(value), float(ref[...])) == (6.0, 0.0)
    assert (float(pull(2.0)[1]), float(ref[...])) == (12.0, 6.0)


WRITES: dict[str, Callable[..., Any]] = {
    "value": lambda ref, x: ref.set(x),
    "sum": lambda ref, x: ref.addupdate(dnp.sin(x)),
    "window": lambda ref, x: ref.at[1].set(x[0]),
    "call": lambda ref, x: dt.jit(lambda r, x: r.set(r[...] * x))(ref, x),
    "loop": lambda ref, x: lax.fori_loop(0, 2, lambda i, c: (ref.set(x), c)[1], 0),
}


@pytest.mark.parametrize("name", WRITES)
def test_tangents_are_not_lost(name: str) -> None:
    """What has a tangent is not written to a reference from outside, unless without it."""
    ref = dt.new_ref(HELD)

    def f(x: Any) -> Any:
        WRITES[name](ref, x)
        return x.sum() * ref[0]

    def stopped(x: Any) -> Any:
        WRITES[name](ref, lax.stop_gradient(x))
        ref[...] += 1.0
        return x.sum() * ref[0]

    message = r"must not write a value that has a tangent to .*got: a reference created on line.*Mo"
    for run in (
        lambda: dt.jvp(f, (X,), (DX,)),
        lambda: dt.linearize(f, X),
        lambda: dt.jit(lambda x: dt.jvp(f, (x,), (x,)))(X),
        lambda: dt.jvp(dt.jit(f), (X,), (DX,)),
    ):
        before = np.asarray(ref[...])
        with pytest.raises(ValueError, match=message):
            run()
        np.testing.assert_array_equal(ref[...], before)
    for run in (
        lambda: dt.jvp(stopped, (X,), (DX,))[1],
        lambda: dt.linearize(stopped, X)[1](DX),
        lambda: dt.jit(lambda x: dt.jvp(stopped, (x,), (DX,))[1])(X),
    ):
        close(run(), DX.sum() * ref[0])


def test_errors() -> None:
    f = FUNCTIONS["add"]
    r, dr = dt.new_ref(HELD), dt.new_ref(DHELD)
    with pytest.raises(TypeError, match=r"the tangent of `r` of `add`, which is a reference, must"):
        dt.jvp(f, (X, r), (DX, DHELD))
    with pytest.raises(TypeError, match="must be an array or a number"):
        dt.jvp(f, (X, r), (dr, dr))
    with pytest.raises(ValueError, match="appeared at both r and the tangent of r"):
        dt.jvp(f, (X, r), (DX, r))
    with pytest.raises(dt.errors.MismatchError, match="must be float32"):
        dt.jvp(f, (X, r), (DX, dt.new_ref(np.zeros(2, np.float32))))
    with pytest.raises(dt.errors.MismatchError, match="must be a reference to elements of type"):
        dt.jvp(f, (X, r), (DX, dt.new_ref(np.zeros(3, np.int32))))
    with pytest.raises(ValueError, match="appeared at both a and b"):
        dt.vjp(lambda a, b: a[...] + b[...], r, r)
    with pytest.raises(ValueError, match="closed over and passed as the argument a"):
        dt.vjp(lambda a: a[...] + r[...], r)
    with pytest.raises(ValueError, match="returned a mutable array reference"):
        dt.vjp(lambda a: a, r)
    with pytest.raises(dt.errors.MismatchError, match="with_refs: the cotangent of what primal 1"):
        dt.vjp(f, X, r)[1].with_refs(dt.ad.GradValue(), dt.new_ref(dnp.zeros(2)))(1.0)
    with pytest.raises(TypeError, match=r"not a valid JAX type .*read it first, ref\[...\]"):
        dt.grad(f, 1)(X, r)
