"""Kernels: functions on references that a grid of programs runs on blocks of arrays."""

from dovetail.experimental.pallas.call import pallas_call as pallas_call
from dovetail.experimental.pallas.programs import debug_print as debug_print
from dovetail.experimental.pallas.programs import loop as loop
from dovetail.experimental.pallas.programs import num_programs as num_programs
from dovetail.experimental.pallas.programs import program_id as program_id
from dovetail.experimental.pallas.programs import when as when
from dovetail.experimental.pallas.specs import ANY as ANY
from dovetail.experimental.pallas.specs import Blocked as Blocked
from dovetail.experimental.pallas.specs import BlockSpec as BlockSpec
from dovetail.experimental.pallas.specs import CostEstimate as CostEstimate
from dovetail.experimental.pallas.specs import Element as Element
from dovetail.experimental.pallas.specs import GridSpec as GridSpec
from dovetail.experimental.pallas.specs import MemorySpace as MemorySpace
from dovetail.experimental.pallas.specs import Squeezed as Squeezed
from dovetail.experimental.pallas.specs import no_block_spec as no_block_spec
from dovetail.experimental.pallas.specs import squeezed as squeezed
from dovetail.experimental.pallas.windows import cdiv as cdiv
from dovetail.experimental.pallas.windows import ds as ds
from dovetail.experimental.pallas.windows import dslice as dslice
from dovetail.experimental.pallas.windows import load as load
from dovetail.experimental.pallas.windows import multiple_of as multiple_of
from dovetail.experimental.pallas.windows import store as store
from dovetail.experimental.pallas.windows import swap as swap
from dovetail.tracing.held_indices import Slice as Slice
