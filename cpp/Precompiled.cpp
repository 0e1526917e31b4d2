// A translation unit for the precompiled header to belong to.
