"""Programs as files, and as data that can be kept and called again."""
