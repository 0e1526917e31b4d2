// Storage of arrays, as the base of their Python class, and access to that of buffers.
#ifndef DOVETAIL_BINDINGS_CALLS_STORAGE_H
#define DOVETAIL_BINDINGS_CALLS_STORAGE_H

#include "HeapType.h"
#include <structmember.h>
#include <utility>

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

  /// Null if it was never set; borrowed from the object.
  PyObject *peek(PyObject *object) const { return at(object); }
  nanobind::object get(PyObject *object) const { return nanobind::borrow(at(object)); }
  void set(PyObject *object, PyObject *value) const {
    PyObject *former = std::exchange(at(object), Py_NewRef(value));
    Py_XDECREF(former);
  }

private:
  PyObject *&at(PyObject *object) const {
    return *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) + offset);
  }

  Py_ssize_t offset;
};

void bindStorage(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_STORAGE_H
