"""`jax.extend.linear_util`: functions with a debug name, as libraries pass them to `jax`."""

from dovetail.as_jax.wrapped import WrappedFun as WrappedFun
from dovetail.as_jax.wrapped import wrap_init as wrap_init
