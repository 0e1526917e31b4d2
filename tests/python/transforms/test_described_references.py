"""Descriptions of references, as arguments of functions that are only traced."""

from __future__ import annotations

from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp


def test_descriptions() -> None:
    """`ShapeDtypeStruct(is_ref=True)` stands for a reference where functions are only traced."""
    like = dt.ShapeDtypeStruct((3,), "float32", is_ref=True)
    assert repr(like) == "ShapeDtypeStruct(shape=(3,), dtype=float32, is_ref=True)"
    assert like != dt.ShapeDtypeStruct((3,), "float32") == like.update(is_ref=False)
    assert len({like, like.update(is_ref=True)}) == 1
    assert dt.typeof(like) == dt.typeof(dt.new_ref(dnp.zeros(3)))

    def add(x: Any, ref: Any) -> Any:
        ref[...] += x
        return ref[...].sum()

    compiled = dt.jit(add).lower(1.0, like).compile()
    ref = dt.new_ref(dnp.zeros(3))
    assert [float(compiled(1.0, ref)) for _ in range(2)] == [3.0, 6.0]
    assert dt.jit(add).eval_shape(1.0, like) == dt.eval_shape(add, 1.0, like)
    assert dt.eval_shape(lambda r: r[:2] * 1j, like).shape == (2,)
    assert dt.make_jaxpr(add)(1.0, like).in_avals[1] == dt.typeof(ref)
    assert dt.jit(add).trace(1.0, like).out_info.shape == ()
    with pytest.raises(TypeError, match="not a valid JAX type"):
        dt.jit(add)(1.0, like)
