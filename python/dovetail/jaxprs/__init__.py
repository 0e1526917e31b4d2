"""Programs as data, under JAX's names: views of the compiler's IR, made when they are looked at.

`dovetail.make_jaxpr` makes one. Its equations have JAX's primitives, which are attributes of the
modules of their functions: `dovetail.lax.add_p`, `dovetail.lax.linalg.cholesky_p`.
"""

from dovetail.jaxprs.evaluation import eval_jaxpr as eval_jaxpr
from dovetail.jaxprs.evaluation import jaxpr_as_fun as jaxpr_as_fun
from dovetail.jaxprs.making import make_jaxpr as make_jaxpr
from dovetail.jaxprs.structure import ClosedJaxpr as ClosedJaxpr
from dovetail.jaxprs.structure import DropVar as DropVar
from dovetail.jaxprs.structure import Jaxpr as Jaxpr
from dovetail.jaxprs.structure import JaxprEqn as JaxprEqn
from dovetail.jaxprs.structure import Literal as Literal
from dovetail.jaxprs.structure import Var as Var
from dovetail.jaxprs.traversal import check_jaxpr as check_jaxpr
from dovetail.jaxprs.traversal import gensym as gensym
from dovetail.jaxprs.traversal import jaxprs_in_params as jaxprs_in_params
from dovetail.jaxprs.traversal import new_jaxpr_eqn as new_jaxpr_eqn
from dovetail.jaxprs.traversal import subjaxprs as subjaxprs
