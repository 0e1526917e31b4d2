"""Arrangements of devices, functions over processes, and pictures of shardings, on eight devices of
one CPU; run by `test_devices`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import mesh_utils, multihost_utils
from dovetail.sharding import Mesh, NamedSharding
from dovetail.sharding import PartitionSpec as P

DEVICES = dt.devices()
GRID = Mesh(np.array(DEVICES).reshape(4, 2), ("x", "y"))


def numbers(grid: np.ndarray) -> list[Any]:
    return np.vectorize(lambda device: device.id)(grid).tolist()


def test_device_meshes() -> None:
    assert numbers(mesh_utils.create_device_mesh((2, 4))) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert numbers(mesh_utils.create_device_mesh([2, 1], DEVICES[3:5])) == [[3], [4]]
    grid = mesh_utils.create_hybrid_device_mesh((4, 2), (1, 1), process_is_granule=True)
    assert numbers(grid) == GRID.device_ids.tolist()
    one, hybrid = mesh_utils.create_device_mesh, mesh_utils.create_hybrid_device_mesh
    wrong: list[tuple[Any, str]] = [
        (lambda: one((3, 2)), "Number of devices 8 must equal the product"),
        (lambda: one("a"), "`mesh_shape` passed to `create_device_mesh` should be a"),  # type: ignore[arg-type]
        (lambda: hybrid((8,), (1,)), "does not have attribute slice_index"),
        (lambda: hybrid((4,), (2,), process_is_granule=True), "Number of slices 1 must equal the"),
        (lambda: hybrid((8,), (1, 1)), r"must have as many axes, got: \(8,\) and"),
    ]
    for make, message in wrong:
        with pytest.raises(ValueError, match=message):
            make()


def test_groups_of_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(DEVICES[0])
    monkeypatch.setattr(kind, "slice_index", property(lambda device: device.id % 2), raising=False)
    make = mesh_utils.create_hybrid_device_mesh
    # Neighbours along an axis belong to one group, followed by those of the next one.
    assert numbers(make((2, 2), (1, 2))) == [[0, 2, 1, 3], [4, 6, 5, 7]]
    assert numbers(make((2, 2), (2, 1))) == [[0, 2], [4, 6], [1, 3], [5, 7]]
    reordered = make((4,), (2,), DEVICES[::-1], should_sort_granules_by_key=False)
    assert numbers(reordered) == [7, 5, 3, 1, 6, 4, 2, 0]


def test_one_process() -> None:
    tree = {"a": dt.device_put(np.arange(8.0), NamedSharding(GRID, P("x"))), "b": 3}
    shared = multihost_utils.broadcast_one_to_all(tree)
    assert type(shared["a"]) is np.ndarray
    assert (shared["a"].tolist(), int(shared["b"])) == (list(range(8)), 3)
    assert multihost_utils.process_allgather(tree)["a"].shape == (1, 8)
    assert multihost_utils.process_allgather(tree, tiled=True)["b"].shape == ()
    multihost_utils.sync_global_devices("here")
    multihost_utils.assert_equal(tree, "not equal")
    assert not multihost_utils.reached_preemption_sync_point(1)


def test_local_and_global_arrays() -> None:
    to_global = multihost_utils.host_local_array_to_global_array
    to_local = multihost_utils.global_array_to_host_local_array
    whole = to_global({"a": np.arange(8), "b": np.zeros((8, 2))}, GRID, {"a": P("x"), "b": P("y")})
    assert whole["a"].sharding == NamedSharding(GRID, P("x"))
    assert whole["b"].sharding == NamedSharding(GRID, P("y"))
    assert to_local(whole, GRID, P("x"))["a"] is whole["a"]
    assert to_local(np.arange(8), GRID, P("x")).sharding == NamedSharding(GRID, P("x"))
    with pytest.raises(ValueError, match="`None` is not a valid input to the pspecs argument"):
        to_global(np.arange(8), GRID, None)


def picture(capsys: pytest.CaptureFixture[str], shape: Any, spec: P, **options: Any) -> list[str]:
    dt.debug.visualize_sharding(shape, NamedSharding(GRID, spec), **options)
    return capsys.readouterr().out.splitlines()


def test_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    assert picture(capsys, (8, 2), P("x", "y")) == [
        "┌───────┬───────┐",
        "│ CPU 0 │ CPU 1 │",
        "├───────┼───────┤",
        "│ CPU 2 │ CPU 3 │",
        "├───────┼───────┤",
        "│ CPU 4 │ CPU 5 │",
        "├───────┼───────┤",
        "│ CPU 6 │ CPU 7 │",
        "└───────┴───────┘",
    ]
    assert picture(capsys, (16,), P("x"))[1] == "│CPU 0,1│CPU 2,3│CPU 4,5│CPU 6,7│"
    assert picture(capsys, (16,), P())[1] == "│CPU 0,1,2,3,4,5,6,7│"
    lines = picture(capsys, (8, 8), P("y", "x"))
    assert (len(lines), lines[2], lines[5]) == (
        *(11, "│ CPU 0 │ CPU 2 │ CPU 4 │ CPU 6 │"),
        "├───────┼───────┼───────┼───────┤",
    )
    # The picture is not wider than allowed, the last part smaller than the others, or empty.
    assert max(map(len, picture(capsys, (4, 64), P("y", "x")))) <= 80
    assert max(map(len, picture(capsys, (8, 8), P("x"), max_width=20))) == 20
    assert len(picture(capsys, (8, 8), P("x"), scale=2.0)) == 21
    assert len(picture(capsys, (8, 8), P("x"), min_width=40)[0]) == 40
    heights = picture(capsys, (10, 10), P("x"), scale=4.0)
    rules = [number for number, line in enumerate(heights) if line[0] in "├└"]
    assert rules == [12, 24, 36, 40]
    assert "CPU 0,1" in picture(capsys, (0, 3), P("x"))[1]
    dt.debug.visualize_array_sharding(dt.device_put(np.zeros(8), NamedSharding(GRID, P("y"))))
    assert capsys.readouterr().out.splitlines()[1] == "│CPU 0,2,4,6│CPU 1,3,5,7│"
    with pytest.raises(ValueError, match="only works for shapes with 1 and 2 dimensions, got"):
        picture(capsys, (2, 2, 2), P("x"))
    with pytest.raises(ValueError, match="rank at least 2, but was applied to a value of rank 1"):
        picture(capsys, (8,), P("x", "y"))


def test_colors(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    plain = picture(capsys, (8, 2), P("x", "y"), use_color=False)
    assert not any("\x1b" in line for line in plain)
    colored = picture(capsys, (8, 2), P("x", "y"))
    assert len({line.split("m")[0] for line in colored if "\x1b" in line}) == 4
    white = picture(capsys, (8, 2), P(), color_map=lambda part: (1.0, 1.0, 1.0, 1.0))
    assert "\x1b[48;2;255;255;255;30m" in white[1]


def test_inspection() -> None:
    seen: list[Any] = []
    array = dt.device_put(np.zeros(8), NamedSharding(GRID, P("y")))
    dt.debug.inspect_array_sharding({"a": array, "b": dnp.zeros(2)}, callback=seen.append)
    assert [where.num_devices for where in seen] == [8, 1]
    assert seen[0] == array.sharding
