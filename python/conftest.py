"""What every example in a docstring may use without importing it."""

from typing import Any

import numpy as np
import pytest

from dovetail import lax


@pytest.fixture(autouse=True)
def _names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace |= {"lax": lax, "np": np}
