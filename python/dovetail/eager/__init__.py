"""Eager calls: recorded, and replayed from a cache."""
