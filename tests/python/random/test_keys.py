"""Keys: their contents, key arrays in Python and under transforms, reuse, settings."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, dtypes, lax, random

GENERATORS = ("threefry2x32", "threefry4x32", "philox2x32", "philox4x32", "rbg", "unsafe_rbg")


def words(keys: Any) -> np.ndarray:
    return np.asarray(random.key_data(keys))


def same(a: Any, b: Any) -> bool:
    return a.dtype == b.dtype and np.array_equal(words(a), words(b))


@pytest.fixture
def keys() -> Any:
    return random.split(random.key(0), (2, 3))


# Making keys ----------------------------------------------------------------------------------


@pytest.mark.parametrize("x64", [False, True])
def test_seeds(x64: bool) -> None:
    with config.enable_x64(x64):
        cases: list[tuple[Any, int]] = [
            (0, 0),
            (42, 42),
            (-1, -1 if x64 else 2**32 - 1),
            (2**40 + 7, 2**40 + 7 if x64 else 7),
            (np.int8(-3), -3 % 2**32),
            (np.uint32(2**31 + 5), 2**31 + 5),
            (np.int32(-7), -7 % 2**32),
            (dnp.asarray(11), 11),
            (True, 1),
        ]
        for seed, number in cases:
            number %= 2**64
            assert_array_equal(words(random.key(seed)), [number >> 32, number % 2**32])
            assert_array_equal(random.PRNGKey(seed), [number >> 32, number % 2**32])
            if not isinstance(seed, int):
                assert same(dt.jit(random.key)(seed), random.key(seed))


def test_seeds_are_mapped() -> None:
    many = dt.vmap(random.key)(dnp.arange(3))
    assert many.shape == (3,)
    assert same(many[2], random.key(2))


@pytest.mark.parametrize("name", GENERATORS)
def test_generators(name: str) -> None:
    key = random.key(1, impl=name)
    assert random.key_impl(key) == name
    assert (
        key.dtype == random.key_dtype(name) != random.key_dtype(GENERATORS[name == GENERATORS[0]])
    )
    assert same(random.key(1, dtype=key.dtype), key)
    assert same(random.wrap_key_data(words(key), impl=name), key)
    children = random.split(key, 50)
    assert len({tuple(row) for row in words(children).tolist()}) == 50
    folded = dt.vmap(lambda i: random.fold_in(key, i))(dnp.arange(50))
    assert len({tuple(row) for row in words(folded).tolist()}) == 50
    assert folded.dtype == key.dtype
    samples = np.asarray(random.bits(key, (3, 4000)))
    assert len(np.unique(samples)) > 11_990
    mean = np.asarray(random.uniform(children[3], (4000,))).mean()
    assert abs(mean - 0.5) < 5 * np.sqrt(1 / 12 / 4000)
    compiled = dt.jit(lambda key: (random.bits(key, (7,), "uint16"), random.split(key)))
    bits, pair = compiled.lower(key).compile()(key)
    assert_array_equal(bits, random.bits(key, (7,), "uint16"))
    assert same(pair, random.split(key))


def test_bits_of_64() -> None:
    with config.enable_x64(True):
        for name in GENERATORS:
            x = np.asarray(random.bits(random.key(0, impl=name), (1000,)))
            assert x.dtype == np.uint64
            ones = np.unpackbits(x.view(np.uint8)).reshape(1000, 64).mean(0)
            assert abs(ones - 0.5).max() < 6 * 0.5 / np.sqrt(1000)


def test_older_numbers() -> None:
    key = random.key(3)
    with config.threefry_partitionable(False):
        # Halves of a sequence are the two words.
        assert_array_equal(words(random.split(key, 3)).ravel(), random.bits(key, (6,), "uint32"))
        bits = np.asarray(random.bits(key, (5,), "uint32"))
        low = np.asarray(random.bits(key, (18,), "uint8"))
        assert_array_equal(low[:16], bits[:4].view(np.uint8) if low[0] == bits[0] % 256 else [])
        mapped = dt.vmap(lambda key: random.bits(key, (3,)))(random.split(key))
        assert_array_equal(mapped[1], random.bits(random.split(key)[1], (3,)))
        compiled = dt.jit(lambda key: random.bits(key, (5,), "uint32"))(key)
        assert_array_equal(compiled, bits)
    assert not np.array_equal(compiled, random.bits(key, (5,), "uint32"))


def test_fold_in() -> None:
    key = random.key(0)
    assert same(random.fold_in(key, 5), random.fold_in(key, np.int32(5)))
    assert same(random.fold_in(key, 2**32 - 1), random.fold_in(key, np.int32(-1)))
    assert not same(random.fold_in(key, 5), random.fold_in(key, 6))
    assert isinstance(random.fold_in(random.PRNGKey(0), 5), dt.Array)


def test_raw_keys() -> None:
    raw, typed = random.PRNGKey(7), random.key(7)
    assert raw.dtype == np.uint32
    assert_array_equal(random.split(raw, 3), words(random.split(typed, 3)))
    assert_array_equal(random.normal(raw, (3,)), random.normal(typed, (3,)))
    assert_array_equal(random.normal(np.asarray(raw), (3,)), random.normal(typed, (3,)))
    assert_array_equal(random.clone(raw), raw)
    assert random.key_impl(raw) == "threefry2x32"
    assert dt.vmap(random.bits)(random.split(raw, 4)).shape == (4,)


# As arrays ------------------------------------------------------------------------------------


def test_attributes(keys: Any) -> None:
    assert (keys.shape, keys.ndim, keys.size, len(keys)) == ((2, 3), 2, 6, 2)
    assert (keys.itemsize, keys.nbytes, str(keys.dtype)) == (8, 48, "key<fry>")
    assert isinstance(keys, dt.Array)
    assert dtypes.issubdtype(keys.dtype, dtypes.prng_key)
    assert dtypes.issubdtype(keys.dtype, dtypes.extended)
    assert not dtypes.issubdtype(keys.dtype, np.integer)
    assert not dtypes.issubdtype(np.dtype("uint32"), dtypes.prng_key)
    assert repr(random.key(5)) == "Array((), dtype=key<fry>) overlaying:\n[0 5]"
    assert keys.block_until_ready() is keys
    assert keys.devices() == keys._data.devices()
    assert not keys.is_deleted()
    assert keys.aval.shape == (2, 3)


INDICES: list[Any] = [
    0,
    -1,
    (1, 2),
    (..., 0),
    (slice(None), slice(1, None)),
    None,
    (None, ..., 1),
    ([0, 1], [1, 2]),
    (slice(None, None, -1), np.array([0, 2])),
    np.array([[True, False, True], [False, True, False]]),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing(keys: Any, index: Any) -> None:
    index = (
        tuple(np.array(i) if isinstance(i, list) else i for i in index)
        if isinstance(index, tuple)
        else index
    )
    numbers = np.arange(6).reshape(2, 3)[index]
    expected = words(keys).reshape(6, 2)[numbers]
    assert keys[index].shape == numbers.shape
    assert_array_equal(words(keys[index]), expected)


REARRANGED: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape(3, 2),
    "reshape_rest": lambda x: x.reshape((-1, 1)),
    "columns": lambda x: x.reshape(-1, order="F"),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "T": lambda x: x.T,
    "transpose": lambda x: x.transpose((1, 0)),
    "swapaxes": lambda x: x.swapaxes(0, -1),
    "squeeze": lambda x: x[:, :1].squeeze(-1),
    "take": lambda x: x.take(np.array([2, 0]), axis=1),
    "copy": lambda x: x.copy(),
    "set": lambda x: x.at[0].set(x[1]),
    "set_last": lambda x: x.at[..., -1].set(x[0, 0]),
    "get": lambda x: x.at[1, :2].get(),
}


@pytest.mark.parametrize("name", REARRANGED)
@pytest.mark.parametrize("impl", ["threefry2x32", "philox2x32"])
def test_rearranging(name: str, impl: str) -> None:
    keys = random.split(random.key(0, impl=impl), (2, 3))
    numbers = np.asarray(REARRANGED[name](dnp.arange(6).reshape(2, 3)))
    expected = words(keys).reshape(6, -1)[numbers]
    assert_array_equal(words(REARRANGED[name](keys)), expected)
    assert_array_equal(words(dt.jit(REARRANGED[name])(keys)), expected)


def test_iteration_and_comparison(keys: Any) -> None:
    assert [row.shape for row in keys] == [(3,), (3,)]
    key, subkey = random.split(random.key(1))
    assert bool(key == key.copy())
    assert bool(key != subkey)
    assert_array_equal(keys == keys[0], [[True] * 3, [False] * 3])
    assert (key == 1) is False


def test_pickles_and_copies(keys: Any) -> None:
    assert same(pickle.loads(pickle.dumps(keys)), keys)
    assert copy.deepcopy(keys) is keys
    assert copy.copy(keys) is keys


def test_leaves(keys: Any) -> None:
    tree = {"a": keys, "b": [keys[0]]}
    assert dt.tree.leaves(tree)[0] is keys
    drawn = dt.tree.map(lambda key: random.bits(key[0, 0] if key.ndim == 2 else key[0]), tree)
    assert drawn["a"] == drawn["b"][0]


# Under transforms -----------------------------------------------------------------------------


def test_jit(keys: Any) -> None:
    out = dt.jit(lambda tree: {"keys": tree["keys"][0], "x": tree["x"] + 1})({"keys": keys, "x": 1})
    assert same(out["keys"], keys[0])
    key = random.key(0)
    compiled = dt.jit(random.split).lower(key).compile()
    assert same(compiled(key), random.split(key))


def test_axes_of_batches(keys: Any) -> None:
    for axis in (0, 1, -1, -2):
        bits = dt.vmap(lambda row: dt.vmap(random.bits)(row), in_axes=axis)(keys)
        every = np.asarray([[random.bits(key) for key in row] for row in keys])
        assert_array_equal(bits, every if axis in (0, -2) else every.T)
        moved = dt.vmap(lambda row: row, in_axes=axis, out_axes=-1)(keys)
        assert same(moved, keys.T if axis in (0, -2) else keys)
    nested = dt.vmap(lambda tree: tree["key"], in_axes=({"key": -1},), out_axes=-2)({"key": keys})
    assert same(nested, keys.T)
    with pytest.raises(TypeError, match=r"uint32\[..., 2\], got: uint32\[3\]"):
        dt.vmap(random.bits, in_axes=1)(keys[0])


def test_loops() -> None:
    key = random.key(3)

    def step(key: Any, _: Any) -> Any:
        key, subkey = random.split(key)
        return key, random.normal(subkey)

    last, drawn = lax.scan(step, key, length=3)
    expected = []
    for _ in range(3):
        key, x = step(key, None)
        expected.append(float(x))
    np.testing.assert_allclose(drawn, expected, rtol=1e-6)
    assert same(last, key)
    rows = lax.scan(lambda c, key: (c, random.bits(key)), 0, random.split(key, 4))[1]
    assert_array_equal(rows, dt.vmap(random.bits)(random.split(key, 4)))
    assert_array_equal(lax.map(random.bits, random.split(key, 4)), rows)

    def body(state: Any) -> Any:
        i, key = state
        return i + 1, random.fold_in(key, i)

    _, folded = lax.while_loop(lambda state: state[0] < 2, body, (0, key))
    assert same(folded, random.fold_in(random.fold_in(key, 0), 1))
    chosen = lax.cond(True, lambda key: random.split(key)[1], lambda key: key, key)
    assert same(chosen, random.split(key)[1])
    counted = lax.fori_loop(0, 2, random_step, key)
    assert same(counted, random.split(random.split(key)[0])[0])
    with pytest.raises(
        TypeError, match="carry input and carry output must have the same pytree structure"
    ):
        lax.scan(lambda key, _: (random.bits(key), None), key, length=2)


def random_step(i: Any, key: Any) -> Any:
    return random.split(key)[0]


def test_derivatives() -> None:
    key = random.key(0)

    def loss(x: Any, key: Any) -> Any:
        return (x * random.normal(key, (3,))).sum()

    expected = float(random.normal(key, (3,)).sum())
    assert dt.grad(loss)(2.0, key) == pytest.approx(expected)
    assert dt.grad(dt.checkpoint(loss))(2.0, key) == pytest.approx(expected)
    assert dt.jvp(lambda x: loss(x, key), (2.0,), (1.0,))[1] == pytest.approx(expected)
    by_x, by_key = dt.vjp(loss, 2.0, key)[1](1.0)
    assert by_x == pytest.approx(expected)
    assert (by_key.dtype, by_key.shape) == (dt.float0, ())
    many = random.split(key, 4)
    rows = dt.vmap(dt.grad(loss), in_axes=(None, 0))(2.0, many)
    np.testing.assert_allclose(rows, [random.normal(k, (3,)).sum() for k in many], rtol=1e-5)

    @dt.custom_vjp
    def noisy(x: Any, key: Any) -> Any:
        return x + random.normal(key)

    noisy.defvjp(lambda x, key: (noisy(x, key), None), lambda _, t: (2 * t, None))
    assert dt.grad(noisy)(1.0, key) == 2


def test_shapes_of_results() -> None:
    pair = dt.eval_shape(random.split, random.key(0))
    assert pair.shape == (2,)
    assert pair.dtype == random.key(0).dtype


def test_exported(tmp_path: Any) -> None:
    # A function in a file takes the words of keys.
    def draw(tree: Any) -> Any:
        key, subkey = random.split(tree["key"])
        return key, random.normal(subkey, (3,))

    key = random.key(5)
    dt.jit(draw).lower({"key": key}).compile().save(tmp_path / "draw.vmfb")
    module = dt.runtime.load(tmp_path / "draw.vmfb")
    next_key, drawn = module.main({"key": words(key)})
    assert_array_equal(next_key, words(draw({"key": key})[0]))
    np.testing.assert_allclose(drawn, draw({"key": key})[1], rtol=1e-6)


# Errors and settings --------------------------------------------------------------------------

# Calls that type checkers reject too.
untyped: Any = random

BAD: list[tuple[str, Callable[[Any], Any], type[Exception], str]] = [
    (
        "float",
        lambda k: untyped.key(1.5),
        TypeError,
        "must be an integer, got: element type float32",
    ),
    (
        "rank",
        lambda k: untyped.key(np.arange(2)),
        TypeError,
        r"accepts a scalar seed, but was given an array of shape \(2,\); .*vmap",
    ),
    (
        "key",
        lambda k: untyped.key(k),
        TypeError,
        "accepts a scalar seed, but was given a PRNG key; use split",
    ),
    (
        "impl",
        lambda k: untyped.key(0, impl="x"),
        ValueError,
        "unrecognized PRNG implementation 'x'. Did you mean one of: 'threefry2x32'",
    ),
    (
        "both",
        lambda k: untyped.key(0, impl="rbg", dtype="rbg"),
        ValueError,
        "Cannot specify both `impl` and `dtype`",
    ),
    (
        "type",
        lambda k: untyped.key(0, impl=3),
        TypeError,
        "unrecognized type int for specifying PRNG implementation",
    ),
    ("fold", lambda k: untyped.fold_in(k, np.arange(2)), TypeError, r"rank 0, got: shape \(2,\)"),
    (
        "several",
        lambda k: untyped.split(untyped.split(k)),
        ValueError,
        "split accepts a single key",
    ),
    (
        "count",
        lambda k: untyped.split(k, 2.5),
        TypeError,
        r"concrete values of integer type, got: \(2.5,\)",
    ),
    (
        "wrap",
        lambda k: untyped.wrap_key_data(np.zeros(3, np.uint32)),
        TypeError,
        r"got: uint32\[3\]",
    ),
    ("signed", lambda k: untyped.wrap_key_data(np.zeros(2, int)), TypeError, r"got: int32\[2\]"),
    ("add", lambda k: k + 1, TypeError, "add needs numbers, got: random keys"),
    ("radd", lambda k: 1 + k, TypeError, "add needs numbers, got: random keys"),
    ("less", lambda k: k < k, TypeError, "lt needs numbers"),
    (
        "numpy",
        lambda k: np.asarray(k),
        TypeError,
        "cannot take an array of random keys; .*key_data",
    ),
    ("bool", lambda k: bool(k), TypeError, "no truth value"),
    ("len", lambda k: len(k), TypeError, r"len\(\) of a key array of rank 0"),
    ("iter", lambda k: list(k), TypeError, "iteration over a key array of rank 0; .*split"),
    (
        "index",
        lambda k: untyped.split(k)[0, 0],
        IndexError,
        "Too many indices: the array of keys is 1-dimensional, but 2 were",
    ),
    ("set", lambda k: untyped.split(k).at[0].set(1), TypeError, r"keys of type key<fry>, got: int"),
    (
        "compare",
        lambda k: k == untyped.key(0, impl="rbg"),
        TypeError,
        "keys of their own generator, got: key<fry> and key<rbg>",
    ),
]


@pytest.mark.parametrize(
    ("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD]
)
def test_bad_input(call: Callable[[Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        call(random.key(0))
    assert __file__ in str(caught.value)


def test_overflow() -> None:
    for number in (-1, 2**32):
        with pytest.raises(OverflowError, match="must fit uint32"):
            random.fold_in(random.key(0), number)
    with pytest.raises(TypeError, match="unhashable"):
        hash(random.key(0))


def test_settings() -> None:
    with config.default_prng_impl("rbg"):
        assert random.key_impl(random.key(0)) == "rbg"
        assert random.PRNGKey(0).shape == (4,)
        assert random.bits(random.PRNGKey(0), (3,)).shape == (3,)
        with pytest.raises(TypeError, match=r"a key of rbg .*uint32\[..., 4\], got: uint32\[2\]"):
            random.bits(np.zeros(2, np.uint32))
    with config.random_seed_offset(10):
        assert same(random.key(1), random.key(1))
        offset = words(random.key(1))
        assert_array_equal(words(random.key(np.int32(1))), offset)
    assert_array_equal(offset, [0, 11])
    with config.enable_custom_prng(True):
        assert dtypes.issubdtype(random.PRNGKey(0).dtype, dtypes.prng_key)
    raw = random.PRNGKey(0)
    with config.legacy_prng_key("error"), pytest.raises(ValueError, match="must be typed while"):
        random.bits(raw)
    with config.legacy_prng_key("warn"), pytest.warns(UserWarning, match="raw array was used"):
        random.bits(raw)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        random.bits(raw)
    with config.high_dynamic_range_gumbel(True):
        wide = random.gumbel(random.key(0), (3,))
    assert_array_equal(wide, random.gumbel(random.key(0), (3,), mode="high"))
    with pytest.raises(ValueError, match="default_prng_impl must be one of"):
        config.update("default_prng_impl", "x")


# XLA's generators -----------------------------------------------------------------------------


def test_states_are_passed_along() -> None:
    state = np.array([1, 2, 2**32 - 2, 4], np.uint32)
    for algorithm in lax.RandomAlgorithm:
        last, bits = lax.rng_bit_generator(state, (40,), algorithm=algorithm)
        half, first = lax.rng_bit_generator(state, (20,), algorithm=algorithm)
        end, second = lax.rng_bit_generator(half, (20,), algorithm=algorithm)
        assert_array_equal(np.concatenate([first, second]), bits)
        # The low word of the counter overflows.
        assert_array_equal(last, end)
        assert int(last[3]) == 5
    with config.enable_x64(True):
        wide = np.array([1 + (2 << 32), 2**32 - 2 + (4 << 32)], np.uint64)
        last, bits = lax.rng_bit_generator(wide, (3, 5), "uint64")
        assert (last.dtype, bits.dtype) == (np.uint64, np.uint64)
        assert_array_equal(np.asarray(last).view(np.uint32)[:2], [1, 2])
    # The words of a counter whose low half has passed its end are those of XLA.
    state = np.array([5, 6, 2**32 - 2, 2**32 - 1], np.uint32)
    _, bits = lax.rng_bit_generator(state, (12,))
    assert_array_equal(bits[8:], [3369663133, 2917692848, 2659525831, 1622086665])
    with pytest.raises(TypeError, match=r"uint32\[4\] or uint64\[2\], got: uint32\[2\]"):
        lax.rng_bit_generator(np.zeros(2, np.uint32), (3,))
    with pytest.raises(TypeError, match=r"must be an unsigned integer type .*got: int32"):
        lax.rng_bit_generator(state, (3,), "int32")


def test_numbers_without_a_key() -> None:
    first, second = (lax.rng_uniform(np.float32(2), np.float32(3), (50,)) for _ in range(2))
    assert not np.array_equal(first, second)
    for x in (first, second):
        assert np.asarray(x).min() >= 2
        assert np.asarray(x).max() < 3
    whole = np.asarray(lax.rng_uniform(np.int32(2), np.int32(5), (50,)))
    assert set(whole.tolist()) == {2, 3, 4}
    with pytest.raises(ValueError, match="one element type, got:"):
        lax.rng_uniform(np.float32(2), np.int32(3), (2,))


# Functions that move elements -----------------------------------------------------------------

MOVED: dict[str, Callable[[Any, Any], Any]] = {
    "stack": lambda n, x: n.stack([x[0], x[1]], 1),
    "stack_last": lambda n, x: n.stack((x, x), axis=-1),
    "concatenate": lambda n, x: n.concatenate([x, x[:1]]),
    "concatenate_last": lambda n, x: n.concatenate([x, x[:, :1]], axis=-1),
    "vstack": lambda n, x: n.vstack([x, x]),
    "append": lambda n, x: n.append(x[0], x[1]),
    "where": lambda n, x: n.where(np.array([True, False, True]), x, x[::-1]),
    "reshape": lambda n, x: n.reshape(x, (3, -1)),
    "ravel": lambda n, x: n.ravel(x),
    "expand_dims": lambda n, x: n.expand_dims(x, -1),
    "squeeze": lambda n, x: n.squeeze(x[:1]),
    "broadcast_to": lambda n, x: n.broadcast_to(x, (2, 2, 3)),
    "transpose": lambda n, x: n.transpose(x),
    "moveaxis": lambda n, x: n.moveaxis(x, 0, -1),
    "take": lambda n, x: n.take(x, np.array([1, 0, 1]), axis=0),
    "tile": lambda n, x: n.tile(x, (2, 1)),
    "repeat": lambda n, x: n.repeat(x, 2, axis=1),
    "roll": lambda n, x: n.roll(x, 1, axis=-1),
    "flip": lambda n, x: n.flip(x, 0),
    "split": lambda n, x: n.split(x, 3, axis=1)[1],
    "array": lambda n, x: n.array([x[0], x[1]]),
    "asarray": lambda n, x: n.asarray(x),
    "a type that is asked for": lambda n, x: n.array(x, x.dtype),
    "broadcast_arrays": lambda n, x: n.broadcast_arrays(x[0], x)[0],
    "broadcast_arrays of numbers": lambda n, x: n.broadcast_arrays(x, np.ones((2, 1, 1)))[0],
    "atleast_3d": lambda n, x: n.atleast_3d(x),
    "block": lambda n, x: n.block([x, x]),
    "column_stack": lambda n, x: n.column_stack([x, x]),
    "dstack": lambda n, x: n.dstack([x, x]),
    "delete": lambda n, x: n.delete(x, 1, axis=1),
    "diagonal": lambda n, x: n.diagonal(x),
    "fliplr": lambda n, x: n.fliplr(x),
    "permute_dims": lambda n, x: n.permute_dims(x, (1, 0)),
    "resize": lambda n, x: n.resize(x, (2, 4)),
    "rot90": lambda n, x: n.rot90(x),
    "select": lambda n, x: n.select([np.array([True, False, True])], [x], x[::-1]),
    "take_along_axis": lambda n, x: n.take_along_axis(x, np.array([[1, 0], [0, 2]]), 1),
    "vsplit": lambda n, x: n.vsplit(x, 2)[1],
    "apply_along_axis": lambda n, x: n.apply_along_axis(lambda row: row[::-1], 1, x),
    "full": lambda n, x: n.full((4,), x[0, 0], dtype=x.dtype),
    "full_like": lambda n, x: n.full_like(x, x[0, 0]),
}


@pytest.mark.parametrize("name", MOVED)
def test_functions_that_move(keys: Any, name: str) -> None:
    numbers = MOVED[name](np, np.arange(6).reshape(2, 3))
    expected = words(keys).reshape(6, 2)[numbers]
    assert_array_equal(words(MOVED[name](dnp, keys)), expected)
    assert_array_equal(words(dt.jit(lambda x: MOVED[name](dnp, x))(keys)), expected)


def test_functions_of_keys_are_vectorized(keys: Any) -> None:
    draw = dnp.vectorize(lambda key, x: x + random.normal(key, (4,)), signature="(),()->(4)")
    expected = [[i + random.normal(keys[j, i], (4,)) for i in range(3)] for j in range(2)]
    for f in (draw, dt.jit(draw)):
        np.testing.assert_allclose(f(keys, dnp.arange(3.0)), expected, rtol=1e-6)
    excluded = dnp.vectorize(lambda x, key: x + random.normal(key), excluded={1})
    np.testing.assert_allclose(
        excluded(dnp.arange(2.0), keys[0, 0]), np.arange(2) + random.normal(keys[0, 0])
    )
    assert dnp.array_equal(keys, keys)
    assert not dnp.array_equal(keys, keys[::-1])


def test_functions_that_fill(keys: Any) -> None:
    for f in (
        lambda: dnp.full((2, 3), 7, keys.dtype),
        lambda: dnp.full_like(keys, 7),
        lambda: dt.jit(lambda x: dnp.full_like(x, 7, shape=(2, 3)))(keys[0]),
        lambda: dnp.full_like(np.zeros((2, 3)), 7, dtype=keys.dtype),
        lambda: lax.full((2, 3), 7, keys.dtype),
        lambda: lax.full((2, 3), dnp.full((), 7, keys.dtype)),
        lambda: lax.full_like(keys[0], 7, shape=(2, 3)),
        lambda: lax.full_like(keys, dnp.full((), 7, keys.dtype)),
    ):
        assert f().dtype == keys.dtype
        assert_array_equal(words(f()), np.full((2, 3, 2), 7))
    assert_array_equal(words(dnp.ones(2, keys.dtype)), 1)
    assert dnp.empty_like(keys).shape == dnp.zeros(keys.shape, keys.dtype).shape == (2, 3)
    numbers = dnp.zeros_like(keys, dtype="float32")
    assert (numbers.shape, numbers.dtype) == ((2, 3), np.float32)
    assert dnp.result_type(keys) == keys.dtype


def test_functions_of_lax_that_move(keys: Any) -> None:
    assert same(lax.select(True, keys, keys[::-1]), keys)
    assert same(lax.dynamic_index_in_dim(keys, 1, 0, keepdims=False), keys[1])
    assert same(lax.dynamic_slice(keys, (0, 1), (2, 2)), keys[:, 1:])
    assert same(lax.dynamic_update_slice(keys, keys[1:], (0, 0))[0], keys[1])
    assert same(lax.concatenate([keys, keys], 1)[:, 3:], keys)
    assert same(lax.broadcast(keys[0, 0], (2,))[1], keys[0, 0])


def test_keys_do_not_mix_with_numbers(keys: Any) -> None:
    other = random.split(random.key(0, impl="rbg"), (2, 3))
    with pytest.raises(TypeError, match=r"where: keys go with keys .*got: int and key<fry>"):
        untyped_numpy.where(True, keys, 0)
    with pytest.raises(TypeError, match=r"stack: .*got: key<fry> and key<rbg>"):
        dnp.stack([keys, other])
    with pytest.raises(TypeError, match=r"asarray: .*got: float32 and key<fry>"):
        dnp.asarray(keys, dtype="float32")
    with pytest.raises(TypeError, match=r"full: .*got: f4 and key<fry>"):
        dnp.full(2, keys[0, 0], dtype="f4")
    with pytest.raises(TypeError, match="and was passed to add at position 0"):
        untyped_numpy.add(keys, 1)


untyped_numpy: Any = dnp


def test_type_of_keys() -> None:
    keys: Any = random.split(random.key(0), 3)
    described = dt.typeof(keys)
    assert described.shape == (3,)
    assert described.dtype == keys.dtype
    assert str(described) == "key<fry>[3]"
    assert dt.jit(lambda k: dt.typeof(k).shape[0] + 0 * random.bits(k[0]))(keys) == 3


def test_equality_of_keys() -> None:
    keys: Any = random.split(random.key(0), 3)
    assert_array_equal(dnp.equal(keys, keys[1]), [False, True, False])
    assert_array_equal(dnp.not_equal(keys, keys[1]), [True, False, True])
    with pytest.raises(TypeError):
        dnp.equal(keys, 1)


def test_astype_of_keys() -> None:
    key: Any = random.key(0)
    assert dnp.astype(key, key.dtype) is key
    with pytest.raises(TypeError):
        dnp.astype(key, np.float32)
    with pytest.raises(TypeError):
        dnp.astype(key, random.key(0, impl="rbg").dtype)
