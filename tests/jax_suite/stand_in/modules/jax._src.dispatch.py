import types


class _C:
    def cache_info(self):
        return types.SimpleNamespace(misses=0, hits=0)

    def cache_clear(self):
        pass


xla_primitive_callable = _C()


class _Tokens:
    def clear(self):
        pass

    def block_until_ready(self):
        pass


runtime_tokens = _Tokens()
