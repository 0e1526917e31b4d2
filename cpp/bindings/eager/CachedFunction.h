// Functions with a cache of eager calls.
#ifndef DOVETAIL_BINDINGS_EAGER_CACHEDFUNCTION_H
#define DOVETAIL_BINDINGS_EAGER_CACHEDFUNCTION_H

#include <nanobind/nanobind.h>

namespace dovetail {

/// Adds the type `CachedFunction` and what governs the cache to the extension module.
void bindCachedFunction(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_EAGER_CACHEDFUNCTION_H
