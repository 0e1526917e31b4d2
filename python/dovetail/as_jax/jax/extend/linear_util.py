"""`jax.extend.linear_util`: functions with a debug name, as libraries pass them to `jax`."""

from dovetail.trees.wrapped import WrappedFun as WrappedFun
from dovetail.trees.wrapped import wrap_init as wrap_init
