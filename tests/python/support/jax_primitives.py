"""The names of the primitives of JAX 0.10.2."""

from pathlib import Path

NAMES = frozenset(Path(__file__).with_suffix(".txt").read_text().split())
