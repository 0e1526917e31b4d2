"""Stands for `jax`: loads the stand-in, which replaces this module."""

import sys

del sys.modules["jax"]
import jax_stand_in  # noqa: E402, F401
