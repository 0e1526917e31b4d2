"""JAX's interface to MLIR in Python, for lowerings that write ops of StableHLO.

The bindings are those of IREE's compiler, which know the dialect and the types of its results. What
a lowering wrote is read by the translation from StableHLO.
"""
