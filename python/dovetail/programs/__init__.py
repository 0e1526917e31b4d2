"""Jitted functions and their programs: traced, lowered, compiled, called."""
