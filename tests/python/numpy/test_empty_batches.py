"""Functions of matrices over a batch without elements: results have the types of one matrix's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.scipy import linalg as sl

L = dnp.linalg
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{each.__name__: each for each in (L.inv, L.det, L.slogdet, L.cholesky, L.qr, L.svd, L.eigh)},
    **{each.__name__: each for each in (L.eig, L.pinv, sl.lu, sl.lu_factor, sl.expm, sl.schur)},
    **{each.__name__: each for each in (sl.sqrtm, sl.hessenberg)},
    "solve": lambda a: L.solve(a, a),
    "cho_solve": lambda a: sl.cho_solve(sl.cho_factor(a), a),
    "solve_triangular": lambda a: sl.solve_triangular(a, a),
    "lu_solve": lambda a: sl.lu_solve(sl.lu_factor(a), a, trans=1),
    "tridiagonal_solve": lambda a: dt.lax.linalg.tridiagonal_solve(a.sum(0), a.sum(0), a.sum(1), a),
}
WITHOUT_DERIVATIVE = ("schur", "hessenberg", "sqrtm", "eig", "lu", "pinv")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("size", [0, 1, 2])
def test_empty_batch(name: str, size: int) -> None:
    function = FUNCTIONS[name]
    tangents = lambda a: dt.jvp(function, (a,), (a,))  # noqa: E731
    for of in (function, tangents)[: 1 if name in WITHOUT_DERIVATIVE else 2]:
        one = dt.eval_shape(of, dt.ShapeDtypeStruct((size, size), "float32"))
        wanted = [((0, *each.shape), each.dtype) for each in dt.tree.leaves(one)]
        over = dt.vmap(of)
        for call in (dt.jit(over, compile="never"), dt.jit(over, compile="now"))[: 1 + (size == 1)]:
            results = call(dnp.zeros((0, size, size)))
            assert [(each.shape, each.dtype) for each in dt.tree.leaves(results)] == wanted
