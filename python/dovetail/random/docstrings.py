"""Sections that docstrings of samplers share."""

SAMPLER = """
    Args:
      key: a key.
      shape: the shape of the result.
      dtype: a float type.

    Returns:
      An array of `dtype`.

    Raises:
      ValueError: `dtype` is no float type.
"""


def parametrized(parameters: str) -> str:
    """The sections for distributions of the given parameters, which the result's type can hold."""
    return f"""
    Args:
      key: a key.
      shape: the shape of the result; by default the broadcast shape of {parameters}.
      dtype: a float type that holds {parameters}.

    Returns:
      An array of `dtype`.

    Raises:
      ValueError: `dtype` is no such type, or {parameters} cannot be broadcast to `shape`.
    """
