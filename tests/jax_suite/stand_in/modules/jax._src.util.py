"""JAX's util.py, verbatim but for its caches in C++, over small stand-ins for jaxlib's helpers."""

import functools as _functools

from jax_names import CHECKOUT as _CHECKOUT

_path = _CHECKOUT / "jax/_src/util.py"
_text = _path.read_text()
_a, _b = _text.index("class WeakrefCachedFunc"), _text.index("class Unhashable")
exec(compile(_text[:_a], _path, "exec"), globals())


def weakref_lru_cache(f=None, **k):
    return _functools.lru_cache(None)(f) if f is not None else _functools.lru_cache(None)


exec(compile(_text[_b:], _path, "exec"), globals())
