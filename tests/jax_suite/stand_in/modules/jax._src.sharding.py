from dovetail.sharding import Sharding  # noqa


class IndivisibleError(ValueError):
    pass


def common_devices_indices_map(sharding, global_shape):
    return sharding.devices_indices_map(global_shape)
