"""What may still change; the names are JAX's."""

from dovetail.callbacks import io_callback as io_callback
