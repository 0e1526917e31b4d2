"""Settings, errors, element types, source locations and events: the lowest layer, used by all
others.
"""
