"""Uses of references that are errors, and what their messages say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

F32 = np.float32


def zeros(*shape: int) -> Any:
    return dt.new_ref(dnp.zeros(shape))


def both(run: Callable[[], None]) -> list[Callable[[], None]]:
    """A function as it is, and jitted."""
    return [run, dt.jit(run)]


@pytest.mark.parametrize("jitted", [False, True])
def test_after_the_end(jitted: bool) -> None:
    def run(end: Callable[[Any], Any], use: Callable[[Any], Any]) -> Any:
        def f(x: Any) -> None:
            ref = dt.new_ref(x)
            end(ref)
            use(ref)

        with pytest.raises(ValueError, match=r"after it was frozen or freed, got: Ref\{float32"):
            (dt.jit(f) if jitted else f)(dnp.zeros(3))

    for end in (dt.freeze, dt.free_ref):
        for use in (dt.freeze, dt.free_ref, lambda r: r[0], lambda r: r.set(1.0)):
            run(end, use)


def test_end_elsewhere() -> None:
    ref = zeros(3)
    for f, args in (
        (lambda: dt.freeze(ref), ()),
        (dt.freeze, (ref,)),
        (lambda: lax.cond(True, lambda: dt.free_ref(ref), lambda: None), ()),
    ):
        with pytest.raises(ValueError, match="in the function that made it, got: a reference"):
            dt.jit(f)(*args)


def test_returned() -> None:
    ref = zeros(3)
    with pytest.raises(ValueError, match=r"traced for jit returned a mutable array reference of"):
        dt.jit(dt.new_ref)(dnp.zeros(3))
    with pytest.raises(ValueError, match=r"was passed in as the argument x_ref"):
        dt.jit(lambda x_ref: x_ref)(ref)
    with pytest.raises(ValueError, match=r"traced for jit returned .*\n\n.* created on line"):
        dt.jit(lambda: {"hi": ref})()
    with pytest.raises(ValueError, match="traced for scan returned a mutable array reference"):
        lax.scan(lambda c, x: (c, dt.new_ref(x)), 0, dnp.arange(3))
    with pytest.raises(ValueError, match="traced for cond returned a mutable array reference"):
        lax.cond(True, lambda: dt.new_ref(1.0), lambda: dt.new_ref(2.0))


def test_leaves_its_function() -> None:
    kept = []

    @dt.jit
    def f(x: Any) -> None:
        kept.append(dt.new_ref(x))

    f(1.0)
    for use in (lambda: kept[0][...], lambda: kept[0].set(1.0), dt.jit(lambda: kept[0][...])):
        with pytest.raises(dt.errors.LeakedTracerError, match=r"a reference of `f`"):
            use()


def test_aliases() -> None:
    ref = zeros(3)
    twice = "appeared at both x_ref and y_ref"
    with pytest.raises(ValueError, match=twice):
        dt.jit(lambda x_ref, y_ref: None)(ref, ref)
    with pytest.raises(ValueError, match=twice):
        dt.vmap(lambda x_ref, y_ref: 0)(ref, ref)
    with pytest.raises(ValueError, match=twice):
        lax.cond(True, lambda x, y: 0, lambda x_ref, y_ref: 0, ref, ref)
    with pytest.raises(ValueError, match=r"appeared at both xs\[0\] and xs\[1\]"):
        lax.scan(lambda c, xs: (c, None), 0, (ref, ref))
    closed_over = "closed over and passed as the argument y_ref"
    with pytest.raises(ValueError, match=closed_over):
        dt.jit(lambda y_ref: ref[...] + y_ref[...])(ref)
    with pytest.raises(ValueError, match=closed_over):
        dt.jit(lambda: dt.jit(lambda y_ref: ref[...] + y_ref[...])(ref))()

    def add(y_ref: Any) -> Any:
        return ref[...] + y_ref[...]

    with pytest.raises(ValueError, match=closed_over):
        lax.cond(True, add, add, ref)


def test_aliases_of_a_cached_program() -> None:
    ref, other = zeros(3), zeros(3)

    @dt.jit
    def f(y_ref: Any) -> Any:
        ref[...] += 1
        return y_ref[...]

    f(other)
    with pytest.raises(ValueError, match="closed over and passed as the argument y_ref"):
        f(ref)
    with pytest.raises(ValueError, match="closed over and passed as the argument y_ref"):
        dt.jit(lambda: (f(other), f(ref)))()


def test_wrong_values() -> None:
    ref = dt.new_ref(dnp.zeros(3, np.int32))
    with pytest.raises(ValueError, match=r"Invalid dtype for `swap`. Ref dtype: int32. Value dtyp"):
        ref[...] += 1.0
    with pytest.raises(ValueError, match=r"Invalid dtype for `addupdate`"):
        ref.addupdate(np.float32(1))
    with pytest.raises(
        ValueError, match=r"Invalid shape for `swap`. Ref shape: \(3,\). Value shap"
    ):
        ref[...] = np.zeros(2, np.int32)
    with pytest.raises(ValueError, match="broadcast"):
        ref[:2] = np.zeros(3, np.int32)
    narrow = dt.new_ref(dnp.zeros((), "bfloat16"))
    narrow[...] += 1.0
    assert narrow[...] == 1


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="init_val of new_ref must be an array or a number"):
        dt.new_ref("x")
    with pytest.raises(ValueError, match="new_ref: memory_space must be None, and kind one of"):
        dt.new_ref(1.0, kind="odd")
    with pytest.raises(TypeError, match="empty_ref: ty must have a shape and a dtype, got: 3"):
        dt.empty_ref(3)
    with pytest.raises(TypeError, match="freeze: ref must be a reference made by new_ref, got: 3"):
        dt.freeze(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="get: ref must be a reference"):
        dt.ref.get(dnp.zeros(3), 0)
    with pytest.raises(TypeError, match=r"read it first, ref\[...\]"):
        dt.grad(lambda r: r[...].sum())(zeros(3))
    with pytest.raises(TypeError, match=r"scan: the carry must not contain references"):
        lax.scan(lambda c, x: (c, x), zeros(3), dnp.zeros(3))
    with pytest.raises(TypeError, match="len"):
        len(dt.new_ref(1.0))


def test_a_batching_rule_does_not_close_over_a_reference_with_the_batch() -> None:
    def f(ref: Any, x: Any) -> Any:
        product = dt.custom_batching.custom_vmap(lambda x: (ref[...] * x).sum())
        product.def_vmap(lambda size, batched, x: (ref[...] @ x, False))
        return product(x)

    with pytest.raises(NotImplementedError, match=r"must not close over a reference that"):
        dt.vmap(f)(zeros(3), dnp.ones(3))


def test_checkpoints_know_a_reference_by_one_name() -> None:
    ref = zeros(3)
    both = dt.checkpoint(lambda x, a, b: (x * a[...] + b[...]).sum())
    with pytest.raises(ValueError, match="only one reference to a mutable array may be passed"):
        dt.grad(both)(1.0, ref, ref)
    closed = dt.checkpoint(lambda x, a: (x * a[...] + ref[...]).sum())
    with pytest.raises(ValueError, match="a mutable array reference of type"):
        dt.grad(closed)(1.0, ref)


def test_unbatched_reference() -> None:
    ref = dt.new_ref(F32(0))

    def f(x: Any) -> None:
        ref[...] += x

    with pytest.raises(ValueError, match="to an unbatched array reference, got: one of type"):
        dt.vmap(f)(dnp.arange(3.0))


def test_predicate_that_writes() -> None:
    ref = dt.new_ref(0)

    def cond(c: Any) -> Any:
        ref[...] += 1
        return ref[...] < 3

    with pytest.raises(dt.errors.TransformError, match="predicate of a loop must not write"):
        dt.jit(lambda: lax.while_loop(cond, lambda c: c, 0))()


def test_symbolic_shapes() -> None:
    def f(x: Any) -> Any:
        return dt.freeze(dt.new_ref(x))

    with pytest.raises(NotImplementedError, match="references must not be used with symbolic"):
        dt.jit(f).lower(dt.ShapeDtypeStruct(dt.export.symbolic_shape("n"), "float32"))


def test_unknown_values() -> None:
    def f(x: Any) -> Any:
        ref = dt.new_ref(x)
        return x if ref[...] > 0 else -x

    with pytest.raises(dt.errors.TracerBoolConversionError):
        dt.grad(f)(F32(1))


def test_a_failure_leaves_the_reference() -> None:
    ref = zeros(3)

    def f() -> None:
        ref[...] += 1
        raise KeyError("user")

    for run in both(f):
        with pytest.raises(KeyError):
            run()
    np.testing.assert_array_equal(ref[...], [1, 1, 1])
