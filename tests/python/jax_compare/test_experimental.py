"""Programs over JAX's experimental modules, under transforms, with JAX's values and gradients."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import dovetail
from support.jax_compare import jax

RANDOM = np.random.default_rng(22)
A = RANDOM.normal(size=(4, 5)).astype(np.float32)
V = RANDOM.normal(size=6).astype(np.float32)
SPARSE = np.where(RANDOM.random((6, 6)) < 0.4, RANDOM.normal(size=(6, 6)), 0).astype(np.float32)
SPARSE += 4 * np.eye(6, dtype=np.float32)
TIMES = np.linspace(0, 1.5, 4, dtype=np.float32)


class Library:
    """JAX, or Dovetail, with the modules that programs use."""

    def __init__(self, name: str) -> None:
        self.top: Any = importlib.import_module(name)
        self.np: Any = importlib.import_module(f"{name}.numpy")
        self.lax: Any = importlib.import_module(f"{name}.lax")
        for module in ("checkify", "jet", "ode", "sparse"):
            setattr(self, module, importlib.import_module(f"{name}.experimental.{module}"))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.top, name)

    def taylor(self, function: Any, *series: Any) -> Any:
        """The coefficients of a function's Taylor series around `A`."""
        return self.jet.jet(function, (A,), (list(series),))


def damped(lib: Any, y: Any, t: Any, k: Any) -> Any:
    return lib.np.stack([y[1], -k * y[0] - 0.1 * t * y[1]])


def checked(lib: Any, x: Any) -> Any:
    def step(carry: Any, x: Any) -> Any:
        lib.checkify.check(x > -1, "too small: {x}", x=x)
        return carry * x, lib.np.sqrt(x + 1)

    return lib.lax.scan(step, 1.0, x)


def report(lib: Any, function: Any, errors: Any, *args: Any) -> Any:
    """Whether a function has failed, and its results where it has not."""
    error, out = lib.checkify.checkify(function, errors=errors)(*args)
    return np.asarray(error.get() is not None), out if error.get() is None else ()


# Functions of a library, each of which returns a tree of arrays.
PROGRAMS: dict[str, Any] = {
    "jet of a product": lambda lib: lib.taylor(lambda x: lib.np.tanh(x @ A.T / 8).sum(1), A, A, A),
    "jet of quotients": lambda lib: lib.taylor(lambda x: lib.np.exp(x) / (2 + x**2), A, A),
    "jet of softmax": lambda lib: lib.taylor(lib.nn.softmax, A, A),
    "jet of branches": lambda lib: lib.taylor(
        lambda x: lib.np.where(x > 0, abs(x) ** 2, lib.np.maximum(x, -0.5)), A, A
    ),
    "jet of a gradient": lambda lib: lib.taylor(
        lib.grad(lambda x: lib.np.sum(lib.np.sin(x) * x)), A, A
    ),
    "gradient of jet": lambda lib: lib.grad(
        lambda x: lib.jet.jet(lambda x: lib.np.sum(lib.np.cos(x) * x), (x,), ([A, A],))[1][1]
    )(A),
    "ode": lambda lib: lib.ode.odeint(lambda *a: damped(lib, *a), V[:2], TIMES, 2.0),
    "gradient of ode": lambda lib: lib.jit(
        lib.grad(lambda y, k: lib.ode.odeint(lambda *a: damped(lib, *a), y, TIMES, k).sum(), (0, 1))
    )(V[:2], 2.0),
    "ode by its times": lambda lib: lib.grad(
        lambda t: lib.ode.odeint(lambda y, t: lib.np.cos(t) * y, 1.0, t)[-1]
    )(TIMES),
    "ode of a tree in a batch": lambda lib: lib.vmap(
        lambda k: lib.ode.odeint(
            lambda y, t, k: {"a": -k * y["a"], "b": y["a"] - y["b"] ** 2},
            {"a": 1.0, "b": 0.5},
            TIMES,
            k,
        )
    )(V[:3] ** 2),
    "ode in a scan": lambda lib: lib.grad(
        lambda y: lib.lax.scan(
            lambda y, k: (lib.ode.odeint(lambda y, t, k: -k * y, y, TIMES, k)[-1], y.sum()),
            y,
            V[:2] ** 2,
        )[0].sum()
    )(V[:2]),
    "sparse gradient": lambda lib: (
        lib.sparse.grad(lambda m, v: lib.np.sum(lib.np.tanh(m @ v)))(
            lib.sparse.BCOO.fromdense(SPARSE), V
        ).data
    ),
    "sparse product": lambda lib: lib.jit(lambda m: (m @ m.T).todense())(
        lib.sparse.BCOO.fromdense(SPARSE)
    ),
    "sparse batches": lambda lib: lib.vmap(lambda m, v: m @ v)(
        lib.sparse.BCOO.fromdense(np.stack([SPARSE, SPARSE.T]), n_batch=1), np.stack([V, 2 * V])
    ),
    "sparse Hessian": lambda lib: lib.hessian(
        lambda v: lib.np.sum((lib.sparse.BCOO.fromdense(SPARSE) @ v) ** 3)
    )(V),
    "sparsified": lambda lib: lib.jit(
        lib.sparse.sparsify(lambda m, v: lib.np.sum((m.T @ v) ** 2) + (m * 3.0).sum())
    )(lib.sparse.BCOO.fromdense(SPARSE), V),
    "sparse in a loop": lambda lib: lib.jit(
        lambda m: lib.lax.fori_loop(0, 3, lambda i, v: m @ v / lib.np.linalg.norm(v), V)
    )(lib.sparse.BCSR.fromdense(SPARSE)),
    "sparse branch": lambda lib: lib.lax.cond(
        V[0] > 0, lambda m: m * 2.0, lambda m: m * 3.0, lib.sparse.BCOO.fromdense(SPARSE)
    ).todense(),
    "ode of a sparse matrix": lambda lib: lib.ode.odeint(
        lambda y, t: -0.1 * (lib.sparse.BCOO.fromdense(SPARSE) @ y), V, TIMES
    ),
    "checks in a scan": lambda lib: [
        report(lib, wrap(lambda x: checked(lib, x)), lib.checkify.user_checks, x)
        for x in (V**2, V - 3)
        for wrap in (lambda f: f, lib.jit)
    ],
    "checks of a gradient": lambda lib: [
        report(lib, lib.grad(lambda x: lib.np.sqrt(x).sum()), lib.checkify.float_checks, x)
        for x in (V**2, -(V**2))
    ],
    "checks of a batch": lambda lib: [
        report(lib, lib.vmap(lambda x, y: x / y), lib.checkify.float_checks, V, y)
        for y in (V, np.maximum(V, 0))
    ],
    "checks of indices": lambda lib: [
        report(lib, lambda i: lib.np.asarray(V)[i], lib.checkify.index_checks, i)
        for i in (5, 6, -6, -7)
    ],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    ours, theirs = (PROGRAMS[name](Library(lib)) for lib in ("dovetail", "jax"))
    given, expected = dovetail.tree.leaves(ours), jax.tree.leaves(theirs)
    assert len(given) == len(expected)
    for a, b in zip(given, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        scale = float(np.abs(np.asarray(b, np.float64)).max(initial=0))
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5 * scale)
