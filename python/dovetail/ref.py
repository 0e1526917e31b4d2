"""References under JAX's names: mutable places that hold arrays."""

from dovetail.tracing.references import AbstractRef as AbstractRef
from dovetail.tracing.references import Ref as Ref
from dovetail.transforms.references import addupdate as addupdate
from dovetail.transforms.references import empty_ref as empty_ref
from dovetail.transforms.references import free_ref as free_ref
from dovetail.transforms.references import freeze as freeze
from dovetail.transforms.references import get as get
from dovetail.transforms.references import new_ref as new_ref
from dovetail.transforms.references import set as set
from dovetail.transforms.references import swap as swap
