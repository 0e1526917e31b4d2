"""Functions of native libraries in programs; the names are JAX's, and those of `dovetail/ffi.h`."""

from dovetail.runtime.foreign_types import CArray as CArray
from dovetail.runtime.foreign_types import CAttribute as CAttribute
from dovetail.runtime.foreign_types import CCall as CCall
from dovetail.runtime.foreign_types import CFunction as CFunction
from dovetail.transforms.foreign_calls import ffi_call as ffi_call
from dovetail.transforms.foreign_lowering import (
    build_ffi_lowering_function as build_ffi_lowering_function,
)
from dovetail.transforms.foreign_lowering import ffi_lowering as ffi_lowering
from dovetail.transforms.foreign_registration import include_dir as include_dir
from dovetail.transforms.foreign_registration import pycapsule as pycapsule
from dovetail.transforms.foreign_registration import register_c_function as register_c_function
from dovetail.transforms.foreign_registration import register_ffi_target as register_ffi_target
from dovetail.transforms.foreign_registration import (
    register_ffi_target_as_batch_partitionable as register_ffi_target_as_batch_partitionable,
)
from dovetail.transforms.foreign_registration import register_ffi_type as register_ffi_type
from dovetail.transforms.foreign_registration import register_ffi_type_id as register_ffi_type_id
