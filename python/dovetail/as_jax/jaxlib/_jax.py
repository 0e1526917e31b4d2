"""`jaxlib._jax`: classes of what JAX's functions return."""

from dovetail import Device as Device
from dovetail import jit

PjitFunction = type(jit(lambda: None))
