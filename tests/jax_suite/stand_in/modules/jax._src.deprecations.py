def is_accelerated(name):
    return False
