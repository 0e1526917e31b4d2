"""Settings, errors, element types, source locations and events: what every other layer uses."""
