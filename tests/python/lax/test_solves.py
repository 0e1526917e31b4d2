"""Implicit differentiation: custom_linear_solve and custom_root."""

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.test_util import check_grads

rng = np.random.default_rng(7)
MATRIX = rng.normal(size=(4, 4)) + 4 * np.eye(4)
RIGHT = rng.normal(size=4)


@pytest.fixture(autouse=True)
def _x64():
    with dt.enable_x64(True):
        yield


def eliminated(matrix, b):
    """Gauss–Jordan elimination without pivots: a solver whose steps are not differentiated."""
    n = b.shape[0]
    table = dnp.concatenate([matrix, b[:, None]], 1)

    def step(i, table):
        row = lax.dynamic_index_in_dim(table, i, 0, keepdims=False)
        row = row / lax.dynamic_index_in_dim(row, i, 0, keepdims=False)
        column = lax.dynamic_index_in_dim(table, i, 1, keepdims=False)
        table = table - column[:, None] * row
        return lax.dynamic_update_index_in_dim(table, row, i, 0)

    # The trip count is unknown to the compiler, so that reverse mode would have to count it.
    return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, step(*c)), (0, table))[1][:, n]


def dense(matvec, b):
    return eliminated(dt.jacfwd(matvec)(dnp.zeros_like(b)), b)


def solution(matrix, b, **options):
    return lax.custom_linear_solve(
        lambda x: matrix @ x, b, dense, options.pop("transpose_solve", dense), **options
    )


def test_solution_is_that_of_the_equation():
    np.testing.assert_allclose(solution(MATRIX, RIGHT), np.linalg.solve(MATRIX, RIGHT))
    np.testing.assert_allclose(dt.jit(solution)(MATRIX, RIGHT), np.linalg.solve(MATRIX, RIGHT))


def test_derivatives_are_those_of_the_equation():
    check_grads(solution, (MATRIX, RIGHT), order=3)
    got = dt.grad(lambda a, b: solution(a, b).sum(), (0, 1))(MATRIX, RIGHT)
    of_b = np.linalg.solve(MATRIX.T, np.ones(4))
    np.testing.assert_allclose(got[1], of_b)
    np.testing.assert_allclose(got[0], -np.outer(of_b, np.linalg.solve(MATRIX, RIGHT)))


def test_solver_is_not_differentiated():
    def unlike(matvec, b):
        return dnp.round(dense(matvec, b), 12)

    got = dt.grad(lambda b: lax.custom_linear_solve(lambda x: MATRIX @ x, b, unlike, unlike).sum())(
        RIGHT
    )
    np.testing.assert_allclose(got, np.linalg.solve(MATRIX.T, np.ones(4)), rtol=1e-9)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (2, 1)])
def test_batches_of_equations(axes):
    matrices = MATRIX + rng.normal(size=(3, 4, 4))
    rights = rng.normal(size=(3, 4))
    places = [
        np.moveaxis(x, 0, a) if a is not None else x[0]
        for x, a in zip((matrices, rights), axes, strict=True)
    ]
    expected = [
        np.linalg.solve(
            matrices[i if axes[0] is not None else 0], rights[i if axes[1] is not None else 0]
        )
        for i in range(3)
    ]
    np.testing.assert_allclose(dt.vmap(solution, axes)(*places), expected)
    gradient = dt.grad(lambda a, b: (solution(a, b) ** 2).sum(), (0, 1))
    batched = dt.jit(dt.vmap(gradient, axes))(*places)
    for i in range(3):
        one = gradient(
            matrices[i if axes[0] is not None else 0], rights[i if axes[1] is not None else 0]
        )
        for got, wanted in zip(batched, one, strict=True):
            np.testing.assert_allclose(got[i], wanted, rtol=1e-9)
    # The gradient of a batch sums over it what its elements share.
    check_grads(dt.vmap(solution, axes), places, order=1, modes=["rev"])


