"""Functions of symbolic sizes get programs of their own for the sizes of most calls."""

import time

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.programs import hot_sizes

SECONDS = 120


@pytest.fixture(autouse=True)
def eager_to_specialize(monkeypatch):
    """A size is worth a program after its first compiled call, and is looked at after each."""
    monkeypatch.setattr(hot_sizes, "COMPILER_SECONDS", 0.0)
    monkeypatch.setattr(hot_sizes, "_LOOK_SECONDS", 0.0)
    with config.compile("auto"):
        yield


class Recorded:
    """A function that keeps the shapes for which it was traced."""

    def __init__(self, function):
        self.function, self.shapes = function, []

    def __call__(self, *args):
        self.shapes.append([tuple(map(str, x.shape)) for x in args])
        return self.function(*args)


def is_settled(jitted):
    sizes = jitted._hot_sizes._sizes._entries.values()
    return all(size.is_settled for size in sizes if size.execution is not None)


def call_until_specialized(jitted, make, programs, check):
    """Call with new arguments until there are so many programs for known sizes, then ten times."""
    end = time.monotonic() + SECONDS
    while jitted._hot_sizes._programs < programs or not is_settled(jitted):
        assert time.monotonic() < end
        args = make()
        check(jitted(*args), args)
        time.sleep(0.01)
    for _ in range(10):
        args = make()
        check(jitted(*args), args)


def gram(x):
    return x @ x.T + x.shape[0]


def check_gram(result, args):
    x = np.asarray(args[0], np.float64)
    np.testing.assert_allclose(result, x @ x.T + len(x), rtol=1e-5, atol=1e-5)


def arrays(rng, *shape):
    return lambda: (dnp.asarray(rng.standard_normal(shape, np.float32)),)


def test_each_hot_size_has_a_program(monkeypatch):
    monkeypatch.setattr(hot_sizes, "_MOST_PROGRAMS", 2)
    rng, recorded = np.random.default_rng(0), Recorded(gram)
    jitted = dt.jit(recorded, dynamic_shapes=("b, 4",))
    for programs, rows in enumerate([3, 5], 1):
        call_until_specialized(jitted, arrays(rng, rows, 4), programs, check_gram)
    assert recorded.shapes == [[("b", "4")], [("3", "4")], [("5", "4")]]
    # Any other size has a result at once, of the program for all.
    (x,) = arrays(rng, 7, 4)()
    check_gram(jitted(x), (x,))
    assert len(recorded.shapes) == 3


def test_sizes_that_break_constraints_stay_errors():
    rng, recorded = np.random.default_rng(1), Recorded(gram)
    jitted = dt.jit(recorded, dynamic_shapes=("b, 4",), dynamic_constraints=["b <= 5"])
    call_until_specialized(jitted, arrays(rng, 3, 4), 1, check_gram)
    with pytest.raises(ValueError, match="b <= 5"):
        jitted(np.zeros((6, 4), np.float32))


def test_donated_arguments_are_deleted():
    jitted = dt.jit(lambda x: x + 1, dynamic_shapes=("b, 4",), donate_argnums=0)
    rng = np.random.default_rng(2)

    def check(result, args):
        assert args[0].is_deleted()
        assert result.shape == (300, 4)

    call_until_specialized(jitted, arrays(rng, 300, 4), 1, check)


def test_trees_and_weak_types():
    def function(tree, scale):
        return {"sum": tree["x"].sum() * scale, "shape": tree["x"] * 2}

    jitted = dt.jit(function, dynamic_shapes=({"x": "b"}, None))

    def check(result, args):
        assert sorted(result) == ["shape", "sum"]
        assert not result["sum"].weak_type
        np.testing.assert_allclose(result["sum"], np.asarray(args[0]["x"]).sum() * 2)

    def make():
        return {"x": dnp.arange(5.0)}, 2.0

    call_until_specialized(jitted, make, 1, check)


@pytest.mark.parametrize("mode", ["now", "never"])
def test_other_modes_have_one_program(mode):
    rng, recorded = np.random.default_rng(3), Recorded(gram)
    jitted = dt.jit(recorded, dynamic_shapes=("b, 4",), compile=mode)
    for _ in range(5):
        (x,) = arrays(rng, 3, 4)()
        check_gram(jitted(x), (x,))
    assert recorded.shapes == [[("b", "4")]]


def test_setting():
    rng, recorded = np.random.default_rng(4), Recorded(gram)
    jitted = dt.jit(recorded, dynamic_shapes=("b, 4",))
    end = time.monotonic() + SECONDS
    with config.specialize_sizes(False):
        while not jitted._cached_count():
            assert time.monotonic() < end
            (x,) = arrays(rng, 3, 4)()
            check_gram(jitted(x), (x,))
            time.sleep(0.01)
        # It is compiled now.
        for _ in range(10):
            (x,) = arrays(rng, 3, 4)()
            check_gram(jitted(x), (x,))
    assert recorded.shapes == [[("b", "4")]]


@pytest.mark.parametrize("fails", ["raises", "other tree", "other type"])
def test_a_function_that_differs_at_known_sizes_keeps_its_program(fails):
    def function(x):
        if isinstance(x.shape[0], int):
            if fails == "raises":
                raise RuntimeError("known")
            return (x * 2, x) if fails == "other tree" else dnp.int32(3) * x.astype("int32")
        return x * 2

    jitted = dt.jit(function, dynamic_shapes=("b",))
    make = arrays(np.random.default_rng(5), 6)
    call_until_specialized(
        jitted, make, 1, lambda y, args: np.testing.assert_allclose(y, args[0] * 2)
    )


def test_few_sizes_have_programs(monkeypatch):
    monkeypatch.setattr(hot_sizes, "_MOST_PROGRAMS", 2)
    recorded = Recorded(lambda x: x * 2)
    jitted = dt.jit(recorded, dynamic_shapes=("b",))
    end = time.monotonic() + SECONDS
    while jitted._hot_sizes._programs < 2 or not is_settled(jitted):
        assert time.monotonic() < end
        for rows in range(2, 8):
            np.testing.assert_array_equal(jitted(np.ones(rows, np.float32)), 2)
    for rows in range(2, 12):
        np.testing.assert_array_equal(jitted(np.ones(rows, np.float32)), 2)
    assert len(recorded.shapes) == 3
    jitted.clear_cache()
    np.testing.assert_array_equal(jitted(np.ones(3, np.float32)), 2)
    assert len(recorded.shapes) == 4
