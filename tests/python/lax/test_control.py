"""Loops and branches: values against plain Python, types of carries, errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optree
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from support.control_plain import LIBRARY
from support.control_programs import FORMS, PROGRAMS

# Each form, with its compiled form if it has one.
COMPILED = [
    "scan",
    "reverse_scan",
    "fori",
    "fori_traced",
    "while_loop",
    "bounded_while",
    "cond",
    "switch",
    "mapped",
    "associative",
    "while_loop of cond of scan",
    "switch of mapped of reverse_scan",
    "trees",
    "integers_beside",
    "no_steps",
    "complex_carry",
    "each_row_its_branch",
    "batch_of_whiles",
    "unrolled",
    "descent",
]


def assert_same(actual: Any, expected: Any, rtol: float = 1e-7) -> None:
    ours, theirs = optree.tree_leaves(actual), optree.tree_leaves(expected)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(np.asarray(one), other, rtol=rtol, atol=rtol)


def expected(name: str) -> Any:
    return PROGRAMS[name].function(LIBRARY, *PROGRAMS[name].args)


@pytest.mark.parametrize("name", PROGRAMS)
def test_value(name: str) -> None:
    with config.enable_x64(True):
        assert_same(PROGRAMS[name].function(dt, *PROGRAMS[name].args), expected(name))


@pytest.mark.parametrize("name", PROGRAMS)
def test_value_without_ops(name: str) -> None:
    with config.enable_x64(True), config.disable_jit(True):
        assert_same(PROGRAMS[name].function(dt, *PROGRAMS[name].args), expected(name))


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_value(name: str) -> None:
    compiled = dt.jit(lambda *args: PROGRAMS[name].function(dt, *args))
    assert_same(compiled(*PROGRAMS[name].args), expected(name), rtol=2e-5)


@pytest.mark.parametrize("name", FORMS)
def test_compiled_gradient(name: str) -> None:
    program = PROGRAMS[name]
    points = [x.astype("float32") for x in program.points]

    def loss(*points: Any) -> Any:
        return sum(dnp.sum(out * out) for out in program.smooth(dt, *points))

    gradient = dt.grad(loss, (0, 1))
    assert_same(dt.jit(gradient)(*points), gradient(*points), rtol=2e-5)


# Sizes ----------------------------------------------------------------------------------------


@given(st.integers(0, 7), st.integers(0, 9), st.booleans())
@settings(max_examples=60)
def test_unrolled_scan_is_the_scan(length: int, unroll: int, reverse: bool) -> None:
    xs = dnp.arange(2.0 * length).reshape(length, 2)

    def step(c: Any, x: Any) -> Any:
        return c * 0.5 + x, (c, {"x": x[0] * 2})

    whole = lax.scan(step, dnp.ones(2), xs, reverse=reverse)
    assert_same(lax.scan(step, dnp.ones(2), xs, reverse=reverse, unroll=unroll), whole)


@given(st.integers(0, 17), st.sampled_from([0, 1, -1]), st.booleans())
@settings(max_examples=60)
def test_associative_scan_of_any_size(size: int, axis: int, reverse: bool) -> None:
    shape = [2, 2]
    shape[axis] = size
    slopes, values = np.random.default_rng(size).normal(size=(2, *shape)).astype("float32")

    def compose(f: Any, g: Any) -> Any:
        return {"slope": f["slope"] * g["slope"], "value": g["slope"] * f["value"] + g["value"]}

    elems = {"slope": slopes, "value": values}
    ours = lax.associative_scan(compose, elems, reverse=reverse, axis=axis)
    if size:
        theirs = LIBRARY.lax.associative_scan(compose, elems, reverse=reverse, axis=axis)
        assert_same(ours, theirs, rtol=1e-4)
    else:
        assert ours["slope"].shape == tuple(shape)


@given(st.integers(0, 7), st.integers(0, 9))
@settings(max_examples=40)
def test_map_in_batches_is_the_map(length: int, batch_size: int) -> None:
    xs = {"a": dnp.arange(float(length)), "b": dnp.ones((length, 2))}

    def row(x: Any) -> Any:
        return x["a"] * x["b"], {"sum": x["b"].sum()}

    assert_same(lax.map(row, xs, batch_size=batch_size), lax.map(row, xs))


def test_negative_zeros_stay() -> None:
    zeros = lax.associative_scan(lambda x, y: y, dnp.full(5, -0.0))
    assert np.signbit(zeros).all()


# Types -------------------------------------------------------------------------------------------

BF16 = dnp.ones((), "bfloat16")
F32 = dnp.ones((), "float32")


def kinds(tree: Any) -> list[tuple[str, bool]]:
    return [(leaf.dtype.name, leaf.weak_type) for leaf in optree.tree_leaves(tree)]


# The types that JAX returns, and whether they are weak.
TYPES: list[tuple[Callable[[], Any], list[tuple[str, bool]]]] = [
    (
        lambda: lax.scan(lambda c, x: (c + x, c), 0, dnp.arange(3.0)),
        [("float32", False), ("float32", False)],
    ),
    (
        lambda: lax.scan(lambda c, x: (c + x, c), 0.0, dnp.arange(3.0)),
        [("float32", False), ("float32", True)],
    ),
    (
        lambda: lax.scan(lambda c, x: (c + x, c), 0.0, dnp.arange(3, dtype="bfloat16")),
        [("bfloat16", False), ("bfloat16", False)],
    ),
    (
        lambda: lax.scan(lambda c, x: (1.0, c), F32, None, 3),
        [("float32", True), ("float32", False)],
    ),
    (lambda: lax.while_loop(lambda c: c < 3, lambda c: c + 1.0, 0), [("float32", False)]),
    (lambda: lax.while_loop(lambda c: False, lambda c: c + 1.0, 0), [("float32", False)]),
    (lambda: lax.fori_loop(0, 3, lambda i, c: i, 0), [("int32", True)]),
    (lambda: lax.fori_loop(np.int8(0), 3, lambda i, c: i, 0), [("int32", True)]),
    (lambda: lax.fori_loop(0, 3, lambda i, c: c + i, 0.0), [("float32", True)]),
    (
        lambda: dt.jit(lambda n: lax.fori_loop(0, n, lambda i, c: i, 0))(np.int16(3)),
        [("int16", False)],
    ),
    (lambda: lax.cond(True, lambda x: 1.0, lambda x: x, F32), [("float32", False)]),
    (lambda: lax.cond(True, lambda x: x, lambda x: 1.0, F32), [("float32", True)]),
    (lambda: lax.cond(True, lambda: 2.0, lambda: 1.0), [("float32", True)]),
    (lambda: lax.switch(np.uint8(200), [lambda: 1, lambda: 2]), [("int32", True)]),
    (lambda: lax.map(lambda x: 2 * x, dnp.arange(3, dtype="int8")), [("int8", False)]),
    # Where JAX raises an error.
    (lambda: lax.cond(True, lambda x: 1.0, lambda x: x, BF16), [("bfloat16", False)]),
    (lambda: lax.cond(True, lambda x: x, lambda x: 1, F32), [("float32", False)]),
    (lambda: lax.switch(2, [lambda: 1, lambda: 2.0, lambda: BF16]), [("bfloat16", False)]),
]


@pytest.mark.parametrize("i", range(len(TYPES)))
def test_types(i: int) -> None:
    call, wanted = TYPES[i]
    assert kinds(call()) == wanted


def test_weak_types_take_as_many_steps_as_they_need() -> None:
    def step(carry: Any, _: Any) -> Any:
        return (*carry[1:], F32), None

    carry, _ = lax.scan(step, (0, 0, 0), None, 1)
    assert kinds(carry) == [("float32", False)] * 3
    assert [float(x) for x in carry] == [0, 0, 1]


# Numbers of calls, and known values ---------------------------------------------------------------


def test_bound_of_steps() -> None:
    def double(bound: int) -> Any:
        return lax.while_loop(lambda x: x < 100, lambda x: 2 * x, 3, max_steps=bound)

    for disable_jit in (False, True):
        with config.disable_jit(disable_jit):
            assert [int(double(bound)) for bound in (0, 2, 5, 6, 9)] == [3, 12, 96, 192, 192]
    # Weakly typed carries are promoted as in other loops.
    grown = lax.while_loop(lambda x: x < 3, lambda x: x + 1.0, 0, max_steps=9)
    assert kinds(grown) == [("float32", False)]
    assert float(grown) == 3.0


def test_python_predicate_is_traced_too() -> None:
    called = []
    lax.cond(True, lambda: called.append("true"), lambda: called.append("false"))
    assert sorted(called) == ["false", "true"]


def test_one_function_is_called() -> None:
    assert lax.switch(7, [lambda x: x], "any object") == "any object"


def test_body_is_traced_once() -> None:
    called = []

    def body(c: Any, x: Any) -> Any:
        called.append(x)
        return c + x, c

    lax.scan(body, dnp.zeros(2), dnp.ones((5, 2)), unroll=2)
    assert len(called) == 1


def test_without_ops_only_taken_branches_run() -> None:
    with config.disable_jit(True):
        assert lax.cond(True, lambda: 1, lambda: 1 / 0) == 1
        assert lax.fori_loop(0, 3, lambda i, c: [*c, i], []) == [0, 1, 2]
        # Reverse mode then needs no memory of a fixed size.
        gradient = dt.grad(lambda x: lax.while_loop(lambda y: y < 10, lambda y: y * y, x))(2.0)
        assert float(gradient) == 32.0
        # Each element has its own number of steps: this one becomes an op.
        counts = dt.vmap(lambda n: lax.while_loop(lambda y: y < 10, lambda y: y + n, n))
        np.testing.assert_array_equal(counts(dnp.array([3, 4, 11])), [12, 12, 11])


def test_the_value_of_a_known_closure_may_be_requested() -> None:
    def f(x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda i, c: c * x if float(x) > 0 else c, 1.0)

    assert float(dt.grad(f)(2.0)) == 12.0


def test_functions_that_transform_functions_of_one_name() -> None:
    def squares(c: Any) -> Any:
        return dt.jvp(lambda y: y * y, (c,), (c,))[1]

    assert float(lax.cond(True, squares, lambda c: c * 3, 5.0)) == 50.0
    doubled = lax.while_loop(lambda c: c < 9, lambda c: dt.grad(lambda y: y * y)(c), 1.0)
    assert float(doubled) == 16.0


def test_float0_leaves() -> None:
    nothing = np.zeros((), dt.dtypes.float0)

    def step(carry: Any, x: Any) -> Any:
        gradient = dt.grad(lambda x, n: x * n, (0, 1), allow_int=True)(x, 2)
        return (carry[0] + gradient[0], carry[1]), gradient

    carry, outs = lax.scan(step, (0.0, nothing), dnp.arange(3.0))
    assert float(carry[0]) == 6.0
    assert carry[1].dtype == outs[1].dtype == dt.dtypes.float0
    assert carry[1].shape == ()
    assert outs[1].shape == (3,)


def test_bounds_of_integer_types() -> None:
    assert int(lax.fori_loop(np.uint8(250), np.uint8(255), lambda i, c: c + i, 0)) == 1260
    with config.enable_x64(True):
        big = 2**40
        assert int(lax.fori_loop(big, big + 2, lambda i, c: c + i, 0)) == 2 * big + 1


def test_older_order_of_arguments() -> None:
    old: Any = lax.cond
    assert float(old(False, 1.0, lambda x: x + 1, 5.0, lambda x: x * 2)) == 10.0


# Errors ------------------------------------------------------------------------------------------

ONE = dnp.ones((), "float32")
PAIR = {"a": ONE, "b": ONE}


# The arguments have wrong types.
loose: Any = lax


def looped(carry: Any, x: Any) -> Any:
    return {"a": carry["a"].astype("int32"), "b": dnp.ones(3)}, None


def rebuilt(carry: Any, x: Any) -> Any:
    return {"a": carry["a"], "b": (carry["b"],)}, None


def unpaired(carry: Any, x: Any) -> Any:
    return carry


def first(x: Any) -> Any:
    return {"a": x, "b": (x,)}


def second(x: Any) -> Any:
    return {"a": dnp.ones(3), "b": (dnp.ones(2, "int32"),)}


# The call, the error, and pieces of its message in order.
ERRORS: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "scan types": (
        lambda: loose.scan(looped, PAIR, None, 3),
        TypeError,
        "scan body function carry input and carry output must have equal types, but they differ:…"
        "component carry['a'] has type float32[] but …int32…dtypes do not match;…component "
        "carry['b'] has type float32[] but…float32[3], so the shapes do not match.…computed at "
        "…test_control.py:…Convert or reshape what `looped` returns",
    ),
    "scan structure": (
        lambda: loose.scan(rebuilt, PAIR, None, 3),
        TypeError,
        "must have the same pytree structure, but they differ:…The input carry component "
        "carry['b'] is a pytree leaf but …output is a <class 'tuple'>, so their Python types differ"
        "…the same containers from `rebuilt`",
    ),
    "scan keys": (
        lambda: loose.scan(lambda c, x: ({"a": ONE}, None), PAIR, None, 3),
        TypeError,
        "The input carry c is a <class 'dict'> with 2 children but…<class 'dict'> with 1 child, so"
        "…symmetric difference of key sets: {'b'}",
    ),
    "scan weak type": (
        lambda: loose.scan(lambda c, x: (1.0, c), BF16, None, 3),
        TypeError,
        "carry c has type bfloat16[] but…has type float32[], so the dtypes do not match",
    ),
    "scan pair": (
        lambda: loose.scan(unpaired, ONE, None, 3),
        TypeError,
        "scan body output must be a pair, got float32[]",
    ),
    "scan triple": (
        lambda: loose.scan(lambda c, x: (c, c, c), ONE, None, 3),
        TypeError,
        "pair…a tuple of 3",
    ),
    "scan sizes": (
        lambda: loose.scan(lambda c, x: (c, x), ONE, (dnp.ones(3), dnp.ones(4))),
        ValueError,
        "different leading axis sizes: 3, 4",
    ),
    "scan length": (
        lambda: loose.scan(lambda c, x: (c, x), ONE, dnp.ones(3), 4),
        ValueError,
        "argument of 4 which disagrees with leading axis sizes [3]",
    ),
    "scan negative length": (
        lambda: loose.scan(lambda c, x: (c, x), ONE, None, -1),
        ValueError,
        "length must not be negative, got: -1",
    ),
    "scan no length": (
        lambda: loose.scan(lambda c, x: (c, x), ONE),
        ValueError,
        "no values to scan over and `length` not provided",
    ),
    "scan traced length": (
        lambda: dt.jit(lambda n: loose.scan(lambda c, x: (c, x), ONE, None, n))(3),
        dt.errors.ConcretizationTypeError,
        "`length` argument to `scan` expects a concrete `int` value…`n`…lax.fori_loop",
    ),
    "scan scalar": (
        lambda: loose.scan(lambda c, x: (c, x), ONE, 1.0),
        ValueError,
        "no leading axis to scan over: float32[]",
    ),
    "scan text": (
        lambda: loose.scan(lambda c, x: (c, x), "abc", None, 3),
        TypeError,
        "at path c…'abc'",
    ),
    "scan text xs": (lambda: loose.scan(lambda c, x: (c, x), ONE, "abc"), TypeError, "'abc'"),
    "scan output": (lambda: loose.scan(lambda c, x: (c, "y"), ONE, None, 3), TypeError, "got: 'y'"),
    "scan function": (
        lambda: loose.scan(3, ONE, None, 3),
        TypeError,
        "f should be callable, got: 3",
    ),
    "scan unroll": (
        lambda: loose.scan(lambda c, x: (c, x), ONE, None, 3, unroll=-1),
        ValueError,
        "`unroll` must be 0 or more, got: -1",
    ),
    "scan unroll type": (
        lambda: loose.scan(lambda c, x: (c, x), ONE, None, 3, unroll=2.5),
        TypeError,
        "unroll must be an int or a bool, got: 2.5",
    ),
    "scan value": (
        lambda: loose.scan(lambda c, x: (c if c > 0 else -c, x), ONE, None, 3),
        dt.errors.TracerBoolConversionError,
        "depends on `c`, at … while `scan` traces `<lambda>`",
    ),
    "while condition": (
        lambda: loose.while_loop(lambda c: c > 0, lambda c: c, dnp.ones(3)),
        TypeError,
        "but got output type(s) [ShapedArray(bool[3])]",
    ),
    "while number": (
        lambda: loose.while_loop(lambda c: c, lambda c: c, ONE),
        TypeError,
        "must return a boolean scalar, but got output type(s) [ShapedArray(float32[])]",
    ),
    "while tree": (
        lambda: loose.while_loop(lambda c: (c > 0,), lambda c: c, ONE),
        TypeError,
        "must return a boolean scalar, but got pytree",
    ),
    "while structure": (
        lambda: loose.while_loop(lambda c: c[0] < 3, lambda c: c[0], (ONE, ONE)),
        TypeError,
        "while_loop body function…input carry c is a <class 'tuple'> but…is a pytree leaf, so",
    ),
    "while types": (
        lambda: loose.while_loop(lambda c: c[0] < 3, lambda c: (c[0], c[0] > 0), (ONE, ONE)),
        TypeError,
        "while_loop body…component c[1] has type float32[] but…has type bool[], so",
    ),
    "while function": (
        lambda: loose.while_loop(None, lambda c: c, ONE),
        TypeError,
        "cond_fun should be callable, got: None",
    ),
    "while bound": (
        lambda: loose.while_loop(lambda c: c < 3, lambda c: c, ONE, max_steps=-1),
        ValueError,
        "max_steps must not be negative, got: -1",
    ),
    "fori types": (
        lambda: loose.fori_loop(0, 3, lambda i, total: total + 1j, ONE),
        TypeError,
        "fori_loop body…carry total has type float32[] but…has type complex64[], so",
    ),
    "fori traced types": (
        lambda: dt.jit(lambda n: loose.fori_loop(0, n, lambda i, total: total + 1j, ONE))(3),
        TypeError,
        "fori_loop body…carry total has type float32[] but…has type complex64[], so",
    ),
    "fori bounds": (
        lambda: loose.fori_loop(0, 3.0, lambda i, c: c, ONE),
        TypeError,
        "must have equal types, got: int32 and float32",
    ),
    "fori unsigned": (
        lambda: loose.fori_loop(0, np.uint8(3), lambda i, c: c, ONE),
        TypeError,
        "must have equal types, got: int32 and uint8",
    ),
    "fori rank": (
        lambda: loose.fori_loop(0, dnp.arange(2), lambda i, c: c, ONE),
        TypeError,
        "upper must have rank 0, got: int32[2]",
    ),
    "fori unroll": (
        lambda: dt.jit(lambda n: loose.fori_loop(0, n, lambda i, c: c, ONE, unroll=2))(3),
        ValueError,
        "if the loop bounds are statically known, got: unroll=2",
    ),
    "fori function": (
        lambda: loose.fori_loop(0, 3, 2, ONE),
        TypeError,
        "body_fun should be callable, got: 2",
    ),
    "cond types": (
        lambda: loose.cond(True, first, second, ONE),
        TypeError,
        "cond branches must have equal output types but they differ:…the output of true_fun at "
        "path ['a'] has type float32[] but the corresponding output of false_fun has type "
        "float32[3]…at path ['b'][0] has type float32[] but…false_fun has type int32[2], so the "
        "dtypes do not match, and…true_fun is `first` of …test_control.py:…false_fun is `second` "
        "of …convert with",
    ),
    "cond structure": (
        lambda: loose.cond(True, lambda x: (x, x), lambda x: [x, x], ONE),
        TypeError,
        "cond branch outputs must have the same pytree structure, but they differ:…true_fun output "
        "is a <class 'tuple'> but false_fun output is a <class 'list'>, so their Python types",
    ),
    "cond nothing": (
        lambda: loose.cond(True, lambda x: None, lambda x: x, ONE),
        TypeError,
        "true_fun output is None but false_fun output is a pytree leaf",
    ),
    "cond none": (lambda: loose.cond(None, first, first, ONE), TypeError, "cond predicate is None"),
    "cond vector": (
        lambda: loose.cond(dnp.ones(3) > 0, first, first, ONE),
        TypeError,
        "Pred must be a scalar, got bool[3]; use vmap, or …where",
    ),
    "cond list": (
        lambda: loose.cond([True], first, first, ONE),
        TypeError,
        "Pred must be a scalar, got [True] of type <class 'list'>",
    ),
    "cond text": (
        lambda: loose.cond("a", first, first, ONE),
        TypeError,
        "Pred must be a scalar, got a of type <class 'str'>",
    ),
    "cond complex": (
        lambda: loose.cond(1j, first, first, ONE),
        TypeError,
        "Pred type must be either boolean or number, got complex64[]",
    ),
    "cond function": (
        lambda: loose.cond(True, 1, first, ONE),
        TypeError,
        "true_fun should be callable, got: 1",
    ),
    "cond operands": (
        lambda: loose.cond(True, first, first, ONE, operand=ONE),
        TypeError,
        "by position or as operand=",
    ),
    "cond operand": (
        lambda: loose.cond(True, first, first, "s"),
        TypeError,
        "to `first`…'s'",
    ),
    "switch nothing": (lambda: loose.switch(0, []), ValueError, "Empty branch sequence"),
    "switch float": (
        lambda: loose.switch(0.5, [first, first], ONE),
        TypeError,
        "Index type must be an integer, got float32[]",
    ),
    "switch bool": (
        lambda: loose.switch(True, [first, first], ONE),
        TypeError,
        "Index type must be an integer, got bool[]",
    ),
    "switch vector": (
        lambda: loose.switch(dnp.arange(2), [first, first], ONE),
        TypeError,
        "Branch index must be scalar, got int32[2]",
    ),
    "switch types": (
        lambda: loose.switch(0, [first, first, second], ONE),
        TypeError,
        "branch 0 at path ['a'] has type float32[] but the…branch 2 has type float32[3]",
    ),
    "switch function": (
        lambda: loose.switch(0, [first, 3], ONE),
        TypeError,
        "branch 1 should be callable, got: 3",
    ),
    "map nothing": (
        lambda: loose.map(lambda x: x, None),
        ValueError,
        "no values to scan over and `length` not provided",
    ),
    "map batches": (
        lambda: loose.map(lambda x: x, dnp.ones(3), batch_size=-1),
        ValueError,
        "batch_size must not be negative, got: -1",
    ),
    "associative sizes": (
        lambda: loose.associative_scan(lambda a, b: a, (dnp.ones(2), dnp.ones(3))),
        ValueError,
        "sizes along axis 0 must be equal, got: 2, 3",
    ),
    "associative axis": (
        lambda: loose.associative_scan(dnp.add, dnp.ones(2), axis=1),
        ValueError,
        "axis 1 is out of bounds",
    ),
    "associative scalar": (
        lambda: loose.associative_scan(dnp.add, ONE),
        ValueError,
        "axis 0 is out",
    ),
    "associative nothing": (
        lambda: loose.associative_scan(dnp.add, ()),
        ValueError,
        "at least one array, got: none",
    ),
    "associative types": (
        lambda: loose.associative_scan(lambda a, b: (a + b).sum(), dnp.ones(5)),
        TypeError,
        "must return the types that it takes, got: float32[] for `elems`, which is float32[2]",
    ),
    "associative tree": (
        lambda: loose.associative_scan(lambda a, b: (a, b), dnp.ones(5)),
        TypeError,
        "a <class 'tuple'> for `elems`, which is a pytree leaf",
    ),
    "associative function": (
        lambda: loose.associative_scan(3, ONE),
        TypeError,
        "fn should be callable, got: 3",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_error(case: str) -> None:
    call, error, message = ERRORS[case]
    with pytest.raises(error) as raised:
        call()
    text = str(raised.value)
    position = 0
    for piece in message.split("…"):
        position = text.find(piece.strip(), position)
        assert position >= 0, f"no {piece.strip()!r} in: {text}"
    # The user's line.
    assert f"{Path(__file__).name}:" in text, text


def test_program_goes_on_after_an_error() -> None:
    with pytest.raises(TypeError):
        lax.scan(looped, PAIR, None, 3)
    assert float(dnp.sin(ONE)) == pytest.approx(np.sin(1.0))
