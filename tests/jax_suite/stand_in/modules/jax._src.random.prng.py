"""The table of generators, for tests that run over their names."""

import types

from dovetail.random.generators import GENERATORS as _GENERATORS

prngs = {
    n: types.SimpleNamespace(name=n, tag=t, key_shape=_GENERATORS[n].key_shape)
    for n, t in [
        ("threefry2x32", "fry"),
        ("threefry4x32", "fry4"),
        ("philox2x32", "phx"),
        ("philox4x32", "phx4"),
        ("rbg", "rbg"),
        ("unsafe_rbg", "urbg"),
    ]
}


def random_seed(seeds, impl):
    import numpy as np

    from dovetail import random, vmap

    def f(s):
        return random.key(s, impl=impl.name)

    for _ in range(np.ndim(seeds)):
        f = vmap(f)
    return f(seeds)


def _key_type():
    from dovetail import random

    return type(random.key(0))


PRNGKeyArray = _key_type()
