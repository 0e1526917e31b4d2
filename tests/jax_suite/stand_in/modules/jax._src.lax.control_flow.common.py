import types

_dedup_consts = types.SimpleNamespace(cache_clear=lambda: None)
_pad_constvars = types.SimpleNamespace(cache_clear=lambda: None)
