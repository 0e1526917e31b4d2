// The interface of plugins that IREE's runtime imports functions from, version 0.1, as IREE 3.13 has it in
// runtime/src/iree/hal/local/executable_plugin.h.
#ifndef DOVETAIL_PLUGIN_PLUGIN_H
#define DOVETAIL_PLUGIN_PLUGIN_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dovetail::plugin {

constexpr uint32_t kVersion = 1;

/// A status code in the place of a pointer.
using Status = uintptr_t;
constexpr Status kOk = 0, kNotFound = 5;

/// Set where an import was not found whose name begins with `?`.
constexpr uint32_t kMissingOptional = 1;

struct Header {
  uint32_t version;
  const char *name, *description;
  uint32_t features;
  int32_t sanitizer;
  uint64_t reserved[8];
};

/// A function to import, which returns 0 if it succeeds. Its arguments come packed.
using Function = int (*)(void *arguments, void *context, void *reserved);

/// What to find; functions that are not null have been found.
struct Imports {
  size_t count;
  const char *const *names;
  Function *functions;
  void **contexts;
};

struct Interface {
  const Header *header;
  Status (*load)(const void *environment, size_t numParameters, const void *parameters, void **self);
  void (*unload)(void *self);
  Status (*resolve)(void *self, const Imports *imports, uint32_t *resolution);
};

/// A pointer as the code generator passes it: base and offset in elements.
template <typename T>
struct Place {
  T *base;
  int64_t offset;

  T *get() const { return base + offset; }
};

//===- Plugins of a few functions -----------------------------------------------===//

/// A function, by the name under which programs import it.
struct Export {
  const char *name;
  Function function;
};

inline Status load(const void *, size_t, const void *, void **self) {
  *self = nullptr;
  return kOk;
}

inline void unload(void *) {}

/// Resolves the imports that `find` finds: it is given the name, and sets the function and its context.
template <typename Find>
Status resolveBy(const Imports *imports, uint32_t *resolution, Find find) {
  *resolution = 0;
  Status status = kOk;
  for (size_t i = 0; i < imports->count; ++i) {
    if (imports->functions[i])
      continue;
    const char *wanted = imports->names[i];
    bool isOptional = *wanted == '?';
    if (find(std::string_view(wanted + isOptional), imports->functions[i], imports->contexts[i]))
      continue;
    if (isOptional)
      *resolution |= kMissingOptional;
    else
      status = kNotFound;
  }
  return status;
}

/// Resolves imports of an array of exports.
template <const auto &exports>
Status resolve(void *, const Imports *imports, uint32_t *resolution) {
  return resolveBy(imports, resolution, [](std::string_view name, Function &function, void *&) {
    for (const Export &each : exports)
      if (name == each.name)
        function = each.function;
    return function != nullptr;
  });
}

} // namespace dovetail::plugin

#endif // DOVETAIL_PLUGIN_PLUGIN_H
