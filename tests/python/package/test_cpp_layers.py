"""The C++ folders form layers: no file includes a header from a folder above its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

# From the lowest to the highest. A folder within another has its own place.
ORDER = [
    "cpp/plugin",
    "cpp/blas",
    "cpp/collectives",
    "cpp/foreign",
    "cpp/memory",
    "cpp/vulkan",
    "cpp/scalar",
    "dialects",
    "cpp/cost",
    "cpp/transforms",
    "cpp/sharding",
    "cpp/tensors",
    "cpp/linalg",
    "cpp/stablehlo",
    "cpp/iree",
    "cpp/dispatch",
    "cpp/dispatch/fourier",
    "cpp/dispatch/lanes",
    "cpp/lowering",
    "cpp/pipeline",
    "cpp/bindings/ir",
    "cpp/bindings/calls",
    "cpp/bindings/eager",
    "cpp/bindings",
    "tools/dovetail-opt",
]

SOURCES = [
    file
    for top in ("cpp", "dialects", "tools")
    for file in sorted((ROOT / top).rglob("*"))
    if file.suffix in (".cpp", ".h", ".td")
    and file.name not in ("Precompiled.cpp", "Precompiled.h", "PassBase.td")
]


def _folder(file: Path) -> str:
    return file.parent.relative_to(ROOT).as_posix()


def _included(file: Path) -> list[Path]:
    """The files of this repository that a file includes, including generated ones."""
    names = re.findall(r'^\s*#?include "([^"]+)"', file.read_text(), re.MULTILINE)
    included = []
    for name in names:
        beside, from_root = file.parent / name, ROOT / name
        if beside.is_file():
            included.append(beside)
        elif from_root.is_file() or name.endswith(".inc"):
            included.append(from_root)
    return included


@pytest.mark.parametrize("folder", sorted({_folder(file) for file in SOURCES}))
def test_every_folder_has_a_layer(folder):
    assert folder in ORDER


@pytest.mark.parametrize("folder", ORDER)
def test_includes_point_downward(folder):
    allowed = [*ORDER[: ORDER.index(folder) + 1], "cpp"]
    upward = [
        f"{file.relative_to(ROOT)} includes {other.relative_to(ROOT)}"
        for file in SOURCES
        if _folder(file) == folder
        for other in _included(file)
        if _folder(other) not in allowed
    ]
    assert not upward, "\n".join(upward)


def _links(folder: str) -> set[str]:
    """The libraries of this repository that a folder's target names."""
    lists = (ROOT / folder / "CMakeLists.txt").read_text()
    return set(
        re.findall(
            r"\bDovetail\w+", " ".join(re.findall(r"target_link_libraries\(([^)]*)\)", lists))
        )
    )


def test_libraries_link_downward():
    below: set[str] = set()
    for folder in ORDER:
        if not (ROOT / folder / "CMakeLists.txt").exists():
            continue
        made = re.findall(
            r"dovetail_library\((Dovetail\w+)", (ROOT / folder / "CMakeLists.txt").read_text()
        )
        assert _links(folder) <= below | set(made), folder
        below |= set(made)
