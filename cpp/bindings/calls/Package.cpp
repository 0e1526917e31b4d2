// Objects of the Python package that calls need, and construction of instances of its classes.
#include "Package.h"

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
  // They are kept forever.
  Py_DECREF(settings);
  return settings;
}

PyObject *newArray(PyObject *data, PyObject *host, bool weak, PyObject *place) {
  auto *type = reinterpret_cast<PyTypeObject *>(package->array.ptr());
  PyObject *array = type->tp_alloc(type, 0);
  if (!array)
    return nullptr;
  ArrayStorage &storage = arrayIn(array);
  storage.data = Py_NewRef(data);
  storage.host = Py_NewRef(host);
  storage.place = Py_NewRef(place);
  storage.weak = Py_NewRef(weak ? Py_True : Py_False);
  return array;
}

void setData(PyObject *array, PyObject *data) {
  ArrayStorage &storage = arrayIn(array);
  PyObject *former[] = {storage.data, storage.host};
  storage.data = Py_NewRef(data);
  storage.host = Py_NewRef(isHost(data) ? data : Py_None);
  for (PyObject *object : former)
    Py_XDECREF(object);
}

/// Atomic for other threads: two that exchange the data of one array get different data.
static nb::object exchangeData(nb::handle array, nb::handle data) {
  if (!isArray(array.ptr()))
    throw nb::type_error("exchange_data needs an array");
  nb::object former = nb::borrow(arrayIn(array.ptr()).data);
  setData(array.ptr(), data.ptr());
  return former;
}

static nb::object interned(const char *name) { return nb::steal(PyUnicode_InternFromString(name)); }

static void setPackage(nb::object array, nb::object ndarray, nb::object generic, nb::object dtype, nb::object dtypes,
                       nb::object asarray, nb::object stack, nb::object settings, nb::object snapshot,
                       nb::object errors, nb::object quiet, nb::object record, nb::object constants, nb::object flatten,
                       nb::object isNamedTuple) {
  auto *made = new Package;
  made->array = std::move(array);
  made->ndarray = std::move(ndarray);
  made->generic = std::move(generic);
  made->dtype = std::move(dtype);
  made->dtypes = std::move(dtypes);
  made->asarray = std::move(asarray);
  made->stack = std::move(stack);
  made->settings = std::move(settings);
  made->snapshot = std::move(snapshot);
  made->errors = std::move(errors);
  made->quiet = std::move(quiet);
  made->record = std::move(record);
  made->constants = std::move(constants);
  made->flatten = std::move(flatten);
  made->isNamedTuple = std::move(isNamedTuple);
  made->shapeName = interned("shape");
  made->dtypeName = interned("dtype");
  made->spaceName = interned("space");
  made->bytesName = interned("nbytes");
  made->baseName = interned("base");
  made->refName = interned("ref");
  made->memoryName = interned("memory");
  made->tracesName = interned("traces");
  made->valueName = interned("_value");
  made->protocolName = interned("__jax_array__");
  package = made;
}

static void setChecker(nb::object checker) { package->checker = checker.is_none() ? nb::object() : std::move(checker); }

Runtime::Runtime(nb::handle buffer)
    : buffer(reinterpret_cast<PyTypeObject *>(buffer.ptr())), ref(buffer, "_ref"), memory(buffer, "_memory"),
      dtype(buffer, "_dtype"), device(buffer, "_where"), shape(buffer, "_shape"), view(buffer, "_view"),
      host(buffer, "_host"), shared(buffer, "_shared") {}

bool isShared(PyObject *buffer, PyObject *array) {
  if (runtime->shared.get(buffer).ptr() != Py_False)
    return true;
  nb::object view = runtime->host.get(buffer);
  if (view.is_none())
    return false;
  // Those of the buffer, of the array, and of this function.
  Py_ssize_t own = 2 + (array && isArray(array) && arrayIn(array).host == view.ptr() ? 1 : 0);
  while (isHost(view.ptr())) {
    if (Py_REFCNT(view.ptr()) > own)
      return true;
    auto base = nb::steal(PyObject_GetAttr(view.ptr(), package->baseName.ptr()));
    if (!base.is_valid()) {
      PyErr_Clear();
      return true;
    }
    view = std::move(base);
    own = 2;
  }
  return false;
}

