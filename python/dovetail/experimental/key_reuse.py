"""The error of random keys that are used twice; `dovetail.debug_key_reuse` looks for them."""

from dovetail.errors import KeyReuseError as KeyReuseError
