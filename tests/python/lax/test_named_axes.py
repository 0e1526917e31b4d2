"""Named axes: collectives in bodies and callees, of all types, and their errors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import ConcretizationTypeError
from dovetail.test_util import check_grads
from support.collective_cases import ring

X = np.array([[1, -2], [3, 0.5], [-5, 2]], np.float32)


def over(f: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return dt.vmap(f, axis_name="i", **options)(*args)


def check(ours: Any, expected: Any) -> None:
    np.testing.assert_allclose(ours, expected, rtol=2e-6, atol=2e-6)


def test_in_a_scan() -> None:
    def f(x: Any) -> Any:
        def step(carry: Any, row: Any) -> Any:
            carry = carry + lax.psum(row, "i") * (1 + lax.axis_index("i"))
            return carry, lax.pmax(carry, "i")

        return lax.scan(step, 0.0, x)

    sums = X.sum(0)
    carries = np.cumsum(sums)[:, None] * np.arange(1, 4)
    last, stacked = over(f, X)
    check(last, carries[-1])
    check(stacked, np.broadcast_to(carries.max(1), (3, 2)))
    gradient = dt.grad(lambda x: dnp.sum(over(f, x)[0] ** 2))(X)
    check(gradient, np.full((3, 2), (2 * carries[-1] * np.arange(1, 4)).sum()))
    check(over(dt.grad(lambda x: f(x)[0] ** 2), X), gradient)


def test_axes_named_only_in_a_body() -> None:
    """None of the op's operands has the batch dimension."""

    def numbers(_: Any) -> Any:
        return lax.scan(lambda carry, _: (carry + lax.axis_index("i"), carry), 0, None, length=3)

    last, stacked = over(numbers, X)
    np.testing.assert_array_equal(last, [0, 3, 6])
    np.testing.assert_array_equal(stacked, [[0, 0, 0], [0, 1, 2], [0, 2, 4]])
    chosen = over(lambda _: lax.cond(True, lambda: lax.axis_index("i"), lambda: 7), X)
    np.testing.assert_array_equal(chosen, [0, 1, 2])
    called = over(lambda _: dt.jit(lambda: lax.axis_index("i") + 1)(), X)
    np.testing.assert_array_equal(called, [1, 2, 3])
    counted = over(
        lambda _: lax.while_loop(lambda n: n < 5, lambda n: n + 1 + lax.axis_index("i"), 0), X
    )
    np.testing.assert_array_equal(counted, [5, 6, 6])
    total = over(lambda _: lax.fori_loop(0, 3, lambda _, n: lax.psum(n, "i"), 1), X, out_axes=None)
    assert int(total) == 27


def test_in_branches() -> None:
    def f(p: Any, x: Any) -> Any:
        return lax.cond(p, lambda x: x / lax.psum(x, "i"), lambda x: x + lax.pmean(x, "i"), x)

    for p in (True, False):
        expected = X / X.sum(0) if p else X + X.mean(0)
        check(over(f, p, X, in_axes=(None, 0)), expected)
        check(dt.jit(dt.vmap(f, (None, 0), axis_name="i"))(p, X), expected)
    # All branches run for all elements if these choose differently.
    p = np.array([True, False, True])
    check(over(f, p, X), np.where(p[:, None], X / X.sum(0), X + X.mean(0)))


def test_in_a_loop_whose_end_depends_on_them() -> None:
    def f(x: Any) -> Any:
        return lax.while_loop(lambda x: lax.pmax(x, "i") < 20, lambda x: x * 2, x)

    np.testing.assert_array_equal(over(f, dnp.array([1, 3, 2])), [8, 24, 16])
    own = over(
        lambda x: lax.while_loop(lambda x: x < 20, lambda x: x + lax.psum(x, "i"), x),
        dnp.array([1, 30, 2]),
    )
    np.testing.assert_array_equal(own, [34, 30, 35])


