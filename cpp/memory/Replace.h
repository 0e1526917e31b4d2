// Functions that a loaded library imports, replaced for that library alone.
#ifndef DOVETAIL_MEMORY_REPLACE_H
#define DOVETAIL_MEMORY_REPLACE_H

#include <cstddef>

namespace dovetail::memory {

/// A function by its name in the library's symbol table.
struct Replacement {
  const char *name;
  void *function;
};

/// Lets a library that is loaded from `path` call other functions than those that the dynamic linker bound it to.
/// Either all are replaced, or, if it does not import one of them, none, and the result is false.
bool replaceImports(const char *path, const Replacement *replacements, size_t count);

} // namespace dovetail::memory

#endif // DOVETAIL_MEMORY_REPLACE_H
