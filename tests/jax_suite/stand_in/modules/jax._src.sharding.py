from dovetail.sharding import Sharding  # noqa

# The public name of its class.
IndivisibleError = ValueError


def common_devices_indices_map(sharding, global_shape):
    return sharding.devices_indices_map(global_shape)
