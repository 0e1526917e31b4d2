"""Functions with custom derivative rules."""

from __future__ import annotations

from typing import Any as _Any

from dovetail.base import late as _late
from dovetail.transforms.custom_derivatives import CustomVJPPrimal as CustomVJPPrimal
from dovetail.transforms.custom_derivatives import SymbolicZero as SymbolicZero
from dovetail.transforms.custom_derivatives import closure_convert as closure_convert
from dovetail.transforms.custom_derivatives import custom_gradient as custom_gradient
from dovetail.transforms.custom_derivatives import custom_jvp as custom_jvp
from dovetail.transforms.custom_derivatives import custom_vjp as custom_vjp
from dovetail.transforms.custom_derivatives import (
    custom_vjp_primal_tree_values as custom_vjp_primal_tree_values,
)
from dovetail.transforms.custom_derivatives import zero_from_primal as zero_from_primal
from dovetail.transforms.linear_call import linear_call as linear_call


def __getattr__(name: str) -> _Any:
    # The primitives of functions with rules.
    return _late.jaxprs.find(__name__, name)
