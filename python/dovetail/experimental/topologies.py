"""The devices that a program is compiled for."""

from __future__ import annotations

from collections.abc import Sequence

import dovetail as dt
from dovetail.experimental.mesh_utils import create_device_mesh
from dovetail.placement.devices import Device
from dovetail.placement.meshes import Mesh

__all__ = ["TopologyDescription", "get_attached_topology", "get_topology_desc", "make_mesh"]


class TopologyDescription:
    """Devices that programs can be compiled for.

    Args:
      devices: the devices.

    Example:
      >>> from dovetail.experimental import topologies
      >>> len(topologies.TopologyDescription(dt.devices("cpu")[:1]).devices)
      1
    """

    def __init__(self, devices: list[Device]) -> None:
        self.devices = devices


def get_attached_topology(platform: str | None = None) -> TopologyDescription:
    """The devices of this machine.

    Args:
      platform: the name of a platform, by default the default one.

    Returns:
      A `TopologyDescription`.

    Example:
      >>> from dovetail.experimental import topologies
      >>> topologies.get_attached_topology("cpu").devices == dt.devices("cpu")
      True
    """
    return TopologyDescription(list(dt.devices(platform)))


def get_topology_desc(
    topology_name: str = "", platform: str | None = None, **kwargs: object
) -> TopologyDescription:
    """Devices of another machine, which this compiler does not describe.

    Args:
      topology_name: the name of the topology.
      platform: the name of the platform.
      **kwargs: what JAX's plugins take.

    Raises:
      NotImplementedError: always; `dt.export(..., targets=...)` compiles for other machines.

    Example:
      >>> from dovetail.experimental import topologies
      >>> topologies.get_topology_desc("v5e:2x2", "tpu")
      Traceback (most recent call last):
      NotImplementedError: get_topology_desc: topologies must be of attached devices: ...
    """
    raise NotImplementedError(
        "get_topology_desc: topologies must be of attached devices: use get_attached_topology, or "
        f"dt.export(..., targets=...) to compile for another machine, got: {topology_name!r}"
    )


def make_mesh(
    topo: TopologyDescription,
    mesh_shape: Sequence[int],
    axis_names: tuple[str, ...],
    *,
    contiguous_submeshes: bool = False,
) -> Mesh:
    """A mesh of the devices of a topology.

    Args:
      topo: the topology.
      mesh_shape: the size of each axis; their product is the number of devices.
      axis_names: the names of the axes.
      contiguous_submeshes: as for `mesh_utils.create_device_mesh`.

    Returns:
      A `Mesh`.

    Raises:
      ValueError: the sizes do not fit the number of devices.

    Example:
      >>> from dovetail.experimental import topologies
      >>> topology = topologies.TopologyDescription(dt.devices("cpu")[:1])
      >>> topologies.make_mesh(topology, (1,), ("data",)).shape
      OrderedDict([('data', 1)])
    """
    devices = create_device_mesh(
        mesh_shape, list(topo.devices), contiguous_submeshes=contiguous_submeshes
    )
    return Mesh(devices, axis_names)
