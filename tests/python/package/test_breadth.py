"""Which cases of tests run by day, and which at night."""

from __future__ import annotations

import pytest

from support.breadth import chosen


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 100])
def test_cases_of_each_profile(count: int) -> None:
    cases = [f"test_lowering[{i}]" for i in range(count)]
    for folder in ("lowering", "numpy"):
        for profile in ("", "nightly"):
            assert chosen(cases, folder, profile) == set(cases)
        by_day = chosen(cases, folder, "dovetail")
        assert by_day <= set(cases)
        assert len(by_day) == (-(-count // 3) if folder == "lowering" and count >= 4 else count)
        assert len(chosen(cases, folder, "fast")) == 1
    # Whatever the order in which they are collected.
    assert chosen(cases[::-1], "lowering", "dovetail") == chosen(cases, "lowering", "dovetail")
