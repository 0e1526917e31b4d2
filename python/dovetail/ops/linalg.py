"""Factorisations of matrices and solutions of linear equations; leading dimensions are a batch."""

from __future__ import annotations

from typing import Any

from dovetail.tracing.tracer import bind, bind_all

# An Array or a Tracer.
Operand = Any


def cholesky(a: Operand) -> Operand:
    return bind("cholesky", a, weak_type=False)


def lu(a: Operand) -> list[Operand]:
    return bind_all("lu", a, weak_types=(False,) * 3)


def det(a: Operand) -> Operand:
    return bind("det", a, weak_type=False)


def geqrf(a: Operand, pivoting: bool = False) -> list[Operand]:
    return bind_all("geqrf", a, weak_types=(False,) * (2 + pivoting), pivoting=pivoting)


def qr(a: Operand, full_matrices: bool = False, pivoting: bool = False) -> list[Operand]:
    weak = (False,) * (2 + pivoting)
    return bind_all("qr", a, weak_types=weak, full_matrices=full_matrices, pivoting=pivoting)


def eigh(a: Operand, vectors: bool = True) -> list[Operand]:
    return bind_all("eigh", a, weak_types=(False,) * (1 + vectors), vectors=vectors)


def svd(a: Operand, full_matrices: bool = False, vectors: bool = True) -> list[Operand]:
    weak = (False,) * (1 + 2 * vectors)
    return bind_all("svd", a, weak_types=weak, full_matrices=full_matrices, vectors=vectors)


def eig(a: Operand, left: bool = False, right: bool = True) -> list[Operand]:
    return bind_all("eig", a, weak_types=(False,) * (1 + left + right), left=left, right=right)


def schur(a: Operand, vectors: bool = True) -> list[Operand]:
    return bind_all("schur", a, weak_types=(False,) * (1 + vectors), vectors=vectors)


def hessenberg(a: Operand) -> list[Operand]:
    return bind_all("hessenberg", a, weak_types=(False,) * 2)


def tridiagonal(a: Operand, lower: bool = True) -> list[Operand]:
    return bind_all("tridiagonal", a, weak_types=(False,) * 4, lower=lower)


def triangular_solve(
    a: Operand,
    b: Operand,
    left_side: bool = False,
    lower: bool = False,
    transpose_a: bool = False,
    conjugate_a: bool = False,
    unit_diagonal: bool = False,
) -> Operand:
    return bind(
        "triangular_solve",
        a,
        b,
        weak_type=False,
        left_side=left_side,
        lower=lower,
        transpose_a=transpose_a,
        conjugate_a=conjugate_a,
        unit_diagonal=unit_diagonal,
    )


def lu_solve(
    a: Operand, lu: Operand, permutation: Operand, b: Operand, transpose_a: bool = False
) -> Operand:
    return bind("lu_solve", a, lu, permutation, b, weak_type=False, transpose_a=transpose_a)


def tridiagonal_solve(
    dl: Operand, d: Operand, du: Operand, b: Operand, perturb_singular: bool = False
) -> Operand:
    return bind(
        "tridiagonal_solve", dl, d, du, b, weak_type=False, perturb_singular=perturb_singular
    )