def test_in_jitted_functions() -> None:
    """One function, traced for each set of axes in scope."""

    @dt.jit
    def total(x: Any) -> Any:
        return lax.psum(x, "i") + lax.axis_size("i")

    def f(x: Any) -> Any:
        return total(x) + dt.vmap(total, axis_name="i")(dnp.arange(4.0))[0]

    check(over(f, X), np.broadcast_to(X.sum(0) + 3 + 6 + 4, X.shape))
    check(dt.jit(dt.vmap(f, axis_name="i"))(X), np.broadcast_to(X.sum(0) + 13, X.shape))


def test_inner_names_hide_outer_ones() -> None:
    def f(x: Any) -> Any:
        return dt.vmap(lambda y: lax.psum(y, "i"), axis_name="i")(x), lax.psum(x, "i")

    rows, columns = over(f, X)
    check(rows, np.broadcast_to(X.sum(1, keepdims=True), X.shape))
    check(columns, np.broadcast_to(X.sum(0), X.shape))


def test_forward_and_reverse_of_inner_batches() -> None:
    def f(x: Any) -> Any:
        values, pull = dt.vjp(lambda x: lax.psum(x**2, "i"), x)
        return dt.jvp(lambda x: lax.pmean(x**3, "i"), (x,), (pull(values)[0],))[1]

    sums = (X**2).sum(0)
    check(over(f, X), np.broadcast_to((3 * X**2 * 2 * X * 3 * sums).mean(0), X.shape))
    second = dt.jacfwd(dt.jacrev(lambda x: dnp.sum(over(lambda x: lax.psum(x, "i") ** 2, x))))(X)
    expected = np.einsum("jl,ik->ijkl", np.eye(2) * 6, np.ones((3, 3)))
    check(second, expected)


def test_in_custom_rules() -> None:
    @dt.custom_vjp
    def f(x: Any) -> Any:
        return lax.psum(x, "i") * x

    def fwd(x: Any) -> tuple[Any, None]:
        return f(x), None

    def bwd(_: None, g: Any) -> tuple[Any]:
        return (lax.psum(g, "i") * 100 + lax.axis_index("i"),)

    f.defvjp(fwd, bwd)
    expected = np.broadcast_to(np.array([[300], [301], [302]], np.float32), X.shape)
    check(over(dt.grad(lambda x: dnp.sum(f(x))), X), expected)
    check(dt.jit(dt.grad(lambda x: dnp.sum(over(f, x))))(X), expected)

    @dt.custom_jvp
    def h(x: Any) -> Any:
        return lax.psum(x, "i")

    h.defjvp(lambda x, t: (h(*x), lax.pmax(t[0], "i") * lax.axis_index("i")))
    tangent = dt.jvp(lambda x: over(h, x), (X,), (X,))[1]
    check(tangent, X.max(0) * np.arange(3)[:, None])


def test_a_program_that_binds_no_axis() -> None:
    def f(x: Any) -> Any:
        dt.jit(lambda x: lax.psum(x, "i")).lower(x).compile()
        return x

    with pytest.raises(ValueError, match=r"axes must be bound by a vmap .*\[\"i\"\]") as caught:
        over(f, X)
    assert __file__ in str(caught.value)
    kept: list[Any] = []
    over(lambda x: (kept.append(dt.linearize(lambda y: lax.psum(y, "i"), 2.0)[1]), x)[1], X)
    with pytest.raises(ValueError, match="call the function where they are in scope"):
        kept[0](1.0)


@pytest.mark.parametrize("op", [lax.pmax, lax.pmin])
def test_ties_share_the_tangent(op: Any) -> None:
    x = np.full(3, 2, np.float32)
    tangent = dt.jvp(
        lambda x: over(lambda x: op(x, "i"), x), (x,), (np.array([3, 6, 0], np.float32),)
    )[1]
    check(tangent, [3, 3, 3])


# Types, scalars and trees ---------------------------------------------------------------------


