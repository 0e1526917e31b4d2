// Storage of arrays, as the base of their Python class, and access to that of buffers.
#ifndef DOVETAIL_BINDINGS_CALLS_STORAGE_H
#define DOVETAIL_BINDINGS_CALLS_STORAGE_H

#include "HeapType.h"
#include <structmember.h>

namespace dovetail {

/// The fields of an array; all null if it was never initialized.
struct ArrayStorage {
  /// A NumPy array, a buffer or `Shards`, and the value as a NumPy array, or None if it is not known.
  PyObject *data, *host;
  /// Its place and whether it is committed to it, or None.
  PyObject *place;
  /// A bool.
  PyObject *weak;

  ArrayStorage() : data(), host(), place(), weak() {}
  ~ArrayStorage() { clear(); }
  template <typename Visit>
  int traverse(Visit visit) const {
    for (PyObject *held : {data, host, place, weak})
      if (int result = visit(held))
        return result;
    return 0;
  }
  void clear() {
    for (PyObject **held : {&data, &host, &place, &weak})
      Py_CLEAR(*held);
  }
};

inline ArrayStorage &arrayIn(PyObject *array) { return valueIn<ArrayStorage>(array); }

/// An attribute in the `__slots__` of a class defined in Python.
class Slot {
public:
  Slot(nanobind::handle type, const char *name);

  /// Null if it was never set.
  nanobind::object get(PyObject *object) const {
    PyObject *value = PyMember_GetOne(reinterpret_cast<char *>(object), member);
    if (!value)
      PyErr_Clear();
    return nanobind::steal(value);
  }
  void set(PyObject *object, PyObject *value) const {
    PyMember_SetOne(reinterpret_cast<char *>(object), member, value);
  }

private:
  PyMemberDef *member;
};

void bindStorage(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_STORAGE_H
