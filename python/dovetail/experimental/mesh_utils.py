"""Arrangements of devices for meshes."""

from dovetail.placement.device_meshes import create_device_mesh as create_device_mesh
from dovetail.placement.device_meshes import create_hybrid_device_mesh as create_hybrid_device_mesh
