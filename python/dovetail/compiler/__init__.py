"""From modules of the dialect to module files: phases, IREE's compiler, and the cache on disk."""
