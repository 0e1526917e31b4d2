"""Functions with custom derivative rules."""

from dovetail.transforms.custom_derivatives.closures import closure_convert as closure_convert
from dovetail.transforms.custom_derivatives.closures import custom_gradient as custom_gradient
from dovetail.transforms.custom_derivatives.forward import custom_jvp as custom_jvp
from dovetail.transforms.custom_derivatives.reverse import custom_vjp as custom_vjp
from dovetail.transforms.custom_derivatives.symbolic import CustomVJPPrimal as CustomVJPPrimal
from dovetail.transforms.custom_derivatives.symbolic import SymbolicZero as SymbolicZero
from dovetail.transforms.custom_derivatives.symbolic import (
    custom_vjp_primal_tree_values as custom_vjp_primal_tree_values,
)
from dovetail.transforms.custom_derivatives.symbolic import zero_from_primal as zero_from_primal
