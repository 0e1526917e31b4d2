"""Process-wide settings that change while something depends on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.base import config as settings


def test_a_call_that_changes_settings_is_not_remembered_for_the_new_ones() -> None:
    @dt.jit
    def program(x: Any) -> Any:
        dt.debug.callback(lambda _: config.update("enable_x64", True), x)
        return dnp.ones(3) * x

    x = np.float32(1)
    assert [program(x).dtype.name for _ in range(3)] == ["float32", "float64", "float64"]


def test_a_change_while_settings_are_read_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    default_place = settings.default_place

    def interrupted() -> Any:
        # As another thread may do in between.
        monkeypatch.undo()
        config.update("disable_jit", True)
        return default_place()

    settings.changed()
    monkeypatch.setattr(settings, "default_place", interrupted)
    settings.snapshot()
    assert settings.snapshot().disable_jit
