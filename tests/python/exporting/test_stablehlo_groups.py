"""Collectives of programs in StableHLO among groups of devices that lie along no axis."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt

DEVICES = 6
SUM = """({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    })"""


def program(op: str, attributes: str, body: str, result: str) -> str:
    return f"""module attributes {{mhlo.num_replicas = {DEVICES} : i32}} {{
  func.func @main(%x: tensor<6x2xf32>) -> tensor<{result}xf32> {{
    %0 = "stablehlo.{op}"(%x) <{{{attributes}}}> {body} : (tensor<6x2xf32>) -> tensor<{result}xf32>
    return %0 : tensor<{result}xf32>
  }}
}}"""


def listed(rows: list[list[int]]) -> str:
    return f"dense<{rows}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(DEVICES)), st.sampled_from([2, 3]))
def test_collectives_of_groups(order: list[int], size: int) -> None:
    groups = [list(order[i : i + size]) for i in range(0, DEVICES, size)]
    x = np.random.default_rng(0).integers(-9, 9, (DEVICES, 6, 2)).astype(np.float32)

    def found(op: str, attributes: str, body: str, result: str) -> np.ndarray:
        text = program(op, f"replica_groups = {listed(groups)}{attributes}", body, result)
        return np.asarray(dt.vmap(dt.stablehlo.load(text), axis_name="replica")(x))

    total, first = np.empty_like(x), np.empty_like(x)
    parts, every, exchanged = {}, {}, {}
    for group in groups:
        total[group] = x[group].sum(0)
        first[group] = x[group[0]]
        for position, device in enumerate(group):
            rows = slice(position * 6 // size, (position + 1) * 6 // size)
            every[device] = np.concatenate(x[group])
            parts[device] = total[device][rows]
            exchanged[device] = np.concatenate(x[group][:, rows], 1)
    each = range(DEVICES)
    np.testing.assert_array_equal(found("all_reduce", "", SUM, "6x2"), total)
    np.testing.assert_array_equal(
        found("all_gather", ", all_gather_dim = 0 : i64", "", f"{6 * size}x2"),
        [every[i] for i in each],
    )
    np.testing.assert_array_equal(
        found("reduce_scatter", ", scatter_dimension = 0 : i64", SUM, f"{6 // size}x2"),
        [parts[i] for i in each],
    )
    split = f", split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = {size} : i64"
    np.testing.assert_array_equal(
        found("all_to_all", split, "", f"{6 // size}x{2 * size}"), [exchanged[i] for i in each]
    )
    np.testing.assert_array_equal(found("collective_broadcast", "", "", "6x2"), first)


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(DEVICES)), st.permutations(range(DEVICES)), st.integers(1, DEVICES))
def test_permutations(sources: list[int], targets: list[int], count: int) -> None:
    x = np.random.default_rng(0).normal(size=(DEVICES, 6, 2)).astype(np.float32)
    pairs = [list(pair) for pair in zip(sources, targets, strict=True)][:count]
    wanted = np.zeros_like(x)
    for source, target in pairs:
        wanted[target] = x[source]
    text = program("collective_permute", f"source_target_pairs = {listed(pairs)}", "", "6x2")
    loaded = dt.stablehlo.load(text)
    np.testing.assert_array_equal(dt.vmap(loaded, axis_name="replica")(x), wanted)