def test_known_scalars() -> None:
    def f(_: Any) -> Any:
        assert type(lax.psum(1, "i")) is int
        assert lax.psum(1, "i") == 3
        assert lax.axis_size("i") == 3
        assert lax.axis_size(()) == 1
        assert lax.psum(2.5, "i") == 7.5
        assert lax.pmean(4, "i") == 4.0
        array = lax.psum(np.array([1, -2], np.int8), "i")
        assert array.dtype == np.int8
        assert (array == dnp.int8([3, -6])).all()
        return lax.psum((True, {"a": np.float32(2)}), "i")

    count, tree = over(f, X, out_axes=None)
    assert count.dtype == np.int32
    assert int(count) == 3
    assert float(tree["a"]) == 6


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "float16", "bfloat16", "complex64"]
)
def test_element_types(dtype: str) -> None:
    x = dnp.array([[1, 0], [1, 1], [0, 0]]).astype(dtype)
    wide = np.asarray(x).astype(np.complex64 if dtype == "complex64" else np.float64)
    total = over(lambda x: lax.psum(x, "i"), x, out_axes=None)
    assert total.dtype == ("int32" if dtype == "bool" else dtype)
    np.testing.assert_array_equal(np.asarray(total).astype(wide.dtype), wide.sum(0))
    for moved in (
        over(lambda x: lax.all_gather(x, "i"), x, out_axes=None),
        over(lambda x: lax.ppermute(x, "i", ring(3, 3)), x),
    ):
        assert moved.dtype == dtype
        np.testing.assert_array_equal(moved, x)
    if dtype != "complex64":
        greatest = over(lambda x: lax.pmax(x, "i"), x, out_axes=None)
        assert greatest.dtype == dtype
        np.testing.assert_array_equal(np.asarray(greatest).astype(wide.dtype), wide.max(0))


def test_bools_over_two_axes() -> None:
    x = np.random.default_rng(0).random((2, 3, 5)) < 0.5
    sent = dt.vmap(
        dt.vmap(lambda x: lax.ppermute(x, ("i", "j"), ring(6, 1)), axis_name="j"), axis_name="i"
    )(x)
    np.testing.assert_array_equal(sent.reshape(6, 5), np.roll(x.reshape(6, 5), 1, 0))


def test_results_without_the_batch() -> None:
    assert over(lambda x: lax.pmean(x, "i"), X, out_axes=None).shape == (2,)
    assert over(lambda x: lax.all_gather(x, "i"), X, out_axes=None).shape == (3, 2)
    with pytest.raises(ValueError, match=r"at vmap out_axes, got: axis spec None .* result 0"):
        over(lambda x: lax.axis_index("i"), X, out_axes=None)


def test_batches_without_arguments() -> None:
    numbers = dt.vmap(lambda: lax.axis_index("i"), axis_name="i", axis_size=3)
    np.testing.assert_array_equal(numbers(), [0, 1, 2])
    np.testing.assert_array_equal(dt.jit(numbers)(), [0, 1, 2])
    assert int(dt.vmap(lambda: lax.psum(2, "i"), axis_name="i", axis_size=3, out_axes=None)()) == 6


def test_names_that_are_not_strings() -> None:
    class Name:
        def __repr__(self) -> str:
            return "name"

    a, b = Name(), Name()
    sums = dt.vmap(
        dt.vmap(lambda x: (lax.psum(x, a), lax.psum(x, b), lax.axis_index(3)), axis_name=a),
        axis_name=b,
    )
    rows, columns, _ = dt.vmap(sums, axis_name=3)(X[None])
    check(rows[0], np.broadcast_to(X.sum(1, keepdims=True), X.shape))
    check(columns[0], np.broadcast_to(X.sum(0), X.shape))


def test_spmd_axis_name_is_accepted() -> None:
    total = dt.vmap(lambda x: lax.psum(x, "i"), axis_name="i", spmd_axis_name="data")(X)
    check(total, np.broadcast_to(X.sum(0), X.shape))


def test_pcast() -> None:
    check(over(lambda x: lax.pcast(x, "i", to="varying"), X), X)
    check(over(lambda x: lax.pcast(x, "i", to="unreduced"), X), X)
    with pytest.raises(
        ValueError, match=r"Got unexpected `to` value.*got: pcast with to='anywhere'"
    ):
        over(lambda x: lax.pcast(x, "i", to="anywhere"), X)