def test_solutions_within_loops():
    def iterated(matrix, b):
        return lax.scan(lambda x, _: (dnp.tanh(solution(matrix, x)), x.sum()), b, None, length=3)

    check_grads(iterated, (MATRIX, RIGHT), order=2)


def test_trees_and_auxiliary_data():
    def solve(matvec, b):
        zero = dict.fromkeys(b, 0.0)
        diagonal = {key: matvec({**zero, key: 1.0})[key] for key in b}
        return {key: b[key] / diagonal[key] for key in b}, {"steps": 1, "size": diagonal["x"] * 2}

    def f(p, b):
        x, aux = lax.custom_linear_solve(
            lambda v: {"x": p * v["x"], "y": p**2 * v["y"]}, b, solve, symmetric=True, has_aux=True
        )
        return x["x"] + x["y"], aux

    b = {"x": 6.0, "y": 3.0}
    (value, aux), got = dt.value_and_grad(f, has_aux=True)(2.0, b)
    assert float(value) == 3.75
    assert (aux["steps"], float(aux["size"])) == (1, 4.0)
    np.testing.assert_allclose(got, -6 / 4 - 2 * 3 / 8)
    assert float(dt.vmap(f, (0, None))(dnp.array([1.0, 2.0]), b)[0][1]) == 3.75


def test_reverse_mode_needs_the_transposed_solution():
    def f(b):
        return lax.custom_linear_solve(lambda x: MATRIX @ x, b, dense).sum()

    tangent = dt.jvp(f, (RIGHT,), (np.ones(4),))[1]
    np.testing.assert_allclose(tangent, np.linalg.solve(MATRIX, np.ones(4)).sum())
    with pytest.raises(Exception, match="transpose_solve") as error:
        dt.grad(f)(RIGHT)
    assert "test_solves.py" in str(error.value)


@pytest.mark.parametrize(
    "transform", [lambda f: f, dt.jit, lambda f: lambda b: dt.jvp(f, (b,), (b,))]
)
@pytest.mark.parametrize(
    ("matvec", "solve", "message"),
    [
        (lambda x: (x, x), dense, r"matvec `<lambda>` must .* got: a <class 'tuple'> for `b`"),
        (lambda x: x[:2], dense, r"matvec .* got: float64\[2\] for `b`, which is float64\[4\]"),
        (lambda x: MATRIX @ x, lambda m, b: b[1:], r"solve `<lambda>` .* got: float64\[3\]"),
        (lambda x: MATRIX @ x, lambda m, b: b.astype("float32"), r"solve .* got: float32\[4\]"),
        (lambda x: MATRIX @ x, 3, "solve of custom_linear_solve should be callable, got: 3"),
    ],
)  # fmt: skip
def test_unfit_functions(transform, matvec, solve, message):
    def f(b):
        return lax.custom_linear_solve(matvec, b, solve, symmetric=True)

    with pytest.raises(TypeError, match=message) as error:
        transform(f)(RIGHT)
    assert "test_solves.py" in str(error.value)


# ---- custom_root ------------------------------------------------------------------------------


def newton(f, x):
    """Newton's method for systems; it stops by value, so reverse mode would have to count its
    steps.
    """

    def step(carry):
        x, _ = carry
        change = eliminated(dt.jacfwd(f)(x), f(x))
        return x - change, dnp.abs(change).max()

    return lax.while_loop(lambda c: c[1] > 1e-13, step, (x, dnp.inf))[0]


def linear(g, y):
    return lax.custom_linear_solve(g, y, dense, dense)


def circle(p, q):
    """The intersection of a circle of radius p and a hyperbola."""

    def f(x):
        return dnp.stack([x[0] ** 2 + x[1] ** 2 - p**2, x[0] * x[1] - q])

    return lax.custom_root(f, dnp.array([2.0, 0.5]), newton, linear)


