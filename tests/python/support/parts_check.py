"""What a test on several devices expects of a sharded result."""

from __future__ import annotations

from typing import Any

import numpy as np

import dovetail as dt
from dovetail.sharding import NamedSharding
from dovetail.sharding import PartitionSpec as P


def check(result: dt.Array, expected: Any, *spec: Any) -> None:
    """The values, and the sharding, of which each device has its part."""
    assert isinstance(result.sharding, NamedSharding)
    assert result.sharding.spec == P(*spec)
    for shard in result.addressable_shards:
        np.testing.assert_allclose(
            shard.data, np.asarray(expected)[shard.index], rtol=1e-4, atol=1e-5
        )
