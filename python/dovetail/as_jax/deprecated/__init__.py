"""Modules that JAX has deprecated, and that libraries import."""
