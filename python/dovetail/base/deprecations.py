"""What is deprecated: since which version, until which, and what to use instead."""

from __future__ import annotations

import fnmatch
from typing import NamedTuple

from dovetail.base.errors import value_error, warn


class DeprecationError(Exception):
    """Something deprecated is used after `as_errors` has made that an error."""


class Deprecation(NamedTuple):
    """Something that is deprecated.

    Attributes:
      name: its name, for `as_errors`.
      since: the version from which on its use warns.
      until: the first version without it; None if that is not decided.
      message: what to do instead.

    Example:
      >>> from dovetail import deprecations
      >>> [each.since for each in deprecations.listed() if each.name == "mesh-context"]
      ['0.1.0']
    """

    name: str
    since: str
    until: str | None
    message: str

    def warn(self, message: str | None = None) -> None:
        """Warn at the user's line, or raise the error that the user prefers.

        Args:
          message: what to say instead of the general message.

        Raises:
          DeprecationError: `as_errors` names it.
        """
        message = message or self.message
        if any(fnmatch.fnmatchcase(self.name, pattern) for pattern in _errors):
            raise DeprecationError(
                f"{message}; this is an error, since `{self.name}` is among the deprecations that "
                "are to be errors"
            )
        if self.until is not None:
            message += f"; it will be gone in version {self.until}"
        warn(message, category=DeprecationWarning)


_known: dict[str, Deprecation] = {}
# The patterns that `as_errors` was given.
_errors: tuple[str, ...] = ()


def _declared(name: str, message: str, *, since: str, until: str | None = None) -> Deprecation:
    deprecation = _known[name] = Deprecation(name, since, until, message)
    return deprecation


def listed() -> tuple[Deprecation, ...]:
    """Everything that is deprecated.

    Example:
      >>> from dovetail import deprecations
      >>> [each.name for each in deprecations.listed()][:2]
      ['jit-device', 'mesh-context']
    """
    return tuple(_known.values())


def as_errors(*patterns: str) -> None:
    """Make uses of what is deprecated errors, to find out what a program has to change.

    Args:
      patterns: names, in which `*` stands for any part; what an earlier call named is a warning
        again, unless it is among them.

    Raises:
      ValueError: nothing that is deprecated has such a name.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import deprecations
      >>> deprecations.as_errors("jit-*")
      >>> try:
      ...     dt.jit(lambda x: x, backend="cpu")
      ... except deprecations.DeprecationError as error:
      ...     print(str(error).partition(";")[0])
      device and backend of jit are deprecated
      >>> deprecations.as_errors()
    """
    global _errors
    for pattern in patterns:
        if not fnmatch.filter(_known, pattern):
            raise value_error(
                f"as_errors: a pattern must fit one of {', '.join(_known)}, got: {pattern!r}"
            )
    _errors = patterns


JIT_DEVICE = _declared(
    "jit-device",
    "device and backend of jit are deprecated; commit arguments to a device with "
    "dovetail.device_put instead",
    since="0.1.0",
)
MESH_CONTEXT = _declared(
    "mesh-context",
    "`with mesh:` context manager has been deprecated; use `with dovetail.set_mesh(mesh):` instead",
    since="0.1.0",
)
ARRAY_POSITIONS = _declared(
    "array-positions",
    "Passing the copy, order, and ndmin arguments to jnp.array by position is deprecated; write "
    "them with their names",
    since="0.1.0",
)
SIZES_OF_LISTS = _declared(
    "sizes-of-lists",
    "size, ndim and shape require ndarray or scalar arguments; make an array first",
    since="0.1.0",
)
COMPLEX_TO_REAL = _declared(
    "complex-to-real",
    "Casting from complex to real dtypes will discard the imaginary part; take x.real first",
    since="0.1.0",
)
