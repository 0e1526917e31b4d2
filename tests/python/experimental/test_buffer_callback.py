"""dovetail.experimental.buffer_callback: results in buffers, batches, aliases, effects, errors."""

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental.buffer_callback import ExecutionStage, buffer_callback

X = np.arange(12, dtype=np.float32).reshape(3, 4)


def like(x):
    return dt.ShapeDtypeStruct(x.shape, x.dtype)


@pytest.mark.parametrize("way", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
def test_results_are_written(way):
    def callback(context, out, tree, y):
        assert context.stage == ExecutionStage.EXECUTE
        with pytest.raises(dt.errors.JaxRuntimeError, match="GPU context is not available"):
            _ = context.stream
        assert (tree["x"].writeable, out[0].writeable) == (False, True)
        assert (tree["x"].shape, out[1].dtype) == ((3, 4), np.int32)
        np.asarray(out[0])[...] = np.asarray(tree["x"]) + np.from_dlpack(y)
        np.asarray(out[1])[...] = 7

    function = buffer_callback(callback, (like(X), dt.ShapeDtypeStruct((), np.int32)))
    made, number = way(lambda x: function({"x": x}, x + 1))(X)
    np.testing.assert_array_equal(made, 2 * X + 1)
    assert int(number) == 7


@pytest.mark.parametrize(
    "method", ["sequential", "sequential_unrolled", "expand_dims", "broadcast_all"]
)
def test_batches(method):
    def callback(context, out, x, y):
        np.asarray(out)[...] = np.asarray(x) + np.asarray(y)

    function = buffer_callback(callback, like(X[0]), vmap_method=method)
    np.testing.assert_array_equal(dt.vmap(function)(X, X), 2 * X)
    np.testing.assert_array_equal(dt.vmap(function, (0, None))(X, X[0]), X + X[0])


def test_aliases_and_effects():
    def callback(context, out, x):
        assert np.shares_memory(np.asarray(out), np.asarray(x))
        np.asarray(out)[0] = -1

    made = buffer_callback(callback, like(X), input_output_aliases={0: 0})(dnp.asarray(X))
    np.testing.assert_array_equal(made[1:], X[1:])
    np.testing.assert_array_equal(made[0], -np.ones(4))
    calls = []
    function = buffer_callback(lambda *_: calls.append(1), like(X), has_side_effect=True)
    dt.block_until_ready(dt.jit(lambda x: (function(x), x)[1])(X))
    dt.effects_barrier()
    assert calls == [1]


def test_errors():
    with pytest.raises(ValueError, match="got: 1:0"):
        buffer_callback(print, like(X), input_output_aliases={1: 0})(X)
    with pytest.raises(ValueError, match="must have the same type"):
        buffer_callback(print, like(X[0]), input_output_aliases={0: 0})(X)
