_cache = None


def is_persistent_cache_enabled():
    return False
