// The parts of the Python package that eager calls in C++ need.
#ifndef DOVETAIL_BINDINGS_PACKAGE_H
#define DOVETAIL_BINDINGS_PACKAGE_H

#include "Memory.h"

namespace dovetail {

/// Set once, never released.
struct Package {
  nanobind::object array, ndarray, generic, dtype, asarray, stack, settings, errors, quiet, record, constants;
  nanobind::object shapeName, dtypeName, tracesName, valueName;
  /// Where an array keeps its attributes.
  Py_ssize_t data, host, weak;
  Memory memory;
};

extern Package *package;

inline PyObject *&slotAt(PyObject *object, Py_ssize_t offset) {
  return *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) + offset);
}

inline bool isArray(PyObject *object) {
  return Py_TYPE(object) == reinterpret_cast<PyTypeObject *>(package->array.ptr());
}
inline bool isHost(PyObject *object) {
  return Py_TYPE(object) == reinterpret_cast<PyTypeObject *>(package->ndarray.ptr());
}
inline bool isOf(PyObject *object, const nanobind::object &type) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(type.ptr()));
}

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_PACKAGE_H
