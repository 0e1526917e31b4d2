"""What the arguments of a function under construction represent."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class Carried(NamedTuple):
    """What an argument that a loop carries represents.

    Attributes:
      first: its value in the first iteration; no later one has a derivative if this has none.
    """

    first: Any


class Later(enum.Enum):
    """What an argument represents of a function that is called later."""

    VALUE = enum.auto()


# An outer value, or None where a derivative begins at the argument.
Origin = Any | Carried | Later | None