def test_root_and_its_derivatives():
    x, y = circle(3.0, 1.0)
    np.testing.assert_allclose([x**2 + y**2, x * y], [9.0, 1.0])
    check_grads(circle, (3.0, 1.0), order=3)


def test_root_against_the_implicit_function_theorem():
    def rooted(a):
        return lax.custom_root(
            lambda x: x**3 - a, 1.0, lambda f, x: newton(lambda v: f(v[0])[None], x[None])[0],
            lambda g, y: y / g(1.0),
        )  # fmt: skip

    a = np.array([1.0, 8.0, 27.0])
    np.testing.assert_allclose(dt.vmap(rooted)(a), np.cbrt(a))
    np.testing.assert_allclose(dt.jit(dt.vmap(dt.grad(rooted)))(a), a ** (-2 / 3) / 3)
    second = dt.vmap(dt.grad(dt.grad(rooted)))(a)
    np.testing.assert_allclose(second, -2 / 9 * a ** (-5 / 3))


def test_root_with_auxiliary_data_and_captured_solver():
    def rooted(a, scale):
        def solve(f, x):
            return dnp.sqrt(a) * scale / scale, {"guess": x, "count": dnp.int32(3)}

        return lax.custom_root(
            lambda x: x * x - a, 1.0, solve, lambda g, y: y / g(1.0), has_aux=True
        )

    root, aux = rooted(4.0, 2.0)
    assert (float(root), int(aux["count"])) == (2.0, 3)
    got, aux = dt.grad(rooted, (0, 1), has_aux=True)(4.0, 2.0)
    # Values that only the solver uses are not part of the equation.
    np.testing.assert_allclose(got, [0.25, 0.0])
    assert float(aux["guess"]) == 1.0


def test_root_with_a_tangent_solver_that_closes_over_values():
    def rooted(a, b):
        inverse = dnp.linalg.inv(a)

        def tangent_solve(g, y):
            return lax.custom_linear_solve(
                g, y, lambda _, y: inverse @ y, lambda _, y: inverse.T @ y
            )

        return lax.custom_root(lambda x: a @ x - b, b, lambda f, b: inverse @ b, tangent_solve)

    a, b = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([1.0, -1.0])
    np.testing.assert_allclose(rooted(a, b), np.linalg.solve(a, b))
    check_grads(rooted, (a, b), order=2)


def test_unfit_functions_of_roots():
    with pytest.raises(TypeError, match=r"f `<lambda>` must return .* float64\[2\] for"):
        dt.grad(lambda a: lax.custom_root(
            lambda x: dnp.stack([x, a]), 1.0, lambda f, x: (f(x), x)[1], lambda g, y: y
        ))(1.0)  # fmt: skip
    with pytest.raises(TypeError, match=r"tangent_solve .* got: a <class 'tuple'>"):
        dt.grad(lambda a: lax.custom_root(
            lambda x: x - a, 1.0, lambda f, x: a, lambda g, y: (y, y)
        ))(1.0)  # fmt: skip


def test_a_batch_of_roots_of_functions_with_branches():
    """The tangent equation has a branch with a batched predicate, which no cotangent must leave."""

    def square_of_root(is_quotient, x):
        def function(y):
            return lax.cond(is_quotient, lambda: y * x - 2, lambda: y - x)

        def newton(f, y):
            return lax.while_loop(
                lambda y: abs(f(y)) > 1e-12, lambda y: y - f(y) / dt.grad(f)(y), y
            )

        return lax.custom_root(function, 1.0, newton, lambda g, y: y / g(1.0)) ** 2

    def total(x):
        return dt.vmap(square_of_root)(dnp.array([True, False, True]), x).sum()

    x = np.array([1.0, 2.0, 3.0])
    for gradient in (dt.grad(total), dt.jit(dt.grad(total))):
        np.testing.assert_allclose(gradient(x), [-8, 4, -8 / 27], rtol=1e-12)
