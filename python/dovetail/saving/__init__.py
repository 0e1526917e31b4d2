"""Trees of arrays in files."""
