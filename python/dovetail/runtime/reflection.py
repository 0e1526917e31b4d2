"""What module files state about their functions: JSON in the functions' reflection attributes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

# What code raises that takes data apart whose form is not as it expects.
_FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


def decoded(key: str, text: str, decode: Callable[[Any], T]) -> T:
    """The value that a text describes.

    Args:
      key: the name of the attribute.
      text: the text, JSON.
      decode: returns the value for the data, or raises any of the errors of wrong data.

    Raises:
      ValueError: the text is malformed.
    """
    try:
        return decode(json.loads(text))
    except _FAULTS as error:
        raise ValueError(
            f"{key!r} of the function is malformed: {error!r}; export the function again"
        ) from error


def read(reflection: Mapping[str, str], key: str, decode: Callable[[Any], T]) -> T | None:
    """The same for an attribute of a function; None if it has none of this name."""
    text = reflection.get(key)
    return None if text is None else decoded(key, text, decode)
