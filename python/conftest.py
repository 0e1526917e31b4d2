"""What every example in a docstring may use without importing it."""

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax


@pytest.fixture(autouse=True)
def _names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace |= {"dnp": dnp, "dt": dt, "lax": lax, "np": np}
