"""Meshes, partition specs and shardings on eight devices of one CPU; run by `test_devices`."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import sharding
from dovetail.placement.meshes import entered_mesh
from dovetail.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, get_abstract_mesh
from dovetail.sharding import PartitionSpec as P
from support import sharding_programs as programs

DEVICES = dt.devices()
NAMES = programs.names_of(dt, sharding, dt.numpy)
GRID = Mesh(np.array(DEVICES).reshape(4, 2), ("x", "y"))


@pytest.mark.parametrize(("expression", "expected"), programs.VALUES)
def test_values(expression: str, expected: str) -> None:
    assert programs.mismatch(expression, expected, NAMES) is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Mesh(DEVICES, ("x", "y")),
            r"Mesh requires the ndim .* len\(axis_names\) == 2, at",
        ),
        (
            lambda: Mesh(GRID.devices, ("x", "x")),
            "Mesh axis names must be distinct, got: .'x', 'x'",
        ),
        (lambda: AbstractMesh((2, 2), "x"), r"as many axis_sizes as axis_names, got: \(2, 2\) and"),
        (lambda: AbstractMesh((2, 2), ("x", "x")), "AbstractMesh axis names must be distinct"),
        (lambda: Mesh([DEVICES[1]] * 2, "x"), "devices must be distinct, got: cpu:1, cpu:1"),
        (lambda: dt.make_mesh((9,), "x"), "got: 9; config.num_cpu_devices sets how many"),
        (lambda: dt.make_mesh((2, -4), ("x", "y")), r"ints of at least 1, got: \(2, -4\)"),
        (lambda: dt.make_mesh("a", "x"), "sequence of ints of at least 1, got: .a."),  # type: ignore[arg-type]
        (
            lambda: NamedSharding(GRID, P("z")),
            r"not found in mesh: \('x', 'y'\), at .*eight_meshes",
        ),
        (lambda: NamedSharding(GRID, P("x", "x")), "duplicate entries for `x`, at .*eight_meshes"),
        (
            lambda: NamedSharding(GRID, P("x", "y")).devices_indices_map((8,)),
            "rank at least 2, but was applied to a value of rank 1, at .*eight_meshes",
        ),
        (lambda: NamedSharding(GRID, P(), "other"), "must be 'device' or .*, got: 'other'"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mesh([1, 2], "x"), r"devices must be of dovetail\.devices\(\), got: 1"),
        (lambda: Mesh(DEVICES, "x", ("Auto",)), "axis_types passed to Mesh must be of type"),  # type: ignore[arg-type]
        (lambda: NamedSharding(GRID, "x"), r"spec must be a PartitionSpec, .*got: 'x'"),  # type: ignore[arg-type]
        (lambda: NamedSharding(DEVICES, P("x")), r"mesh must be a Mesh, got: \[Cpu"),  # type: ignore[arg-type]
        (lambda: P("x") + 3, "unsupported operand"),
    ],
)
def test_wrong_types(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make()


def test_dimensions_that_do_not_divide() -> None:
    """Shards are as large as the largest one, except the last ones."""
    rows = NamedSharding(Mesh(DEVICES, "x"), P("x"))
    assert rows.shard_shape((17, 3)) == (3, 3)
    starts = [(i[0].start, i[0].stop) for i in rows.devices_indices_map((17, 3)).values()]
    assert starts == [(0, 3), (3, 6), (6, 9), (9, 12), (12, 15), (15, 17), (17, 17), (17, 17)]
    grid = NamedSharding(GRID, P(None, ("y", "x")))
    assert grid.shard_shape((2, 3)) == (2, 1)
    parts = grid.devices_indices_map((2, 3))
    assert parts[DEVICES[2]] == (slice(None), slice(1, 2))
    assert parts[DEVICES[7]] == (slice(None), slice(3, 3))


def test_contexts_are_of_a_thread() -> None:
    seen = []
    with dt.set_mesh(GRID):
        thread = threading.Thread(target=lambda: seen.append(sharding.get_mesh()))
        thread.start()
        thread.join()
        assert sharding.get_mesh() == GRID
    assert seen[0].empty
    assert sharding.get_mesh().empty


def test_programs_depend_on_contexts() -> None:
    traced = []

    @dt.jit
    def f(x: Any) -> Any:
        traced.append(get_abstract_mesh())
        return x + 1

    explicit = dt.make_mesh((8,), "x")
    for _ in range(3):
        f(1.0)
        with dt.set_mesh(GRID):
            f(1.0)
            with sharding.use_abstract_mesh(explicit.abstract_mesh):
                f(1.0)
        with dt.set_mesh(explicit):
            f(1.0)
        with pytest.warns(DeprecationWarning, match="use `with dovetail.set_mesh"), GRID:
            f(1.0)
    empty, other = AbstractMesh((), ()), explicit.abstract_mesh
    assert traced == [empty, GRID.abstract_mesh, other, other, empty]


@pytest.mark.filterwarnings("ignore:.with mesh:DeprecationWarning")
def test_mesh_as_context() -> None:
    @GRID
    def inner() -> Any:
        return entered_mesh.value

    assert inner() == GRID
    with GRID, Mesh(DEVICES, "x"), GRID:
        assert entered_mesh.value == GRID
    assert entered_mesh.value is None


def test_contexts_end() -> None:
    with dt.set_mesh(GRID):
        with pytest.raises(RuntimeError, match="an error"), dt.set_mesh(Mesh(DEVICES, "x")):
            raise RuntimeError("an error")
        assert sharding.get_mesh() == GRID
    types = GRID.update(axis_types=(AxisType.Explicit, AxisType.Auto))
    assert types.type_of == {"x": AxisType.Explicit, "y": AxisType.Auto}
