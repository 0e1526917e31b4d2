// Cache key of a call.
#ifndef DOVETAIL_BINDINGS_CALLS_KEY_H
#define DOVETAIL_BINDINGS_CALLS_KEY_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <nanobind/nanobind.h>

namespace dovetail {

/// Tags that begin the parts of a key. Some hold properties of an array in the higher bytes: rank, weak type, and
/// whether it is placed.
enum class Tag : uint64_t {
  Array,
  Host,
  Generic,
  Scalar,
  Int,
  Float,
  Complex,
  Object,
  Text,
  Value,
  Nodes,
  Tuple,
  List,
  Dict,
  NamedTuple,
  Slice,
  Keyword,
};

/// The words of one call's key, and the objects they refer to. The key owns references, since calls may run code that
/// drops others.
class Key {
public:
  explicit Key(unsigned limit) : limit(limit) {}
  Key(const Key &) = delete;
  Key &operator=(const Key &) = delete;
  ~Key();

  /// Each is false if the key is full, or if objects cannot be distinguished; the code of objects may have raised an
  /// exception that must propagate.
  bool add(uint64_t word) { return words.size() < limit && (words.push_back(word), true); }
  bool add(Tag tag, uint64_t value) { return add(uint64_t(tag)) && add(value); }
  /// An object that is compared by identity.
  bool addObject(Tag tag, PyObject *object);
  /// An object that is compared with others of its type by `==`.
  bool addValue(PyObject *object);
  bool addText(Tag tag, PyObject *text);
  /// An array or a number of which only the type is in the key.
  void addLeaf(PyObject *leaf) { leaves.push_back(Py_NewRef(leaf)); }

  uint64_t hash() const;

  llvm::SmallVector<uint64_t, 96> words;
  /// Objects compared by identity, objects compared by value, and the leaves.
  llvm::SmallVector<PyObject *, 24> objects;
  llvm::SmallVector<PyObject *, 4> values;
  llvm::SmallVector<PyObject *, 24> leaves;

private:
  unsigned limit;
};

/// Returns true if an array's placement is part of the key.
bool isPlaced(PyObject *array);
/// Adds an array of the package, with its place.
bool addArray(Key &key, PyObject *array);
/// Adds an object with the shape and the element type of `array`.
bool addTyped(Key &key, uint64_t tag, PyObject *leaf, PyObject *array);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_KEY_H
