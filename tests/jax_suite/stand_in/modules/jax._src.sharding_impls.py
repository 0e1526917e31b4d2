from dovetail.sharding import SingleDeviceSharding, Sharding  # noqa


def make_single_device_sharding(device, **k):
    return SingleDeviceSharding(device, **k)
