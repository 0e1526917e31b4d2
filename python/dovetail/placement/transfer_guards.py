"""Transfer guards: the `transfer_guard*` settings allow, log or reject transfers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from dovetail.base import config
from dovetail.base.locations import here

_logger = logging.getLogger("dovetail.transfer_guards")
_is_explicit: ContextVar[bool] = ContextVar("is_explicit", default=False)

_LEVELS = {
    "host-to-device": config.transfer_guard_host_to_device,
    "device-to-device": config.transfer_guard_device_to_device,
    "device-to-host": config.transfer_guard_device_to_host,
}


@contextmanager
def explicit() -> Iterator[None]:
    """Mark transfers within the block as explicit."""
    token = _is_explicit.set(True)
    try:
        yield
    finally:
        _is_explicit.reset(token)


def check(direction: str, what: Any) -> None:
    """Log or refuse a transfer, if the settings say so.

    Args:
      direction: "host-to-device", "device-to-device" or "device-to-host".
      what: the type of the array.

    Raises:
      RuntimeError: it is refused.
    """
    if not config.snapshot().guards:
        return
    level, is_explicit = _LEVELS[direction].value, _is_explicit.get()
    if level == "allow" or (is_explicit and not level.endswith("_explicit")):
        return
    if level.startswith("log"):
        _logger.warning("%s transfer of %s %s", direction, what, here())
        return
    raise RuntimeError(
        f"{direction} transfers must not be made here, as transfer_guard says, got: one of {what} "
        f"{here()}; make it explicit with dovetail.device_put or dovetail.device_get, or allow "
        "it with dovetail.transfer_guard('allow')"
    )
