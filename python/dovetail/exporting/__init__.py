"""Programs as files, and as data that can be stored and called again."""
