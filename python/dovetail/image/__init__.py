"""Images in other sizes and at other places."""

from dovetail.eager import cache as _eager
from dovetail.image.methods import ResizeMethod as ResizeMethod
from dovetail.image.resampling import resize as resize
from dovetail.image.resampling import scale_and_translate as scale_and_translate

_eager.remember(globals())
