"""`jaxlib.xla_client`: the class of devices."""

from dovetail import Device as Device
