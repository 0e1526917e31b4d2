// The parts of the Python package that calls in C++ need.
#ifndef DOVETAIL_BINDINGS_CALLS_PACKAGE_H
#define DOVETAIL_BINDINGS_CALLS_PACKAGE_H

#include <nanobind/nanobind.h>

namespace dovetail {

/// Set once, never released.
struct Package {
  nanobind::object array, ndarray, generic, dtype, dtypes, asarray, stack, settings, snapshot, errors, quiet, record,
      constants, flatten, isNamedTuple;
  nanobind::object shapeName, dtypeName, spaceName, bytesName, tracesName, valueName, protocolName;
  /// Where an array keeps its attributes.
  Py_ssize_t data, host, place, weak;
  /// What looks at the results of public functions whose calls are not replayed; null until somebody wants that.
  nanobind::object checker;
};

/// What calls of compiled programs need besides; set with the first of them.
struct Runtime {
  /// The class, which each buffer and each program holds: whatever is held here lives on when the process ends, and
  /// IREE complains of what lives on.
  PyTypeObject *buffer;
  /// Where a buffer keeps its attributes.
  Py_ssize_t ref, dtype, device, view, host, shape, shared;
};

extern Package *package;
extern Runtime *runtime;

inline PyObject *&slotAt(PyObject *object, Py_ssize_t offset) {
  return *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) + offset);
}

inline bool isExactly(PyObject *object, const nanobind::object &type) {
  return Py_TYPE(object) == reinterpret_cast<PyTypeObject *>(type.ptr());
}
inline bool isArray(PyObject *object) { return isExactly(object, package->array); }
inline bool isHost(PyObject *object) { return isExactly(object, package->ndarray); }
inline bool isBuffer(PyObject *object) { return runtime && Py_TYPE(object) == runtime->buffer; }
/// Whether something else may see a buffer's memory.
inline bool isShared(PyObject *buffer) {
  return slotAt(buffer, runtime->shared) != Py_False || slotAt(buffer, runtime->host) != Py_None;
}
/// Forbids calls to write over a buffer.
inline void setShared(PyObject *buffer) { Py_SETREF(slotAt(buffer, runtime->shared), Py_NewRef(Py_True)); }
inline bool isOf(PyObject *object, const nanobind::object &type) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(type.ptr()));
}

/// Whether a function is being traced on this thread.
bool isTracing();
/// The settings that hold here: one object for equal settings, which lives for ever. Null with a Python error.
PyObject *currentSettings();

/// Drops a Python error that another way of doing the same may explain, but none such as an interrupt.
inline void dropException() {
  if (PyErr_ExceptionMatches(PyExc_Exception))
    PyErr_Clear();
}

/// An array of what is given, whose value as an array of NumPy is `host` or not known.
PyObject *newArray(PyObject *data, PyObject *host, bool weak, PyObject *place = Py_None);
/// Gives an array other data. Runs no Python code as long as the former is held elsewhere.
void setData(PyObject *array, PyObject *data);

void bindPackage(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_PACKAGE_H
