"""Checkpoints: values and derivatives, what is kept, and what is recomputed."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.ad_checkpoint import checkpoint_name, print_saved_residuals
from dovetail.transforms.linearization import saved_residuals

SAVE = dt.checkpoint_policies
RNG = np.random.default_rng(0)
W = RNG.normal(size=(3, 4, 4)) / 3
X = RNG.normal(size=(2, 4))


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


def close(got: Any, wanted: Any) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-11)


def network(x: Any, w: Any = W) -> Any:
    """Three layers, whose products have names."""
    for i in range(3):
        x = dnp.sin(checkpoint_name(x @ w[i], f"product{i}"))
    return x


def loss(x: Any, w: Any = W) -> Any:
    return dnp.sum(network(x, w) ** 2)


def text_of(function: Callable[..., Any], *args: Any) -> str:
    return dt.jit(function).lower(*args).as_text("simplify")


def products(function: Callable[..., Any], *args: Any) -> int:
    """The number of matrix products in a program."""
    return text_of(function, *args).count("dovetail.dot_general")


def kept(function: Callable[..., Any], *args: Any) -> list[tuple[int, ...]]:
    """The shapes of the residuals of `vjp`, including arguments."""
    return sorted(aval.shape for aval, _ in saved_residuals(function, *args))


POLICIES = {
    "none": None,
    "nothing": SAVE.nothing_saveable,
    "everything": SAVE.everything_saveable,
    "dots": SAVE.dots_saveable,
    "unbatched": SAVE.dots_with_no_batch_dims_saveable,
    "one name": SAVE.save_only_these_names("product1"),
    "names but": SAVE.save_any_names_but_these("product1"),
    "all but": SAVE.save_anything_except_these_names("product1"),
    "both": SAVE.save_from_both_policies(
        SAVE.save_only_these_names("product0"), SAVE.save_only_these_names("product2")
    ),
    "offloaded names": SAVE.save_and_offload_only_these_names(
        names_which_can_be_saved=["product0"],
        names_which_can_be_offloaded=["product2"],
        offload_src="device",
        offload_dst="pinned_host",
    ),
    "offloaded products": SAVE.offload_dot_with_no_batch_dims("device", "pinned_host"),
    "a function": lambda op, *_, **__: op.name in ("dot_general", "tanh"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_derivatives_under_each_policy(name: str) -> None:
    again = dt.checkpoint(loss, policy=POLICIES[name])
    for derivative in (
        dt.grad,
        lambda f: dt.vmap(dt.grad(f)),
        lambda f: dt.grad(lambda x: dnp.sum(dt.vmap(f)(x))),
        lambda f: lambda x: dt.jvp(f, (x,), (np.cos(x),))[1],
        lambda f: lambda x: dt.linearize(f, x)[1](np.cos(x)),
        lambda f: lambda x: dt.vjp(f, x)[1](1.0)[0],
        lambda f: dt.grad(lambda x: dnp.sum(dnp.cos(dt.grad(f)(x)))),
    ):
        close(derivative(again)(X), derivative(loss)(X))


def test_what_is_offloaded_is_kept() -> None:
    for name, same in (("offloaded names", "both"), ("offloaded products", "unbatched")):
        assert kept(dt.checkpoint(loss, policy=POLICIES[name]), X) == kept(
            dt.checkpoint(loss, policy=POLICIES[same]), X
        )
    with pytest.raises(ValueError, match=r"names must be in one of .*, got: 'a' in both"):
        SAVE.save_and_offload_only_these_names(
            names_which_can_be_saved=["a", "b"],
            names_which_can_be_offloaded=["a"],
            offload_src="device",
            offload_dst="pinned_host",
        )


def test_only_arguments_and_saved_values_are_kept() -> None:
    one = X.shape
    assert kept(dt.checkpoint(network), X) == [one]
    assert kept(dt.checkpoint(network, policy=SAVE.save_only_these_names("product1")), X) == [
        one,
        one,
    ]
    for policy in (SAVE.dots_saveable, SAVE.dots_with_no_batch_dims_saveable):
        assert kept(dt.checkpoint(network, policy=policy), X) == [one] * 3
    # A function is called with kinds of ops, including those that derivatives make.
    assert kept(dt.checkpoint(dnp.sin, policy=lambda op, *_: str(op) == "cos"), 1.0) == [()]
    assert "cos" in text_of(dt.grad(dt.checkpoint(dnp.sin, policy=lambda *_: False)), 1.0)
    for policy in (lambda op: op.name == "dot_general", lambda *_: True):
        assert kept(dt.checkpoint(network, policy=policy), X) == [one] * 3
    # Under a batch of both sides the products have batch dimensions.
    batched = dt.vmap(lambda x, w: dt.checkpoint(network, policy=SAVE.dots_saveable)(x, w))
    ws = np.stack([W, W])
    assert kept(batched, np.stack([X, X]), ws).count((2, *one)) == 1 + 3
    unbatched = SAVE.dots_with_no_batch_dims_saveable
    batched = dt.vmap(lambda x, w: dt.checkpoint(network, policy=unbatched)(x, w))
    assert kept(batched, np.stack([X, X]), ws) == [(2, *one), (2, 3, 4, 4)]


@pytest.mark.parametrize(
    ("policy", "count"),
    [
        (None, 3 + 3 + 3),
        (SAVE.everything_saveable, 3 + 3),
        (SAVE.dots_saveable, 3 + 3),
        (SAVE.save_only_these_names("product1"), 3 + 2 + 3),
        (SAVE.save_any_names_but_these("product1"), 3 + 1 + 3),
    ],
)
def test_products_are_computed_again(policy: Any, count: int) -> None:
    again = dt.checkpoint(network, policy=policy)
    both = lambda x: (again(x), dt.vjp(again, x)[1](x)[0])  # noqa: E731
    assert products(both, X) == count


def test_nothing_is_left_without_differentiation() -> None:
    again = dt.checkpoint(loss)
    text = dt.jit(again).lower(X).as_text("trace")
    assert "checkpoint" not in text
    assert "dovetail.name" not in text
    close(dt.jit(again)(X), loss(X))
    close(again(X), loss(X))


def test_a_barrier_precedes_recomputation() -> None:
    assert "optimization_barrier" in text_of(dt.grad(dt.checkpoint(loss)), X)
    assert "optimization_barrier" not in text_of(dt.grad(loss), X)
    merged = dt.grad(dt.checkpoint(loss, prevent_cse=False))
    assert "optimization_barrier" not in text_of(merged, X)
    close(merged(X), dt.grad(loss)(X))


def test_the_body_of_a_scan() -> None:
    def run(body: Any) -> Any:
        return lambda x, w: dnp.sum(dt.lax.scan(lambda c, v: (body(c, v), None), x, w)[0])

    def body(c: Any, v: Any) -> Any:
        return dnp.sin(dnp.cumsum(c @ v, 0)) @ v

    again = dt.checkpoint(body)
    for derivative in (
        lambda f: dt.grad(f, (0, 1)),
        lambda f: dt.jit(dt.grad(f, (0, 1))),
        lambda f: dt.grad(lambda x, w: dnp.sum(dnp.sin(dt.grad(f)(x, w))), (0, 1)),
    ):
        for got, wanted in zip(
            derivative(run(again))(X, W), derivative(run(body))(X, W), strict=True
        ):
            close(got, wanted)
    # The carry and the slice of each step, and nothing of its body.
    assert kept(run(again), X, W) == [(3, 2, 4), (3, 4, 4)]
    assert len(kept(run(body), X, W)) > 2


def test_checkpoints_within_checkpoints_and_branches() -> None:
    inner = dt.checkpoint(lambda x: dnp.sin(x @ W[0]))
    outer = dt.checkpoint(lambda x: dnp.sum(inner(inner(x))))
    plain = lambda x: dnp.sum(dnp.sin(dnp.sin(x @ W[0]) @ W[0]))  # noqa: E731
    branch = lambda x: dt.lax.cond(x[0, 0] > -9, outer, lambda x: dnp.sum(x), x)  # noqa: E731
    for f in (outer, branch):
        close(dt.grad(f)(X), dt.grad(plain)(X))
        close(dt.hessian(f)(X), dt.hessian(plain)(X))
    assert kept(outer, X) == [X.shape]


def test_custom_rules_within_checkpoints() -> None:
    @dt.custom_vjp
    def f(x):
        return dnp.sin(x)

    f.defvjp(lambda x: (dnp.sin(x), dnp.cos(x)), lambda c, g: (3 * c * g,))
    g = dt.checkpoint(lambda x: dnp.sum(f(x @ W[0])))
    close(dt.grad(g)(X), 3 * np.cos(X @ W[0]) @ W[0].T)
    assert kept(g, X) == [X.shape]


def test_arguments() -> None:
    f = dt.checkpoint(lambda kind, x, *, scale: dnp.sum(kind(x) * scale), static_argnums=0)
    close(dt.grad(f, 1)(dnp.sin, X, scale=2.0), 2 * np.cos(X))
    y = dnp.asarray(3.0)

    @dt.remat(policy=SAVE.dots_saveable)
    def closed(x):
        return {"out": x * x * y}

    assert float(dt.grad(lambda x: closed(x)["out"])(2.0)) == 12.0
    assert float(dt.grad(lambda y: dt.checkpoint(lambda x: x * y)(2.0))(5.0)) == 2.0
    # The function gets arrays, whether it is differentiated or not.
    assert float(dt.checkpoint(lambda x, y: x.sum() + y.sum())(2.0, y=1)) == 3.0


def test_functions_are_traced_whether_they_are_differentiated_or_not() -> None:
    traces = []

    @dt.checkpoint
    def branch(x):
        traces.append(x)
        return x if x > 0 else -x

    for call in (branch, dt.jit(branch), dt.grad(branch), lambda x: dt.vmap(branch)(x[None])):
        with pytest.raises(dt.errors.TracerBoolConversionError, match="while `checkpoint` traces"):
            call(dnp.asarray(1.0))
    assert all("Tracer" in repr(x) for x in traces)

    @dt.checkpoint
    def keep(x):
        traces.append(x)
        return 2 * x

    assert [float(keep(x)) for x in (1.0, 2.0)] == [2.0, 4.0]
    with pytest.raises(dt.errors.LeakedTracerError, match="saving them to global state"):
        dt.jit(lambda x: x + traces[-1])(1.0)

    @functools.partial(dt.checkpoint, static_argnums=1)
    def scaled(x, sizes):
        return x * sum(sizes) if sizes else x

    # Values without a hash are static too.
    assert [float(scaled(2.0, sizes)) for sizes in ((), (1, 2), [1, 2], [3])] == [2, 6, 6, 6]
    close(dt.grad(scaled)(2.0, [1, 2]), 3.0)


def test_wrong_arguments() -> None:
    with pytest.raises(NotImplementedError, match="concrete must be False"):
        dt.checkpoint(loss, concrete=True)
    with pytest.raises(TypeError, match=r"must be one of checkpoint_policies \(everything_save"):
        dt.checkpoint(loss, policy="dots")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"must be a function of an op, whose name is `op\.name`"):
        dt.checkpoint(loss, policy=lambda op, x: True)
    with pytest.raises(TypeError, match="fun must be a function, got: 3"):
        dt.checkpoint(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="names must be strings, got: 1"):
        SAVE.save_only_these_names(1)
    with pytest.raises(TypeError, match="name must be a string, got: 1"):
        checkpoint_name(X, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=re.escape("static_argnums must be numbers of the 1")):
        dt.grad(dt.checkpoint(loss, static_argnums=3))(X)
    with pytest.raises(TypeError, match="is not a valid JAX type"):
        dt.grad(dt.checkpoint(lambda x, kind: x), 0)(1.0, "kind")


def test_residuals_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    policy = SAVE.save_only_these_names("product1")
    function = dt.checkpoint(network, policy=policy)
    print_saved_residuals(function, X)
    text = capsys.readouterr().out
    print_saved_residuals(function, dt.ShapeDtypeStruct(X.shape, X.dtype))
    assert capsys.readouterr().out == text
    lines = text.splitlines()
    assert [line.split(" from ")[0] for line in lines] == [
        "f64[2,4]",
        "f64[2,4] named 'product1'",
    ]
    assert lines[0].endswith("from the argument x")
    assert "test_checkpointing.py" in lines[1]
