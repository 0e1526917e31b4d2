"""How the elements of arrays are spread over devices."""

from dovetail.placement.mesh_contexts import (
    get_abstract_mesh,
    get_mesh,
    set_mesh,
    use_abstract_mesh,
)
from dovetail.placement.meshes import AbstractDevice, AbstractMesh, AxisType, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import PartitionSpec
from dovetail.placement.shardings import (
    Sharding,
    SingleDeviceSharding,
    make_single_device_sharding,
)
from dovetail.transforms.explicit_sharding import auto_axes, explicit_axes, reshard

__all__ = [
    "AbstractDevice",
    "AbstractMesh",
    "AxisType",
    "Mesh",
    "NamedSharding",
    "PartitionSpec",
    "Sharding",
    "SingleDeviceSharding",
    "auto_axes",
    "explicit_axes",
    "get_abstract_mesh",
    "get_mesh",
    "make_single_device_sharding",
    "reshard",
    "set_mesh",
    "use_abstract_mesh",
]
