"""`jax.extend.linear_util`: functions with a debug name, as libraries pass them to `jax`."""

from dovetail.trees.transformations import StoreException as StoreException
from dovetail.trees.transformations import merge_linear_aux as merge_linear_aux
from dovetail.trees.transformations import transformation as transformation
from dovetail.trees.transformations import transformation2 as transformation2
from dovetail.trees.transformations import transformation_with_aux as transformation_with_aux
from dovetail.trees.transformations import transformation_with_aux2 as transformation_with_aux2
from dovetail.trees.wrapped import WrappedFun as WrappedFun
from dovetail.trees.wrapped import wrap_init as wrap_init
