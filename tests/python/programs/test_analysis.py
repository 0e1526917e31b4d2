"""The work and the memory of programs, and the stages that report them, against counts by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, lax
from support.op_calls import calls_of, types_of
from support.op_table import OPS


def spec(*shape: int, dtype: str = "float32") -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, dtype)


def cost(function: Any, *specs: Any) -> tuple[float, float, float]:
    """(flops, transcendentals, bytes accessed)."""
    found = dt.jit(function).lower(*specs).cost_analysis()
    assert set(found) == {"flops", "transcendentals", "bytes accessed"}
    return found["flops"], found["transcendentals"], found["bytes accessed"]


def test_products_functions_and_sums() -> None:
    # A product and a sum for each of 512 steps; 64 elements to 1 are 63 sums: 1087 is XLA's number.
    flops, transcendentals, accessed = cost(
        lambda x, y: dnp.sum(dnp.tanh(x @ y)), spec(8, 8), spec(8, 8)
    )
    assert (flops, transcendentals) == (2 * 512 + 63, 64)
    assert accessed == 4 * (3 * 64 + 2 * 64 + 64 + 1)


def test_batches_count() -> None:
    flops, _, accessed = cost(lambda x, y: x @ y, spec(5, 3, 4), spec(5, 4, 6))
    assert flops == 2 * 5 * 3 * 4 * 6
    assert accessed == 4 * 5 * (12 + 24 + 18)


def test_elements_of_all_types() -> None:
    assert cost(lambda x: x + x, spec(6, dtype="complex64")) == (6, 0, 3 * 6 * 8)
    assert cost(lambda x: x * x, spec(6, dtype="bfloat16")) == (6, 0, 3 * 6 * 2)
    assert cost(dnp.logical_not, spec(6, dtype="bool")) == (6, 0, 2 * 6)


def test_moving_costs_no_work() -> None:
    assert cost(lambda x: x.reshape(4), spec(2, 2)) == (0, 0, 0)
    assert cost(lambda x: x[2:5], spec(1000)) == (0, 0, 2 * 3 * 4)
    # The window, read and written, and its index.
    index = spec(dtype="int32")
    accessed = cost(lambda x, i: lax.dynamic_slice(x, (i,), (3,)), spec(1000), index)[2]
    assert accessed < 1000


def test_windows_and_convolutions() -> None:
    flops, _, _ = cost(
        lambda x, w: lax.conv(x, w, (1, 1), "VALID"), spec(2, 3, 8, 8), spec(5, 3, 3, 3)
    )
    assert flops == 2 * (2 * 5 * 6 * 6) * (3 * 3 * 3)
    pooled = lax.reduce_window(np.ones((1, 8), np.float32), 0.0, lax.add, (1, 2), (1, 2), "VALID")
    assert pooled.shape == (1, 4)
    assert (
        cost(lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 2), "VALID"), spec(1, 8))[0]
        == 8
    )


def test_algorithms() -> None:
    assert cost(dnp.fft.fft, spec(3, 16, dtype="complex64"))[0] == 3 * 5 * 16 * 4
    assert cost(lambda x: dnp.sort(x), spec(3, 16))[0] >= 3 * 16 * 4
    assert cost(dnp.linalg.cholesky, spec(2, 6, 6))[0] >= 2 * 6**3 / 3
    assert cost(dnp.cumsum, spec(10))[0] == 10


def test_loops_count_their_steps() -> None:
    def loop(x: Any) -> Any:
        return lax.scan(lambda c, _: (c @ c, None), x, None, length=7)[0]

    assert cost(loop, spec(4, 4))[0] == 7 * 2 * 64

    def nested(x: Any) -> Any:
        return lax.scan(lambda c, _: (loop(c), None), x, None, length=3)[0]

    assert cost(nested, spec(4, 4))[0] == 3 * 7 * 2 * 64
    # A loop of unknown length counts one iteration.
    once = cost(lambda x: lax.while_loop(lambda c: c[0, 0] < 9, lambda c: c @ c, x), spec(4, 4))
    assert 2 * 64 <= once[0] < 2 * 2 * 64


@pytest.mark.parametrize(
    "function",
    [
        lambda x: dnp.sum(dnp.tanh(x @ x.T)),
        lambda x: dnp.sort(dnp.cumsum(x, 0), 0),
        lambda x: dnp.linalg.cholesky(x @ x.T),
        lambda x: dnp.fft.fft(x),
        lambda x: lax.scan(lambda c, row: (c * row, c), x[0], x),
        lambda x: lax.scan(lambda c, _: (c @ c, None), x.T @ x, length=x.shape[0]),
    ],
    ids=("products", "running", "matrices", "fourier", "scan", "counted"),
)
def test_unknown_sizes_count_as_the_assumed_one(function: Any) -> None:
    (b,) = dt.export.symbolic_shape("b")
    known = dt.jit(function).lower(spec(_core.ASSUMED_SIZE, 8)).cost_analysis()
    # Users get no costs of unknown sizes: those are for decisions of the compiler.
    unknown = dt.jit(function).lower(spec(b, 8))
    with pytest.raises(ValueError, match="each name in the program's shapes must get its size"):
        unknown.cost_analysis()
    assumed = unknown._program.after("shard").cost()
    # Where the known program has a constant, the unknown one counts a broadcast.
    assert (assumed.flops, assumed.transcendentals, assumed.bytes) == pytest.approx(
        (known["flops"], known["transcendentals"], known["bytes accessed"]), rel=0.1
    )


def test_the_most_expensive_branch_counts() -> None:
    def choose(i: Any, x: Any) -> Any:
        return lax.switch(i, [lambda x: x @ x, lambda x: x], x)

    flops = cost(choose, spec(dtype="int32"), spec(4, 4))[0]
    assert 2 * 64 <= flops < 2 * 64 + 8


def test_derivatives_cost_more() -> None:
    def loss(w: Any, x: Any) -> Any:
        return dnp.sum(dnp.tanh(x @ w))

    forward = cost(loss, spec(8, 8), spec(8, 8))[0]
    assert cost(dt.grad(loss), spec(8, 8), spec(8, 8))[0] > 1.5 * forward


def test_memory() -> None:
    weights = dnp.ones((64, 64))
    compiled = dt.jit(lambda x: dnp.tanh(x @ weights) @ weights).lower(spec(32, 64)).compile()
    stats = compiled.memory_analysis()
    assert stats.argument_size_in_bytes == 4 * (32 * 64 + 64 * 64)
    assert stats.output_size_in_bytes == 4 * 32 * 64
    assert stats.alias_size_in_bytes == 0
    # The intermediate result between the products.
    assert stats.temp_size_in_bytes >= 4 * 32 * 64
    assert stats.generated_code_size_in_bytes > 0
    assert compiled.cost_analysis()["flops"] == 2 * 2 * 32 * 64 * 64
    [out] = compiled.runtime_executable()(
        [np.ones((32, 64), np.float32), np.ones((64, 64), np.float32)]
    )
    assert out.numpy().shape == (32, 64)


def test_memory_of_donated_arguments() -> None:
    def step(x: Any, g: Any) -> Any:
        return x - 0.1 * g

    plain = dt.jit(step).lower(spec(128, 128), spec(128, 128)).compile().memory_analysis()
    lowered = dt.jit(step, donate_argnums=0).lower(spec(128, 128), spec(128, 128))
    assert plain.alias_size_in_bytes == 0
    assert lowered.compile().memory_analysis().alias_size_in_bytes == 4 * 128 * 128
    assert lowered.donate_argnums == (0,)
    assert [info.donated for info in dt.tree.leaves(lowered.args_info)] == [True, False]


def test_stages() -> None:
    function = dt.jit(lambda x, *, scale: {"y": x * scale})
    assert isinstance(function, dt.stages.Wrapped)
    traced = function.trace(spec(3), scale=2.0)
    assert isinstance(traced, dt.stages.Traced)
    assert traced.fun_name == "<lambda>"
    assert "dovetail.mul" in traced.ir
    assert traced.jaxpr == traced.ir
    assert traced.out_info == {"y": spec(3)}
    assert traced.out_avals["y"].shape == (3,)
    (x,), named = traced.args_info
    assert isinstance(x, dt.stages.ArgInfo)
    assert (x.shape, x.dtype, named["scale"].shape) == ((3,), np.float32, ())
    lowered = traced.lower()
    assert isinstance(lowered, dt.stages.Lowered)
    assert lowered.in_tree == traced.in_tree
    compiled = lowered.compile()
    assert isinstance(compiled, dt.stages.Compiled)
    np.testing.assert_array_equal(compiled(np.ones(3, np.float32), scale=2.0)["y"], [2, 2, 2])


def test_places_are_in_the_text() -> None:
    def f(x: Any) -> Any:
        with dt.named_scope("layer"):
            return dnp.tanh(x)

    lowered = dt.jit(f).lower(spec(3))
    assert "test_analysis.py" not in lowered.as_text()
    for phase in ("trace", "lower"):
        text = lowered.as_text(phase, debug_info=True)
        assert "test_analysis.py" in text
        assert '"layer/f"' in text
    assert '"dovetail.tanh"' in lowered.as_text("lower", debug_info=True)


def test_sharding_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []
    dt.jit(lambda x: dt.debug.inspect_array_sharding(x, callback=seen.append) or x).lower(1.0)
    dt.debug.inspect_array_sharding(dnp.zeros(3), callback=seen.append)
    assert [s.device for s in seen] == [dt.devices()[0]] * 2
    dt.debug.visualize_array_sharding(dnp.zeros((2, 3)))
    assert "CPU 0" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"shapes with 1 and 2 dimensions, got: \(\)"):
        dt.debug.visualize_array_sharding(dnp.zeros(()))
    with pytest.raises(TypeError, match="value must be an array, got: int"):
        dt.debug.inspect_array_sharding(1, callback=seen.append)


def test_every_op_has_a_cost() -> None:
    costs = {}
    for row in OPS:
        call = next(calls_of(row, types_of(row)[-1]))
        with dt.enable_x64(True):
            operands = call.ordinary()
            found = dt.jit(call.apply).lower(*operands).cost_analysis()
        costs[row.name] = found
        assert all(np.isfinite(value) and value >= 0 for value in found.values()), row.name
        # Pointwise ops take the same number of operations for every element.
        if row.pointwise and operands:
            steps = (found["flops"] + found["transcendentals"]) / operands[0].size
            assert steps == {"threefry2x32": 115, "stop_gradient": 0}.get(row.name, 1), row.name
    assert costs["exp"]["transcendentals"] == costs["add"]["flops"]
    idle = {name for name, cost in costs.items() if not any(cost.values())}
    assert idle <= {"reshape", "name", "optimization_barrier", "stop_gradient", "constant", "dim"}
