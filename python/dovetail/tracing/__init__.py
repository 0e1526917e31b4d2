"""Tracing of functions into the dialect, and application of ops."""
