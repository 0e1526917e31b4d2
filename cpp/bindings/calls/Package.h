// The parts of the Python package that calls in C++ need.
#ifndef DOVETAIL_BINDINGS_CALLS_PACKAGE_H
#define DOVETAIL_BINDINGS_CALLS_PACKAGE_H

#include "Storage.h"

namespace dovetail {

/// Set once, never released.
struct Package {
  nanobind::object array, ndarray, generic, dtype, dtypes, asarray, stack, settings, snapshot, errors, quiet, record,
      constants, flatten, isNamedTuple;
  nanobind::object shapeName, dtypeName, spaceName, bytesName, tracesName, valueName, protocolName;
  /// What looks at the results of public functions whose calls are not replayed; null until somebody wants that.
  nanobind::object checker;
};

extern Package *package;
/// The class of the runtime's buffers, which must not need this extension; set before there are programs.
struct Runtime {
  /// Each buffer and each program holds it: whatever is held here lives on when the process ends, and IREE complains of
  /// what lives on.
  PyTypeObject *buffer;
  Slot ref, dtype, device, shape, view, host, shared;

  explicit Runtime(nanobind::handle buffer);
};

extern Runtime *runtime;

inline bool isExactly(PyObject *object, const nanobind::object &type) {
  return Py_TYPE(object) == reinterpret_cast<PyTypeObject *>(type.ptr());
}
inline bool isArray(PyObject *object) { return isExactly(object, package->array); }
inline bool isHost(PyObject *object) { return isExactly(object, package->ndarray); }
inline bool isBuffer(PyObject *object) { return runtime && Py_TYPE(object) == runtime->buffer; }
/// Whether something else may see a buffer's memory.
inline bool isShared(PyObject *buffer) {
  return runtime->shared.get(buffer).ptr() != Py_False || runtime->host.get(buffer).ptr() != Py_None;
}
/// Forbids calls to write over a buffer.
inline void setShared(PyObject *buffer) { runtime->shared.set(buffer, Py_True); }
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
