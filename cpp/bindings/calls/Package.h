// The parts of the Python package that calls in C++ need.
#ifndef DOVETAIL_BINDINGS_CALLS_PACKAGE_H
#define DOVETAIL_BINDINGS_CALLS_PACKAGE_H

#include "Storage.h"

namespace dovetail {

/// Set once, never released.
struct Package {
  nanobind::object array, ndarray, generic, dtype, dtypes, asarray, stack, settings, snapshot, errors, quiet, record,
      constants, flatten, isNamedTuple;
  nanobind::object shapeName, dtypeName, spaceName, bytesName, baseName, refName, memoryName, tracesName, valueName,
      protocolName;
  /// Inspects the results of public functions whose calls are not replayed; null unless enabled.
  nanobind::object checker;
};

extern Package *package;
/// The class of the runtime's buffers, which must not need this extension; set before there are programs.
struct Runtime {
  /// A borrowed reference: every buffer and program holds the class. An owned one would live until the process ends,
  /// and IREE reports objects that do.
  PyTypeObject *buffer;
  Slot ref, memory, dtype, device, shape, view, host, shared;

  explicit Runtime(nanobind::handle buffer);
};

extern Runtime *runtime;

inline bool isExactly(PyObject *object, const nanobind::object &type) {
  return Py_TYPE(object) == reinterpret_cast<PyTypeObject *>(type.ptr());
}
inline bool isArray(PyObject *object) { return isExactly(object, package->array); }
inline bool isHost(PyObject *object) { return isExactly(object, package->ndarray); }
inline bool isBuffer(PyObject *object) { return runtime && Py_TYPE(object) == runtime->buffer; }
/// Returns true if a buffer's memory may have users other than the buffer, its NumPy view, and `array`, which has the
/// buffer: NumPy arrays that were made of the view refer to it, or to the array that it is a view of.
bool isShared(PyObject *buffer, PyObject *array = nullptr);
/// Forbids calls to overwrite a buffer.
inline void setShared(PyObject *buffer) { runtime->shared.set(buffer, Py_True); }
inline bool isOf(PyObject *object, const nanobind::object &type) {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject *>(type.ptr()));
}

/// Calls a Python function; null with a Python error.
template <typename... Args>
nanobind::object callPython(const nanobind::object &function, Args... args) {
  PyObject *storage[] = {nullptr, args...};
  return nanobind::steal(
      PyObject_Vectorcall(function.ptr(), storage + 1, sizeof...(args) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
}

/// An immutable buffer of an array of which IREE returned a view; null with a Python error.
PyObject *newBuffer(PyObject *view, PyObject *dtype, PyObject *device, PyObject *shape, bool isShared);
/// IREE's reference to a buffer's view, or to its memory; null with a Python error.
nanobind::object viewOf(PyObject *buffer);
nanobind::object memoryOf(PyObject *buffer);

/// Returns true while this thread traces a function.
bool isTracing();
/// The settings that apply here: one object for equal settings, which is never released. Null with a Python error.
PyObject *currentSettings();

/// Drops a Python error that another way of doing the same may explain, but none such as an interrupt.
inline void dropException() {
  if (PyErr_ExceptionMatches(PyExc_Exception))
    PyErr_Clear();
}

/// Makes an array from its data; `host` is its value as a NumPy array, if known.
PyObject *newArray(PyObject *data, PyObject *host, bool weak, PyObject *place = Py_None);
/// Replaces the data of an array. Runs no Python code as long as the old data is held elsewhere.
void setData(PyObject *array, PyObject *data);

void bindPackage(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_PACKAGE_H
