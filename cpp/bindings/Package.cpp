// What Python gives of its package, and the objects of its classes that are made here.
#include "Package.h"
#include <structmember.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

Package *package = nullptr;
Runtime *runtime = nullptr;

bool isTracing() {
  auto traces = nb::steal(PyObject_GetAttr(package->stack.ptr(), package->tracesName.ptr()));
  return !traces.is_valid() || PyList_GET_SIZE(traces.ptr());
}

PyObject *currentSettings() {
  PyObject *settings;
  if (PyContextVar_Get(package->settings.ptr(), nullptr, &settings) < 0)
    return nullptr;
  // They are kept for ever.
  Py_DECREF(settings);
  return settings;
}

PyObject *newArray(PyObject *data, PyObject *host, bool weak, PyObject *place) {
  auto *type = reinterpret_cast<PyTypeObject *>(package->array.ptr());
  PyObject *array = type->tp_alloc(type, 0);
  if (!array)
    return nullptr;
  slotAt(array, package->data) = Py_NewRef(data);
  slotAt(array, package->host) = Py_NewRef(host);
  slotAt(array, package->place) = Py_NewRef(place);
  slotAt(array, package->weak) = Py_NewRef(weak ? Py_True : Py_False);
  return array;
}

void setData(PyObject *array, PyObject *data) {
  PyObject *former[] = {slotAt(array, package->data), slotAt(array, package->host)};
  slotAt(array, package->data) = Py_NewRef(data);
  slotAt(array, package->host) = Py_NewRef(isHost(data) ? data : Py_None);
  for (PyObject *object : former)
    Py_XDECREF(object);
}

/// As one step for other threads: two that exchange the data of one array get different ones.
static nb::object exchangeData(nb::handle array, nb::handle data) {
  if (!isArray(array.ptr()))
    throw nb::type_error("exchange_data needs an array");
  nb::object former = nb::borrow(slotAt(array.ptr(), package->data));
  setData(array.ptr(), data.ptr());
  return former;
}

static Py_ssize_t offsetOf(const nb::object &type, const char *name) {
  nb::object member = type.attr(name);
  if (Py_TYPE(member.ptr()) != &PyMemberDescr_Type)
    throw nb::type_error(name);
  return reinterpret_cast<PyMemberDescrObject *>(member.ptr())->d_member->offset;
}

#if PY_VERSION_HEX < 0x030C0000
/// What `__buffer__` is to later versions of Python.
static int exportBuffer(PyObject *array, Py_buffer *view, int flags) {
  auto host = nb::steal(PyObject_CallMethod(array, "__array__", nullptr));
  if (host.is_valid())
    return PyObject_GetBuffer(host.ptr(), view, flags);
  view->obj = nullptr;
  return -1;
}
#endif

static nb::object interned(const char *name) { return nb::steal(PyUnicode_InternFromString(name)); }

static void setPackage(nb::dict parts) {
  auto *made = new Package;
  for (auto [name, part] : {std::pair{"array", &made->array},
                            {"ndarray", &made->ndarray},
                            {"generic", &made->generic},
                            {"dtype", &made->dtype},
                            {"dtypes", &made->dtypes},
                            {"asarray", &made->asarray},
                            {"stack", &made->stack},
                            {"settings", &made->settings},
                            {"snapshot", &made->snapshot},
                            {"errors", &made->errors},
                            {"quiet", &made->quiet},
                            {"record", &made->record},
                            {"constants", &made->constants},
                            {"flatten", &made->flatten},
                            {"is_named_tuple", &made->isNamedTuple}})
    *part = parts[name];
  made->shapeName = interned("shape");
  made->dtypeName = interned("dtype");
  made->spaceName = interned("space");
  made->bytesName = interned("nbytes");
  made->tracesName = interned("traces");
  made->valueName = interned("_value");
  made->protocolName = interned("__jax_array__");
  made->data = offsetOf(made->array, "_data");
  made->host = offsetOf(made->array, "_host");
  made->place = offsetOf(made->array, "_place");
  made->weak = offsetOf(made->array, "weak_type");
  package = made;
#if PY_VERSION_HEX < 0x030C0000
  reinterpret_cast<PyTypeObject *>(made->array.ptr())->tp_as_buffer->bf_getbuffer = exportBuffer;
#endif
}

static void setChecker(nb::object checker) { package->checker = checker.is_none() ? nb::object() : std::move(checker); }

static void setRuntime(nb::object buffer) {
  auto *made = new Runtime;
  made->buffer = reinterpret_cast<PyTypeObject *>(buffer.ptr());
  made->ref = offsetOf(buffer, "_ref");
  made->dtype = offsetOf(buffer, "_dtype");
  made->device = offsetOf(buffer, "_device");
  made->view = offsetOf(buffer, "_view");
  made->host = offsetOf(buffer, "_host");
  made->shape = offsetOf(buffer, "_shape");
  made->shared = offsetOf(buffer, "_shared");
  runtime = made;
}

void bindPackage(nb::module_ &m) {
  m.def("set_package", &setPackage, "parts"_a, "Give what calls in C++ need of the Python package.");
  m.def("set_checker", &setChecker, "checker"_a.none(),
        "Have results of eager calls that are not replayed looked at: checker(function, result, *args, **kwargs).");
  m.def("exchange_data", &exchangeData, "array"_a, "data"_a, "Give an array other data; returns the former.");
  m.def("set_runtime", &setRuntime, "buffer"_a, "Give the class of the runtime's buffers.");
}

} // namespace dovetail
