"""Shared parts of tests: programs, tables, oracles and comparisons."""
