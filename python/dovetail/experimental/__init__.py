"""Functions that may still change; the names are JAX's."""

from dovetail.transforms.callbacks import io_callback as io_callback
