"""Sparse solvers, minimization, interpolation, rotations and clusters against SciPy."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.cluster.vq
import scipy.integrate
import scipy.interpolate
import scipy.ndimage
import scipy.spatial.transform

import dovetail.numpy as dnp
from dovetail import grad, jacfwd, jit, vmap
from dovetail.scipy import integrate, ndimage
from dovetail.scipy.cluster.vq import vq
from dovetail.scipy.interpolate import RegularGridInterpolator
from dovetail.scipy.optimize import minimize
from dovetail.scipy.sparse.linalg import bicgstab, cg, gmres
from dovetail.scipy.spatial.transform import Rotation, Slerp

pytestmark = pytest.mark.usefixtures("in_64_bits")

RNG = np.random.default_rng(0)
REFERENCE: Any = scipy
LIMITED = "l-bfgs-experimental-do-not-rely-on-this"


# Linear equations ---------------------------------------------------------------------------------


def matrix(size: int, complex: bool = False, positive: bool = True) -> np.ndarray[Any, Any]:
    a = RNG.normal(size=(size, size))
    if complex:
        a = a + 1j * RNG.normal(size=(size, size))
    return a @ a.conj().T + size * np.eye(size) if positive else a + 2 * size * np.eye(size)


@pytest.mark.parametrize("solver", [cg, bicgstab, gmres])
@pytest.mark.parametrize("complex", [False, True])
def test_solvers(solver: Any, complex: bool) -> None:
    a = matrix(12, complex, solver is cg)
    b = RNG.normal(size=12) + 0j * complex
    expected = np.linalg.solve(a, b)
    preconditioner = np.diag(1 / np.diag(a))
    for options in ({}, {"M": preconditioner}, {"x0": expected + 0.1}, {"M": lambda v: 2 * v}):
        x = solver(dnp.asarray(a), dnp.asarray(b), tol=1e-11, **options)[0]
        np.testing.assert_allclose(x, expected, rtol=1e-8)
    as_function = jit(lambda b: solver(lambda v: a @ v, b, tol=1e-11)[0])
    np.testing.assert_allclose(as_function(b), expected, rtol=1e-8)


@pytest.mark.parametrize("solver", [cg, bicgstab, gmres])
def test_derivatives_of_solutions(solver: Any) -> None:
    a, b = matrix(5), RNG.normal(size=5)

    def first(s: Any) -> Any:
        return solver(s * a, b, tol=1e-13)[0][0]

    # x(s) = x(1) / s
    x = np.linalg.solve(a, b)[0]
    np.testing.assert_allclose(grad(first)(2.0), -x / 4, rtol=1e-9)
    by_b = grad(lambda b: solver(a, b, tol=1e-13)[0][0])(dnp.asarray(b))
    np.testing.assert_allclose(by_b, np.linalg.inv(a)[0], rtol=1e-8)
    np.testing.assert_allclose(
        jacfwd(lambda b: solver(a, b, tol=1e-13)[0])(dnp.asarray(b)), np.linalg.inv(a), atol=1e-9
    )


def test_gmres_restarts() -> None:
    a, b = matrix(30, positive=False), RNG.normal(size=30)
    for method in ("batched", "incremental"):
        x, info = gmres(a, b, tol=1e-10, restart=4, solve_method=method)
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-6)
        assert info == 0


def test_solvers_take_trees() -> None:
    b = {"u": dnp.arange(3.0), "v": dnp.ones((2, 2))}

    def double(tree: Any) -> Any:
        return {"u": 2 * tree["u"], "v": 4 * tree["v"]}

    for solver in (cg, bicgstab, gmres):
        x = solver(double, b)[0]
        np.testing.assert_allclose(x["u"], [0, 0.5, 1])
        np.testing.assert_allclose(x["v"], np.full((2, 2), 0.25))
        with pytest.raises(ValueError, match="must have matching tree structure"):
            solver(double, b, dnp.zeros(3))


def test_solvers_reject() -> None:
    with pytest.raises(ValueError, match="A must be a square matrix, got: shape"):
        cg(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="x0 and b must have matching tree structure, got: "):
        cg(lambda x: x, {"b": dnp.ones(2)}, {"x0": dnp.ones(2)})
    with pytest.raises(ValueError, match=r"x0 and b must have matching shapes, got: \[\(2, 1\)\]"):
        cg(lambda x: x, dnp.ones(2), dnp.ones((2, 1)))
    with pytest.raises(TypeError, match="must be either a function or ndarray, got: int as M"):
        cg(np.eye(2), np.ones(2), M=3)
    with pytest.raises(ValueError, match="solve_method must be"):
        gmres(np.eye(2), np.ones(2), solve_method="slow")


def test_solvers_of_zero() -> None:
    for solver in (cg, bicgstab, gmres):
        np.testing.assert_array_equal(solver(np.eye(3), np.zeros(3))[0], np.zeros(3))


# Minimization -------------------------------------------------------------------------------------


def rosenbrock(x: Any) -> Any:
    return dnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def himmelblau(x: Any) -> Any:
    return (x[0] ** 2 + x[1] - 11) ** 2 + (x[0] + x[1] ** 2 - 7) ** 2


def matyas(x: Any, factor: float = 0.48) -> Any:
    return 0.26 * dnp.sum(x**2) - factor * x[0] * x[1]


@pytest.mark.parametrize("scale", [1e4, 1e2])
def test_minimum_far_from_unit_curvature(scale: float) -> None:
    result = minimize(lambda x: dnp.mean((scale * x) ** 2), dnp.ones(2), method="BFGS")
    assert bool(result.success)
    np.testing.assert_allclose(result.x, 0, atol=1e-6)


@pytest.mark.parametrize("method", ["BFGS", LIMITED])
@pytest.mark.parametrize(
    ("function", "start", "expected"),
    [(rosenbrock, [0.3, 1.2], [1, 1]), (himmelblau, [0, 0], [3, 2]), (matyas, [3, -4], [0, 0])],
)
def test_minimize(method: str, function: Any, start: Any, expected: Any) -> None:
    options = {} if method == "BFGS" else {"ftol": 0.0}
    result = minimize(function, dnp.asarray(start, float), method=method, options=options)
    assert result.success
    assert result.status == 0
    np.testing.assert_allclose(result.x, expected, atol=1e-5)
    np.testing.assert_allclose(result.fun, function(result.x), atol=1e-15)
    np.testing.assert_allclose(result.jac, grad(function)(result.x), atol=1e-12)
    assert (result.hess_inv is None) == (method != "BFGS")


@pytest.mark.parametrize("method", ["BFGS", LIMITED])
def test_minimize_over_complex_numbers(method: str) -> None:
    """The parts vary separately, so curvature that differs between them is no obstacle."""
    goal = np.array([1 - 2j, 3j, -1 + 0j])

    def distance(z: Any) -> Any:
        w = z - goal
        return dnp.sum(dnp.real(w) ** 2 + 5 * dnp.imag(w) ** 2 + dnp.abs(w) ** 4)

    options = {"gtol": 1e-9} | ({} if method == "BFGS" else {"ftol": 0.0})
    result = jit(lambda z: minimize(distance, z, method=method, options=options))(goal * 1j)
    assert result.success
    np.testing.assert_allclose(result.x, goal, atol=1e-8)
    np.testing.assert_allclose(result.jac, grad(distance)(result.x), atol=1e-12)
    assert result.hess_inv is None or result.hess_inv.shape == (6, 6)


def test_minimize_in_transforms() -> None:
    solve = jit(lambda x: minimize(matyas, x, method="BFGS", options={"gtol": 1e-8}).x)
    np.testing.assert_allclose(solve(dnp.array([1.0, 2.0])), [0, 0], atol=1e-6)
    starts = dnp.asarray(RNG.normal(size=(3, 2)))
    values = vmap(lambda x: minimize(matyas, x, (0.3,), method="BFGS").fun)(starts)
    np.testing.assert_allclose(values, np.zeros(3), atol=1e-9)


def test_minimize_ends() -> None:
    late = minimize(rosenbrock, np.zeros(2), method="BFGS", options={"maxiter": 2})
    assert not late.success
    assert late.status == 1
    assert late.nit == 2
    loose = minimize(rosenbrock, np.zeros(2), method="BFGS", tol=1.0)
    assert loose.success
    assert loose.nit < 20
    # There is no minimum, and the search finds no end.
    endless = minimize(lambda x: dnp.sum(x), np.zeros(2), method="BFGS")
    assert not endless.success
    assert endless.status == 5


def test_minimize_rejects() -> None:
    with pytest.raises(ValueError, match="method must be one of"):
        minimize(matyas, np.zeros(2), method="newton")
    with pytest.raises(TypeError, match=r"args argument to minimize must be a tuple, got: 0\.3"):
        minimize(matyas, np.zeros(2), 0.3, method="BFGS")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="options must be among"):
        minimize(matyas, np.zeros(2), method="BFGS", options={"steps": 3})
    with pytest.raises(ValueError, match="x0 must be a vector"):
        minimize(matyas, np.zeros((2, 2)), method="BFGS")


# Interpolation ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["constant", "nearest", "mirror", "reflect", "wrap"])
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_map_coordinates(mode: str, order: int, dtype: Any) -> None:
    x = (RNG.normal(size=(5, 6)) * 50).astype(dtype)
    # For whole numbers of periods, SciPy's modes agree with JAX's.
    places = [RNG.uniform(0, 4, (2, 9)), RNG.uniform(0, 5, (2, 9))]
    expected = REFERENCE.ndimage.map_coordinates(x, places, order=order, mode=mode, cval=2)
    got = ndimage.map_coordinates(x, places, order, mode, 2)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, atol=1e-10 if dtype == np.float64 else 1)
    far = [RNG.integers(-12, 12, 20), RNG.integers(-12, 12, 20)]
    if mode != "wrap":
        expected = REFERENCE.ndimage.map_coordinates(x, far, order=order, mode=mode, cval=2)
        np.testing.assert_allclose(ndimage.map_coordinates(x, far, order, mode, 2), expected)
    else:
        got = ndimage.map_coordinates(x, far, order, mode)
        np.testing.assert_allclose(got, x[far[0] % 5, far[1] % 6])


def test_map_coordinates_is_differentiable_and_rejects() -> None:
    x = dnp.asarray(RNG.normal(size=4))
    slope = grad(lambda c: ndimage.map_coordinates(x, [c], 1))(1.3)
    np.testing.assert_allclose(slope, x[2] - x[1], rtol=1e-12)
    with pytest.raises(ValueError, match="each of the 1 dimensions, got: 2"):
        ndimage.map_coordinates(x, [x, x], 1)
    with pytest.raises(NotImplementedError, match="order must be 0 or 1, got: 3"):
        ndimage.map_coordinates(x, [x], 3)
    with pytest.raises(NotImplementedError, match="mode must be one of"):
        ndimage.map_coordinates(x, [x], 1, "edge")


@pytest.mark.parametrize("method", ["linear", "nearest"])
@pytest.mark.parametrize("fill_value", [np.nan, -1.0, None])
def test_grid_interpolation(method: str, fill_value: float | None) -> None:
    grid = np.sort(RNG.uniform(0, 5, 6)), np.arange(4.0)
    values = RNG.normal(size=(6, 4, 2))
    points = RNG.uniform(-1, 6, (3, 5, 2))
    theirs = REFERENCE.interpolate.RegularGridInterpolator(
        grid, values, method, bounds_error=False, fill_value=fill_value
    )
    ours = RegularGridInterpolator(grid, values, method, fill_value=fill_value)
    np.testing.assert_allclose(ours(points), theirs(points), rtol=1e-10)
    np.testing.assert_allclose(ours((points[..., 0], points[..., 1])), theirs(points), rtol=1e-10)
    np.testing.assert_allclose(jit(lambda f, x: f(x))(ours, points), theirs(points), rtol=1e-10)


def test_grid_interpolation_rejects() -> None:
    grid, values = (np.arange(3.0),), np.arange(3.0)
    with pytest.raises(ValueError, match="method must be one of linear, nearest, got: 'cubic'"):
        RegularGridInterpolator(grid, values, "cubic")
    with pytest.raises(NotImplementedError, match="bounds_error must be False"):
        RegularGridInterpolator(grid, values, bounds_error=True)
    with pytest.raises(ValueError, match="no more vectors of points than dimensions"):
        RegularGridInterpolator(grid * 2, values)
    with pytest.raises(TypeError, match="fill_value must be real"):
        RegularGridInterpolator(grid, values, fill_value=1j)
    with pytest.raises(ValueError, match="must have 1 coordinates"):
        RegularGridInterpolator(grid, values)(np.zeros((2, 2)))


def test_trapezoid() -> None:
    y, x = RNG.normal(size=(3, 7)), np.sort(RNG.normal(size=7))
    choices: list[dict[str, Any]] = [{}, {"x": x}, {"dx": 0.3}]
    for options in choices:
        expected = REFERENCE.integrate.trapezoid(y, **options)
        np.testing.assert_allclose(integrate.trapezoid(y, **options), expected, rtol=1e-12)


def test_vq() -> None:
    points, codes = RNG.normal(size=(20, 3)), RNG.normal(size=(4, 3))
    for x, y in ((points, codes), (points[:, 0], codes[:, 0])):
        code, distance = REFERENCE.cluster.vq.vq(x, y)
        got = vq(x, y)
        np.testing.assert_array_equal(got[0], code)
        np.testing.assert_allclose(got[1], distance, rtol=1e-10)
    with pytest.raises(ValueError, match="both be of rank 1 or 2"):
        vq(points, codes[0])


# Rotations ----------------------------------------------------------------------------------------

QUATERNIONS = RNG.normal(size=(7, 4))
THEIRS = REFERENCE.spatial.transform.Rotation.from_quat(QUATERNIONS)
SEQUENCES = [
    "".join(axes)
    for axes in itertools.product("xyz", repeat=3)
    if axes[0] != axes[1] and axes[1] != axes[2]
]


@pytest.mark.parametrize("sequence", [*SEQUENCES, *(s.upper() for s in SEQUENCES)])
def test_euler_angles(sequence: str) -> None:
    rotations = Rotation.from_quat(QUATERNIONS)
    angles = THEIRS.as_euler(sequence)
    np.testing.assert_allclose(rotations.as_euler(sequence), angles, atol=1e-12)
    back = Rotation.from_euler(sequence, angles)
    np.testing.assert_allclose(back.as_matrix(), THEIRS.as_matrix(), atol=1e-12)
    # Where two axes coincide.
    middle = [0, np.pi] if sequence[0] == sequence[2] else [-np.pi / 2, np.pi / 2]
    theirs = REFERENCE.spatial.transform.Rotation
    for angle in middle:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            locked = theirs.from_euler(sequence, [0.3, angle, 0.4])
            expected = locked.as_euler(sequence)
        got = Rotation.from_quat(locked.as_quat()).as_euler(sequence)
        np.testing.assert_allclose(got, expected, atol=1e-7)


def test_rotations() -> None:
    ours, theirs = Rotation.from_quat(QUATERNIONS), THEIRS
    one: Any = ours[0]
    for name in ("as_matrix", "as_mrp", "as_rotvec", "magnitude"):
        np.testing.assert_allclose(getattr(ours, name)(), getattr(theirs, name)(), atol=1e-12)
    for name in ("matrix", "mrp", "rotvec"):
        made = getattr(Rotation, f"from_{name}")(getattr(theirs, f"as_{name}")())
        np.testing.assert_allclose(made.as_matrix(), theirs.as_matrix(), atol=1e-12)
    quat = theirs.as_quat(canonical=True)
    np.testing.assert_allclose(ours.as_quat(canonical=True), quat, atol=1e-12)
    np.testing.assert_allclose(
        ours.as_quat(canonical=True, scalar_first=True), np.roll(quat, 1, -1), atol=1e-12
    )
    vectors = RNG.normal(size=(7, 3))
    for inverse in (False, True):
        np.testing.assert_allclose(
            ours.apply(vectors, inverse), theirs.apply(vectors, inverse), atol=1e-12
        )
    products = (ours * one.inv()).as_matrix()
    np.testing.assert_allclose(products, (theirs * theirs[0].inv()).as_matrix(), atol=1e-12)
    weights = np.arange(1.0, 8)
    np.testing.assert_allclose(
        ours.mean(weights).as_matrix(), theirs.mean(weights).as_matrix(), atol=1e-10
    )
    assert len(Rotation.concatenate([ours, one])) == 8
    np.testing.assert_array_equal(Rotation.identity(2).as_matrix(), np.stack([np.eye(3)] * 2))


def test_small_rotations_are_differentiable() -> None:
    slope = jacfwd(lambda v: Rotation.from_rotvec(v).as_rotvec())(dnp.zeros(3))
    np.testing.assert_allclose(slope, np.eye(3), atol=1e-12)


def test_slerp() -> None:
    times, at = np.arange(7.0), np.linspace(0, 6, 11)
    expected = REFERENCE.spatial.transform.Slerp(times, THEIRS)(at).as_matrix()
    ours = Slerp.init(times, Rotation.from_quat(QUATERNIONS))
    np.testing.assert_allclose(ours(at).as_matrix(), expected, atol=1e-12)
    np.testing.assert_allclose(ours(at[4]).as_matrix(), expected[4], atol=1e-12)
    np.testing.assert_allclose(jit(lambda t: ours(t).as_matrix())(at), expected, atol=1e-12)


def test_rotations_reject() -> None:
    one = Rotation.identity()
    with pytest.raises(TypeError, match="a single rotation has no elements"):
        one[0]
    with pytest.raises(TypeError, match="a single rotation has no length"):
        len(one)
    with pytest.raises(ValueError, match="consecutive axes must be different, got: 'xxy'"):
        one.as_euler("xxy")
    with pytest.raises(ValueError, match="letters of xyz or of XYZ, got: 'xY'"):
        Rotation.from_euler("xY", np.zeros(2))
    with pytest.raises(ValueError, match="there must be 2 angles"):
        Rotation.from_euler("xy", np.zeros(3))
    with pytest.raises(ValueError, match="two rotations at least"):
        Slerp.init(np.zeros(1), one)
    with pytest.raises(ValueError, match="a vector of size 7"):
        Slerp.init(np.zeros(2), Rotation.from_quat(QUATERNIONS))
