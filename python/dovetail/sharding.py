"""How the elements of arrays are spread over devices."""

from dovetail.placement.shardings import Sharding, SingleDeviceSharding

__all__ = ["Sharding", "SingleDeviceSharding"]