def test_kinds_of_gathers() -> None:
    for to in ("varying", "invarying", "reduced"):
        gathered = over(lambda x, to=to: lax.all_gather(x, "i", to=to), X)
        check(gathered, np.broadcast_to(X, (3, *X.shape)))
    with pytest.raises(ValueError, match=r"unexpected `to` value for `lax\.all_gather`"):
        over(lambda x: lax.all_gather(x, "i", to="anywhere"), X)
    with pytest.raises(NotImplementedError, match="must be 'varying' with axis_index_groups"):
        over(lambda x: lax.all_gather(x, "i", axis_index_groups=[[0, 1, 2]], to="reduced"), X)


def test_without_axes() -> None:
    for f in (lax.psum, lax.all_gather, lax.psum_scatter, lax.pmax):
        assert f(X, ()) is X or (f(X, ()) == X).all()
    assert int(lax.axis_index(())) == 0


# Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [lax.psum, lax.pmax, lax.all_gather, lambda _, a: lax.axis_index(a)])
def test_unbound_names(f: Any) -> None:
    with pytest.raises(NameError, match="unbound axis name: k; the axes in scope are none"):
        f(X, "k")
    with pytest.raises(NameError, match=r"the axes in scope are 'i' of size 3, .*axis_name='k'"):
        over(lambda x: f(x, "k"), X)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: lax.psum(x, ("i", "i")), "axis names must be distinct"),
        (lambda x: lax.all_gather(x, "i", axis=3), "axis 3 is out of bounds"),
        (lambda x: lax.psum_scatter(x, "i"), "dimension 0 must be as large as the axes, 3"),
        (lambda x: lax.psum_scatter(x, "i", tiled=True), "must be divisible by the size"),
        (lambda x: lax.all_to_all(x, "i", 0, 0), "dimension 0 must be as large as the axes, 3"),
        (lambda x: lax.ppermute(x, "i", [(0, 3)]), "a target must be at least 0 and less than"),
        (
            lambda x: lax.ppermute(x, "i", [(0, 1), (2, 1)]),
            "sources and destinations must be unique",
        ),
        (lambda x: lax.pshuffle(x, "i", [0, 0, 1]), "does not represent a permutation"),
        (lambda x: lax.pbroadcast(x, "i", 3), "source must be at least 0 and less than"),
    ],
)
def test_wrong_arguments(f: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        over(f, X)
    assert __file__ in str(caught.value)


ROWS = np.arange(32.0, dtype=np.float32).reshape(8, 4)
HALVES, UNEQUAL = [[0, 1, 4, 5], [2, 3, 7, 6]], [[0, 3], [1, 2, 4], [5, 6, 7]]


def of_groups(groups: list[list[int]], f: Any) -> np.ndarray:
    """For each element, a function of the rows of its group and of its position there."""
    results = {
        number: f(ROWS[group], position)
        for group in groups
        for position, number in enumerate(group)
    }
    return np.stack([results[number] for number in range(len(ROWS))])


@pytest.mark.parametrize(
    ("f", "groups", "expected"),
    [
        (lax.psum, HALVES, lambda rows, _: rows.sum(0)),
        (lax.psum, UNEQUAL, lambda rows, _: rows.sum(0)),
        (lax.pmean, HALVES, lambda rows, _: rows.mean(0)),
        (lax.pmean, UNEQUAL, lambda rows, _: rows.mean(0)),
        (lax.pmax, UNEQUAL, lambda rows, _: rows.max(0)),
        (lax.pmin, UNEQUAL, lambda rows, _: rows.min(0)),
        (lax.all_gather, HALVES, lambda rows, _: rows),
        (functools.partial(lax.all_gather, axis=1), HALVES, lambda rows, _: rows.T),
        (functools.partial(lax.all_gather, tiled=True), HALVES, lambda rows, _: rows.ravel()),
        (lax.psum_scatter, HALVES, lambda rows, place: rows.sum(0)[place]),
        (functools.partial(lax.pswapaxes, axis=0), HALVES, lambda rows, place: rows[:, place]),
    ],
)
def test_groups(f: Any, groups: Any, expected: Any) -> None:
    def grouped(x: Any) -> Any:
        return f(x, axis_name="i", axis_index_groups=groups)

    mapped = dt.vmap(grouped, axis_name="i")
    for result in (mapped(ROWS), dt.jit(mapped)(ROWS)):
        np.testing.assert_allclose(result, of_groups(groups, expected), 1e-6)
    # Differentiated as a function of the whole.
    check_grads(mapped, (ROWS,), 1, ("rev",), 1e-2, 1e-2)


def test_constants_have_the_sums_of_their_groups() -> None:
    def sizes(x: Any) -> Any:
        total = lax.psum(1, "i", axis_index_groups=HALVES)
        assert total == 4
        return x * total + lax.psum(1, "i", axis_index_groups=UNEQUAL)

    result = dt.vmap(sizes, axis_name="i")(np.zeros(8, np.int32))
    np.testing.assert_array_equal(result, [2, 3, 3, 2, 3, 3, 3, 3])


def test_wrong_groups() -> None:
    for groups in ([[0, 1]], [[0, 1], [1, 2]], [[0, 1, 2, 3]]):
        with pytest.raises(ValueError, match="axis_index_groups must cover all indices exactly o"):
            over(lambda x, groups=groups: lax.psum(x, "i", axis_index_groups=groups), X)
    for f in (lax.all_gather, lax.psum_scatter):
        with pytest.raises(ValueError, match="axis_index_groups must all be the same size"):
            over(lambda x, f=f: f(x, "i", axis_index_groups=[[0, 1], [2]]), X)
    with pytest.raises(ValueError, match="axis_index_groups only supported for sums over just"):
        over(lambda x: lax.psum(x, ("i", 0), axis_index_groups=[[0, 1, 2]]), X)


def test_ragged_slices() -> None:
    """Each element sends two slices to each of three others."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(3, 20, 2)).astype(np.float32)
    starts = random.integers(0, 15, (3, 6))
    sent = random.integers(0, 5, (3, 6))
    # Of each receiver, by sender and slice: where slices follow each other.
    received = sent.reshape(3, 3, 2).transpose(1, 0, 2).reshape(3, 6)
    ends = np.cumsum(received, axis=1)
    places = (ends - received).reshape(3, 3, 2).transpose(1, 0, 2).reshape(3, 6)
    expected = np.full((3, 30, 2), -1, np.float32)
    for receiver in range(3):
        slices = [
            rows[sender, starts[sender, n] : starts[sender, n] + sent[sender, n]]
            for sender in range(3)
            for n in (2 * receiver, 2 * receiver + 1)
        ]
        joined = np.concatenate(slices)
        expected[receiver, : len(joined)] = joined
    numbers = [x.astype(np.int32) for x in (starts, sent, places, received)]
    exchange = dt.vmap(functools.partial(lax.ragged_all_to_all, axis_name="i"), axis_name="i")
    output = np.full_like(expected, -1)
    np.testing.assert_array_equal(exchange(rows, output, *numbers), expected)
    check_grads(lambda rows: exchange(rows, output, *numbers), (rows,), 1, ("rev",), 1e-2, 1e-2)


def test_wrong_ragged_slices() -> None:
    x, numbers = np.zeros((3, 4), np.float32), np.zeros((3, 3), np.int32)

    def exchange(*operands: Any) -> Any:
        return over(functools.partial(lax.ragged_all_to_all, axis_name="i"), *operands)

    with pytest.raises(ValueError, match="input_offsets must be integer type"):
        exchange(x, x, x, numbers, numbers, numbers)
    with pytest.raises(ValueError, match="send_sizes must have the shape of input_offsets"):
        exchange(x, x, numbers, np.zeros((3, 6), np.int32), numbers, numbers)
    with pytest.raises(ValueError, match="must be divisible by the size of the axes, 3"):
        exchange(x, x, *[np.zeros((3, 4), np.int32)] * 4)
    with pytest.raises(ValueError, match="input and output shapes must be equal, except"):
        exchange(x, np.zeros((3, 4), np.int32), *[numbers] * 4)


def test_values_are_not_known() -> None:
    for f in (lambda: lax.axis_index("i"), dt.jit(lambda: lax.axis_index("i"))):
        with pytest.raises(ConcretizationTypeError, match="without a value while `vmap` traces"):
            over(lambda x, f=f: x if f() > 0 else -x, X)
