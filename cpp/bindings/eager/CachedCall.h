// What is cached of an eager call.
#ifndef DOVETAIL_BINDINGS_EAGER_CACHEDCALL_H
#define DOVETAIL_BINDINGS_EAGER_CACHEDCALL_H

#include "cpp/bindings/calls/LruCache.h"
#include <memory>

namespace dovetail {

/// A recorded call: its inputs are the leaves of the key.
struct CachedCall {
  /// An `Executor`.
  nanobind::object executor;
  /// Of each output, whether its element type is weak.
  std::vector<bool> weak;
  /// Makes the result from a list of outputs; null if the result is the one output.
  nanobind::object structure;

  /// The result of a call like the one that was recorded, or null with a Python error.
  PyObject *replay(const Key &key) const;
};

enum class CacheState {
  /// Called once; the second call is recorded.
  Seen,
  Recorded,
  /// Python scalars decide on more than their type does: the key must have their values.
  ByValue,
  /// What the function does depends on values.
  Plain,
};

/// What is known of calls with one key.
struct CacheEntry {
  CacheState state = CacheState::Seen;
  std::shared_ptr<const CachedCall> call;
};

using EagerCache = LruCache<CacheEntry>;

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_EAGER_CACHEDCALL_H
