"""The array class, its methods, and descriptions of arrays."""