/// What a slot has, or else what the property makes and puts there.
static nb::object madeOnce(const Slot &slot, PyObject *buffer, const nb::object &property) {
  nb::object made = slot.get(buffer);
  return made.is_none() ? nb::steal(PyObject_GetAttr(buffer, property.ptr())) : made;
}

nb::object viewOf(PyObject *buffer) { return madeOnce(runtime->ref, buffer, package->refName); }
nb::object memoryOf(PyObject *buffer) { return madeOnce(runtime->memory, buffer, package->memoryName); }

PyObject *newBuffer(PyObject *view, PyObject *dtype, PyObject *device, PyObject *shape, bool isShared) {
  PyObject *buffer = runtime->buffer->tp_alloc(runtime->buffer, 0);
  if (!buffer)
    return nullptr;
  runtime->ref.set(buffer, view);
  runtime->memory.set(buffer, Py_None);
  runtime->dtype.set(buffer, dtype);
  runtime->device.set(buffer, device);
  runtime->shape.set(buffer, shape);
  runtime->view.set(buffer, Py_None);
  runtime->host.set(buffer, Py_None);
  runtime->shared.set(buffer, isShared ? Py_True : Py_False);
  return buffer;
}

static void setRuntime(nb::handle buffer) { runtime = new Runtime(buffer); }

static const char packageSignature[] =
    "def set_package(*, array: type[dovetail.arrays.array.Array], ndarray: type[numpy.ndarray], generic: "
    "type[numpy.generic], "
    "dtype: type[numpy.dtype], dtypes: dict[numpy.dtype, numpy.dtype], "
    "asarray: collections.abc.Callable[..., numpy.ndarray], stack: dovetail.base.trace_stack.Stack, "
    "settings: contextvars.ContextVar[tuple[typing.Any, ...]], "
    "snapshot: collections.abc.Callable[[], dovetail.base.config.Snapshot], "
    "errors: contextvars.ContextVar[typing.Any], quiet: object, "
    "record: collections.abc.Callable[..., dovetail.eager.recording.Recorded], constants: tuple[type, ...], "
    "flatten: collections.abc.Callable[[typing.Any], tuple[list[typing.Any], typing.Any]], "
    "is_named_tuple: collections.abc.Callable[[type], bool]) -> None";

void bindPackage(nb::module_ &m) {
  m.def("set_package", &setPackage, nb::kw_only(), "array"_a, "ndarray"_a, "generic"_a, "dtype"_a, "dtypes"_a,
        "asarray"_a, "stack"_a, "settings"_a, "snapshot"_a, "errors"_a, "quiet"_a, "record"_a, "constants"_a,
        "flatten"_a, "is_named_tuple"_a, nb::sig(packageSignature),
        "Give what calls in C++ need of the Python package.");
  m.def("set_checker", &setChecker, "checker"_a.none(),
        nb::sig("def set_checker(checker: collections.abc.Callable[..., None] | None) -> None"),
        "Have results of eager calls that are not replayed looked at: checker(function, result, *args, **kwargs).");
  m.def("exchange_data", &exchangeData, "array"_a, "data"_a,
        nb::sig("def exchange_data(array: dovetail.arrays.array.Array, data: typing.Any) -> typing.Any"),
        "Give an array other data; returns the former.");
  m.def("set_runtime", &setRuntime, "buffer"_a,
        nb::sig("def set_runtime(buffer: type[dovetail.runtime.buffer.Buffer]) -> None"),
        "Give the class of the runtime's buffers.");
}

} // namespace dovetail
