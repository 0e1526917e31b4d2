from dovetail import make_mesh, set_mesh  # noqa
from dovetail.placement.named_sharding import DuplicateSpecError  # noqa
from dovetail.sharding import (  # noqa
    NamedSharding,
    Sharding,
    SingleDeviceSharding,
    get_mesh,
    make_single_device_sharding,
)

# What `jit` takes for shardings that are not stated.
UNSPECIFIED = None
