// Python types for C++ structs whose references to Python objects the garbage collector can see.
//
// Types of nanobind would complain of objects that live until the process ends, as jitted functions do.
#ifndef DOVETAIL_BINDINGS_CALLS_HEAPTYPE_H
#define DOVETAIL_BINDINGS_CALLS_HEAPTYPE_H

#include <nanobind/nanobind.h>
#include <new>
#include <utility>
#include <vector>

namespace dovetail {

/// An object of such a type. The struct has `traverse(visit)`, which visits the objects that it owns, and `clear()`.
template <typename T>
struct Object {
  PyObject_HEAD;
  T value;
};

template <typename T>
T &valueIn(PyObject *object) {
  return reinterpret_cast<Object<T> *>(object)->value;
}

namespace heap_type {

template <typename T>
PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  PyObject *object = type->tp_alloc(type, 0);
  if (object)
    new (&valueIn<T>(object)) T();
  return object;
}

template <typename T>
void destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  valueIn<T>(object).~T();
  type->tp_free(object);
  Py_DECREF(type);
}

template <typename T>
int traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  return valueIn<T>(object).traverse([&](PyObject *held) { return held ? visit(held, arg) : 0; });
}

template <typename T>
int clear(PyObject *object) {
  valueIn<T>(object).clear();
  return 0;
}

/// The `__init__` of a type whose struct `set`s all of its parts once, or none; `describedTwice` is the error
/// otherwise.
template <typename T>
int describe(PyObject *self, PyObject *args, PyObject *kwargs) try {
  T &value = valueIn<T>(self);
  if (value.isSet())
    throw nanobind::type_error(T::describedTwice);
  T described;
  described.set(args, kwargs);
  value = std::move(described);
  return 0;
} catch (nanobind::python_error &error) {
  error.restore();
  return -1;
} catch (const std::exception &error) {
  PyErr_SetString(PyExc_TypeError, error.what());
  return -1;
}

} // namespace heap_type

/// Makes the type, which Python classes may derive from, with more slots than those for its memory.
template <typename T>
nanobind::object makeHeapType(const char *name, std::vector<PyType_Slot> slots) {
  slots.push_back({Py_tp_new, reinterpret_cast<void *>(heap_type::create<T>)});
  slots.push_back({Py_tp_dealloc, reinterpret_cast<void *>(heap_type::destroy<T>)});
  slots.push_back({Py_tp_traverse, reinterpret_cast<void *>(heap_type::traverse<T>)});
  slots.push_back({Py_tp_clear, reinterpret_cast<void *>(heap_type::clear<T>)});
  slots.push_back({0, nullptr});
  PyType_Spec spec = {name, sizeof(Object<T>), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                      slots.data()};
  auto type = nanobind::steal(PyType_FromSpec(&spec));
  if (!type.is_valid())
    nanobind::raise_python_error();
  return type;
}

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_HEAPTYPE_H
