// Cache keys of calls whose arguments are trees of arrays.
#ifndef DOVETAIL_BINDINGS_CALLS_TREEKEY_H
#define DOVETAIL_BINDINGS_CALLS_TREEKEY_H

#include "Key.h"

namespace dovetail {

/// The parameters of a function that are not arrays: by position, counted from the end if negative, and by name.
struct Statics {
  llvm::SmallVector<Py_ssize_t, 2> numbers;
  nanobind::object names;

  bool hasNumber(Py_ssize_t number, Py_ssize_t count) const;
  bool hasName(PyObject *name) const;
};

/// Turns arguments into a key: the structure of the trees, the types of their leaves, and the static arguments. The
/// key's leaves come in the order in which Python flattens (args, kwargs).
class TreeKeyMaker {
public:
  explicit TreeKeyMaker(Key &key) : key(key) {}

  /// Returns true if the key distinguishes these arguments. May leave a Python error that must propagate.
  bool add(PyObject *args, PyObject *kwargs, const Statics &statics);

private:
  bool addKeywords(PyObject *kwargs, const Statics &statics);
  bool addTree(PyObject *tree);
  bool addContainer(PyObject *tree);
  bool addItems(PyObject *const *items, size_t count);
  bool addDict(PyObject *dict);
  bool addNodes(PyObject *tree);

  Key &key;
};

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_TREEKEY_H
