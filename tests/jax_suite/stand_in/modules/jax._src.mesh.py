"""Meshes, and those without axes, which have no public name."""

from dovetail.placement.meshes import EMPTY as empty_concrete_mesh  # noqa
from dovetail.placement.meshes import EMPTY_ABSTRACT as empty_abstract_mesh  # noqa
from dovetail.sharding import *  # noqa
