"""Solutions of linear equations with Lineax, and their derivatives."""

import jax
import jax.numpy as jnp
import lineax as lx
import numpy as np

key = jax.random.key(0)
matrix = jax.random.normal(key, (6, 6)) + 6 * jnp.eye(6)
symmetric = matrix @ matrix.T
vector = jax.random.normal(jax.random.key(1), (6,))

solvers = {
    "LU": (matrix, lx.LU(), ()),
    "QR": (matrix, lx.QR(), ()),
    "GMRES": (matrix, lx.GMRES(rtol=1e-6, atol=1e-6), ()),
    "Cholesky": (symmetric, lx.Cholesky(), lx.positive_semidefinite_tag),
    "CG": (symmetric, lx.CG(rtol=1e-6, atol=1e-6), lx.positive_semidefinite_tag),
}
for name, (a, solver, tags) in solvers.items():

    def solved(a, b, solver=solver, tags=tags):
        return lx.linear_solve(lx.MatrixLinearOperator(a, tags), b, solver).value

    x = jax.jit(solved)(a, vector)
    np.testing.assert_allclose(x, jnp.linalg.solve(a, vector), rtol=1e-3, atol=1e-4)
    # d(1·x) = A⁻ᵀ1 for the vector, and -A⁻ᵀ1 xᵀ for the matrix.
    by_matrix, by_vector = jax.jit(jax.grad(lambda a, b: solved(a, b).sum(), (0, 1)))(a, vector)
    adjoint = jnp.linalg.solve(a.T, jnp.ones(6))
    np.testing.assert_allclose(by_vector, adjoint, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(by_matrix, -jnp.outer(adjoint, x), rtol=1e-3, atol=1e-4)
    print(f"{name}: sum {float(x.sum()):.4f}, gradient {float(by_matrix.sum()):.4f}")
