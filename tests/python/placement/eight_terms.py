"""Sums that are left to do, in types: `unreduced` and `reduced` axes, as in JAX; run by
`test_devices`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import ShardingTypeError
from dovetail.sharding import NamedSharding, reshard
from dovetail.sharding import PartitionSpec as P
from support.op_calls import all_calls

MESH = dt.make_mesh((2, 4), ("x", "y"))
VALUES = np.arange(32.0, dtype=np.float32).reshape(8, 4)
LEFT, LATER = P(unreduced={"y"}), P(reduced={"y"})


@pytest.fixture(autouse=True)
def _mesh() -> Any:
    with dt.set_mesh(MESH):
        yield


def terms_of(x: dt.Array) -> list[np.ndarray]:
    return [np.asarray(shard.data) for shard in x.addressable_shards]


def sums(x: Any) -> int:
    """The number of sums over devices in the program of one."""
    return x.as_text("shard").count("all_reduce_sum") + x.as_text("shard").count("reduce_scatter")


def test_a_product_that_is_left_to_sum() -> None:
    a = dt.device_put(VALUES, P("x", "y"))
    b = dt.device_put(VALUES[:4], P("y"))

    @dt.jit
    def left(a: Any, b: Any) -> Any:
        found = dnp.matmul(a, b, out_sharding=P("x", unreduced={"y"}))
        assert str(dt.typeof(found)) == "float32[8@x,4]{U:y}"
        return found

    assert sums(left.lower(a, b)) == 0
    found = left(a, b)
    assert found.sharding == NamedSharding(MESH, P("x", None, unreduced={"y"}))
    assert not found.is_fully_replicated
    parts = [VALUES[:, k : k + 1] @ VALUES[k : k + 1] for k in range(4)]
    for number, term in enumerate(terms_of(found)):
        np.testing.assert_array_equal(term, parts[number % 4][4 * (number // 4) :][:4])
    for wanted in (P("x"), P(), P("y"), P(("x", "y"))):
        np.testing.assert_array_equal(reshard(found, wanted), VALUES @ VALUES[:4])
        whole = dt.jit(reshard, static_argnums=1)(found, wanted)
        np.testing.assert_array_equal(whole, VALUES @ VALUES[:4])
    np.testing.assert_array_equal(found, VALUES @ VALUES[:4])  # NumPy gets the sum


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        (P(), LEFT),
        (P("y"), LEFT),
        (P(None, "y"), LEFT),
        (P("x"), LEFT),
        (P("x", "y"), P("x", unreduced={"y"})),
        (P(("x", "y")), P("x", unreduced={"y"})),
        (P(("x", "y")), P(unreduced={"x", "y"})),
        (P("y", "x"), P(None, "x", unreduced={"y"})),
        (LEFT, P(unreduced={"x", "y"})),
        (P(unreduced={"x", "y"}), LEFT),
        (P(unreduced={"x", "y"}), P("x", unreduced={"y"})),
        (LEFT, P(unreduced={"x"})),
    ],
)
def test_terms_of_what_there_is(spec: Any, wanted: Any, is_compiled: bool) -> None:
    """Moves keep the value; devices with the same part have the same term."""
    move = dt.jit(reshard, static_argnums=1) if is_compiled else reshard
    found = move(dt.device_put(VALUES, spec), wanted)
    assert found.sharding.is_equivalent_to(NamedSharding(MESH, wanted), 2)
    np.testing.assert_array_equal(found, VALUES)
    np.testing.assert_array_equal(dt.jit(lambda x: reshard(x, P()))(found), VALUES)


def test_where_terms_are() -> None:
    whole = reshard(VALUES, LEFT)
    assert [bool(term.any()) for term in terms_of(whole)] == [True, False, False, False] * 2
    rows = dt.jit(lambda x: reshard(x, LEFT))(dt.device_put(VALUES, P("y")))
    for number, term in enumerate(terms_of(rows)):
        kept = np.zeros_like(VALUES)
        kept[2 * (number % 4) :][:2] = VALUES[2 * (number % 4) :][:2]
        np.testing.assert_array_equal(term, kept)


LINEAR: dict[str, tuple[Callable[[Any], Any], str]] = {
    "sum of two": (lambda t: t + t, "float32[8,4]{U:y}"),
    "negative": (lambda t: -t, "float32[8,4]{U:y}"),
    "slice": (lambda t: t[1:3], "float32[2,4]{U:y}"),
    "sum of rows": (lambda t: dnp.sum(t, 0), "float32[4]{U:y}"),
    "transpose": (lambda t: t.T, "float32[4,8]{U:y}"),
    "reshape": (lambda t: t.reshape(4, 8), "float32[4,8]{U:y}"),
    "concatenation": (lambda t: dnp.concatenate([t, t]), "float32[16,4]{U:y}"),
    "select": (lambda t: dnp.where(np.eye(8, 4) > 0, t, t), "float32[8,4]{U:y}"),
    "broadcast": (lambda t: dnp.broadcast_to(t, (2, 8, 4)), "float32[2,8,4]{U:y}"),
    "half": (lambda t: t.astype(dnp.float16), "float16[8,4]{U:y}"),
    "running sum": (lambda t: dnp.cumsum(t, 1), "float32[8,4]{U:y}"),
}


@pytest.mark.parametrize("name", LINEAR)
def test_what_is_linear_stays_terms(name: str) -> None:
    function, expected = LINEAR[name]
    found: list[str] = []

    def left(t: Any) -> Any:
        result = function(t)
        found.append(str(dt.typeof(result)))
        return result

    t = reshard(VALUES, LEFT)
    assert sums(dt.jit(left).lower(t)) == 0
    np.testing.assert_array_equal(dt.jit(left)(t), function(dnp.asarray(VALUES)))
    assert found[-1] == expected


def test_every_linear_op_of_terms() -> None:
    """What an op makes of terms that all devices have adds up to what it makes of the sum."""
    numbers = dt.shard_map(
        lambda x: x * ((1 + lax.axis_index("y")) / 10), in_specs=P(), out_specs=LEFT
    )
    programs, expected = [], []
    for call in all_calls(dt.dtypes.float32):
        # Each term would be rounded to very few digits.
        if call.row.name == "reduce_precision" or call.result_type.itemsize == 1:
            continue
        operands = call.ordinary()
        for i, operand in enumerate(operands):

            def of_terms(*rest: Any, call: Any = call, i: int = i) -> Any:
                results = call.apply(*[numbers(x) if k == i else x for k, x in enumerate(rest)])
                return dt.tree.map(lambda x: reshard(x, P()), results)

            if operand.dtype != np.float32 or not isinstance(_kind(of_terms, operands), str):
                continue
            programs.append((of_terms, operands, f"{call}"))
            expected.append(dt.tree.leaves(dt.jit(call.apply, compile="never")(*operands)))
    assert len(programs) > 40
    for first in range(0, len(programs), 32):
        chunk = programs[first : first + 32]
        many = dt.jit(lambda xs, c=chunk: [f(*x) for (f, _, _), x in zip(c, xs, strict=True)])
        results = many([operands for _, operands, _ in chunk])
        texts = [text for _, _, text in chunk]
        for found, wanted, text in zip(results, expected[first : first + 32], texts, strict=True):
            for one, other in zip(dt.tree.leaves(found), wanted, strict=True):
                # Some round to few digits.
                scale = 1e-2 * max(1, float(np.max(np.abs(other), initial=0)))
                np.testing.assert_allclose(one, other, rtol=1e-2, atol=scale, err_msg=text)


def _kind(function: Callable[..., Any], operands: tuple[np.ndarray, ...]) -> Any:
    """A text if the function is allowed to have terms, else the error."""
    try:
        return dt.jit(function).lower(*operands).as_text()
    except ShardingTypeError as error:
        return error


ERRORS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "not linear": (dnp.sin, (LEFT,), "unreduced rule for sin is not implemented: it is not linear"),
    "rounded": (lambda a: a.astype(dnp.int32), (LEFT,), "unreduced rule for convert is not"),
    "truth": (lambda a: a.astype(bool), (LEFT,), "is not implemented: it is not linear"),
    "sum with a whole": (lambda a, b: a + b, (LEFT, P()), "lhs is unreduced while rhs is not"),
    "other axes": (
        lambda a, b: a + b,
        (LEFT, P(unreduced={"x"})),
        "lhs and rhs to `add` must be unreduced along the same mesh axes",
    ),
    "squares": (lambda a: a * a, (LEFT,), "cannot be unreduced since mul is bilinear"),
    "factor": (lambda a, b: a * b, (LEFT, P()), "RHS should be reduced along the same axes LHS"),
    "product": (lambda a, b: a.T @ b, (LEFT, P()), "passed to dot_general cannot be unreduced"),
    "with a whole": (
        lambda a, b: a * b,
        (LATER, P()),
        "Inputs cannot be replicated on the same axes that another input is reduced on",
    ),
    "with a part": (
        lambda a, b: a * b,
        (LATER, P(None, "y")),
        "Inputs cannot be sharded/varying on the same axes that another input is reduced on",
    ),
    "other gradients": (
        lambda a, b: a + b,
        (LATER, P(reduced={"x"})),
        "All inputs should be reduced across the same mesh axes",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    function, specs, message = ERRORS[name]
    arguments = [reshard(VALUES, spec) for spec in specs]
    with pytest.raises(ShardingTypeError, match=message) as error:
        dt.jit(function)(*arguments)
    assert "eight_terms.py" in str(error.value)


def test_a_factor_whose_gradient_is_left() -> None:
    t, w = reshard(VALUES, LEFT), reshard(VALUES, LATER)
    product = dt.jit(lambda t, w: t * w)
    assert product(t, w).sharding.spec == P(None, None, unreduced={"y"})
    assert sums(product.lower(t, w)) == 0
    np.testing.assert_array_equal(product(t, w), VALUES * VALUES)


def loss(w: Any, x: Any) -> Any:
    return dnp.sum(dnp.sin(x @ w) ** 2)


def test_gradients_exchange_the_two() -> None:
    """Of weights that devices share, which have parts of a batch: no sum until one is asked for."""
    w = dt.device_put(VALUES[:4], LATER)
    x = dt.device_put(VALUES / 32, P("y"))
    gradient = dt.jit(dt.grad(loss))
    assert sums(gradient.lower(w, x)) == 0
    found = gradient(w, x)
    assert found.sharding == NamedSharding(MESH, P(None, None, unreduced={"y"}))
    expected = dt.grad(loss)(dnp.asarray(VALUES[:4]), dnp.asarray(VALUES / 32))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    back = dt.jit(dt.grad(lambda t: dnp.sum(reshard(t, P()) * VALUES)))(reshard(VALUES, LEFT))
    assert back.sharding.spec == P(None, None, reduced={"y"})
    np.testing.assert_array_equal(back, VALUES)


@pytest.mark.parametrize(
    ("wanted", "collective"), [(P(), "all_reduce_sum"), (P("y"), "reduce_scatter")]
)
def test_accumulated_gradients_are_summed_once(wanted: Any, collective: str) -> None:
    batches = (np.arange(96, dtype=np.float32) / 96).reshape(3, 8, 4)

    def accumulated(w: Any, xs: Any) -> Any:
        def step(total: Any, x: Any) -> Any:
            gradient = dt.grad(loss)(w, x)
            assert dt.typeof(gradient).sharding.spec.unreduced == {"y"}
            return total + gradient, None

        start = reshard(dnp.zeros((4, 4)), LEFT)
        return reshard(lax.scan(step, start, xs)[0], wanted)

    w = dt.device_put(VALUES[:4], LATER)
    xs = dt.device_put(batches, P(None, "y"))
    lowered = dt.jit(accumulated).lower(w, xs)
    text = lowered.as_text("shard")
    assert sums(lowered) == 1
    assert text.index("dovetail.scan") < text.index("dovetail.yield") < text.index(collective)
    expected = sum(dt.grad(loss)(dnp.asarray(VALUES[:4]), dnp.asarray(x)) for x in batches)
    np.testing.assert_allclose(dt.jit(accumulated)(w, xs), expected, rtol=1e-4, atol=1e-5)


def test_zero_gradients_have_their_type() -> None:
    x, y = reshard(VALUES, LATER), reshard(VALUES, LATER)
    _, pull = dt.vjp(dt.jit(lambda x, y: y), x, y)
    for found, expected in zip(pull(reshard(VALUES, LEFT)), (0 * VALUES, VALUES), strict=True):
        assert str(dt.typeof(found)) == "float32[8,4]{U:y}"
        np.testing.assert_array_equal(found, expected)


# Functions of parts -------------------------------------------------------------------------------


def test_functions_of_terms() -> None:
    t = reshard(VALUES, LEFT)
    add = dt.shard_map(lambda t: lax.psum(t, "y"), in_specs=LEFT, out_specs=P())
    scatter = dt.shard_map(
        lambda t: lax.psum_scatter(t, "y", tiled=True), in_specs=LEFT, out_specs=P("y")
    )
    for function in (add, scatter):
        for call in (function, dt.jit(function)):
            np.testing.assert_array_equal(call(t), VALUES)
    with pytest.raises(ValueError, match="whose result is unreduced for axis 'y'"):
        dt.shard_map(lambda t: t, in_specs=LEFT, out_specs=P())(t)


# Functions of a device's term, the same in NumPy, and how a tangent of it is scaled. Types of parts
# allow few of them.
OF_TERMS: dict[str, tuple[Callable[[Any], Any], Callable[..., Any], Callable[..., Any]]] = {
    "same": (lambda t: t, lambda t, k: t, lambda t, k: 1),
    "sine": (dnp.sin, lambda t, k: np.sin(t), lambda t, k: np.cos(t)),
    "square": (lambda t: t * t, lambda t, k: t * t, lambda t, k: 2 * t),
    "by number": (
        lambda t: t * (1 + lax.axis_index("y")),
        lambda t, k: t * (1 + k),
        lambda t, k: 1 + k,
    ),
}
# Ways to call a function of whole arrays, as a function and after another one that makes the terms.
WAYS: dict[str, Callable[[Callable[[Any], Any]], Callable[[Any], Any]]] = {
    "outside of programs": lambda f: f,
    "auto": dt.jit,
    "now": functools.partial(dt.jit, compile="now"),
    "never": functools.partial(dt.jit, compile="never"),
    "called by a program": lambda f: dt.jit(functools.partial(dt.tree.map, dt.jit(f))),
    "batched": functools.partial(dt.vmap, in_axes=1, out_axes=1),
    "batch in a program": lambda f: dt.jit(dt.vmap(f, in_axes=1, out_axes=1)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OF_TERMS)
def test_each_device_has_its_term_in_every_way(way: str, name: str) -> None:
    """Functions of parts tell terms of the same sum apart, also where programs would be evaluated
    on whole arrays.
    """
    function, of_numpy, slope = OF_TERMS[name]
    make = dt.shard_map(lambda x: x, in_specs=P("y"), out_specs=LEFT)
    use = dt.shard_map(function, in_specs=LEFT, out_specs=P("y"), check_vma=False)
    rows = dt.device_put(VALUES / 8, P("y"))
    terms = dt.jit(make, compile="now")(rows)
    parts, numbers = np.asarray(rows), np.repeat(np.arange(4), 2)[:, None]
    expected, scale = of_numpy(parts, numbers), slope(parts, numbers) * np.ones_like(parts)

    def composed(x: Any) -> Any:
        return use(make(x))

    call = WAYS[way]
    np.testing.assert_allclose(call(use)(terms), expected, rtol=1e-5)
    np.testing.assert_allclose(call(composed)(rows), expected, rtol=1e-5)

    def pushed(x: Any) -> Any:
        return dt.jvp(composed, (x,), (x,))[1]

    np.testing.assert_allclose(call(pushed)(rows), scale * parts, rtol=1e-5)
    pulled = dt.grad(lambda x: dnp.sum(composed(x)))
    np.testing.assert_allclose(call(pulled)(rows), scale, rtol=1e-5)
    if way == "outside of programs":
        return
    # Without a check of what varies, a device may also say that its term is the whole.
    first = dt.shard_map(function, in_specs=LEFT, out_specs=P(), check_vma=False)
    for number, shard in enumerate(call(first)(terms).addressable_shards):
        own = slice(2 * (number % 4), 2 * (number % 4) + 2)
        np.testing.assert_allclose(shard.data, expected[own], rtol=1e-5)


def test_terms_are_not_checked_for_nans() -> None:
    use = dt.jit(dt.shard_map(lambda t: t, in_specs=LEFT, out_specs=P("y"), check_vma=False))
    with (
        dt.debug_nans(True),
        pytest.raises(NotImplementedError, match="a program of terms of sums must be partitioned"),
    ):
        use(reshard(VALUES, LEFT))


def test_results_that_are_terms() -> None:
    rows = dt.shard_map(lambda x: dnp.sum(x, 0), in_specs=P("y"), out_specs=LEFT)
    found = dt.jit(rows)(dt.device_put(VALUES, P("y")))
    assert found.sharding == NamedSharding(MESH, P(None, unreduced={"y"}))
    assert sums(dt.jit(rows).lower(dt.device_put(VALUES, P("y")))) == 0
    np.testing.assert_array_equal(found, VALUES.sum(0))
    same = dt.shard_map(lambda x: x, in_specs=P(), out_specs=LEFT, check_vma=False)
    np.testing.assert_array_equal(dt.jit(same)(VALUES), 4 * VALUES)  # a term of each device


def test_gradients_of_functions_of_parts() -> None:
    w, x = dt.device_put(VALUES[:4] / 32, LATER), dt.device_put(VALUES / 32, P("y"))
    expected = dt.grad(loss)(dnp.asarray(VALUES[:4] / 32), dnp.asarray(VALUES / 32))
    parts = dt.shard_map(
        lambda w, x: lax.psum(loss(w, x), "y"), in_specs=(LATER, P("y")), out_specs=P()
    )
    gradient = dt.jit(dt.grad(parts))
    assert sums(gradient.lower(w, x)) == 0
    assert gradient(w, x).sharding.spec == P(None, None, unreduced={"y"})
    np.testing.assert_allclose(gradient(w, x), expected, rtol=1e-5, atol=1e-6)
    factors = np.arange(4, dtype=np.float32)
    add = dt.shard_map(lambda t: lax.psum(t, "y"), in_specs=LEFT, out_specs=P())
    back = dt.jit(dt.grad(lambda t: dnp.sum(add(t) * factors)))(reshard(factors, LEFT))
    assert back.sharding.spec == P(None, reduced={"y"})
    np.testing.assert_array_equal(back, factors)
    rows = dt.shard_map(lambda x: 2 * dnp.sum(x, 0), in_specs=P("y"), out_specs=LEFT)
    back = dt.jit(dt.grad(lambda x: dnp.sum(reshard(rows(x), P()) * factors)))(x)
    np.testing.assert_array_equal(back, np.broadcast_to(2 * factors, (8, 4)))


def test_gradients_of_what_is_made_to_vary() -> None:
    """Each device's cotangent is its own term, also if the function says that the value varies."""
    w = dt.device_put(VALUES, LATER)
    for spec, scale in ((LATER, 4), (P(), 4)):
        repeat = dt.shard_map(
            lambda w: lax.pcast(w, "y", to="varying"), in_specs=spec, out_specs=P("y")
        )
        gradient = dt.jit(dt.grad(lambda w, repeat=repeat: dnp.sum(repeat(w))))(w)
        np.testing.assert_array_equal(gradient, np.full_like(VALUES, scale))


def test_specs_of_functions_of_parts() -> None:
    mesh = dt.make_mesh((8,), ("x",), axis_types=(dt.sharding.AxisType.Auto,))
    with pytest.raises(ValueError, match="Unreduced axes can only refer to mesh axes that is of"):
        dt.shard_map(lambda x: x, mesh=mesh, in_specs=P(unreduced={"x"}), out_specs=P())(VALUES)
    with pytest.raises(ValueError, match="must refer to an axis marked as manual"):
        dt.shard_map(lambda x: x, in_specs=LEFT, out_specs=P("x"), axis_names={"x"})(VALUES)


def test_exported_functions_take_and_return_no_terms(tmp_path: Path) -> None:
    rows = dt.device_put(VALUES, P("y"))
    with pytest.raises(ValueError, match="must be whole or in parts, got: terms of a sum"):
        dt.export(lambda x: reshard(dnp.sum(x, 0), LEFT), rows, path=tmp_path / "rows.vmfb")
