"""Derivatives, batches, checkpoints and callbacks, as requests to the compiler."""
