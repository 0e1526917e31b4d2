"""Builders of CHLO's ops, with JAX's names."""

from dovetail.as_jax.mlir.builders import members_of
from dovetail.as_jax.mlir.dialects.stablehlo import register_dialect as register_dialect
from dovetail.as_jax.mlir.op_table import CHLO

globals().update(members_of("chlo", CHLO))
