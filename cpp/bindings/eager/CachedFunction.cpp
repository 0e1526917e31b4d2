// Functions with a cache of eager calls: the second call with one key is recorded, further ones replay it.
#include "CachedFunction.h"
#include "CachedCall.h"
#include "cpp/bindings/calls/Package.h"
#include <cstring>
#include <structmember.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

namespace {

/// The calls of all functions; never released.
EagerCache *cache = new EagerCache;

/// Longer keys, such as those of large lists of numbers, are not worth it.
constexpr unsigned maxWords = 96;

/// A callable object in front of a function.
struct CachedFunction {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  PyObject *dict, *references;
  PyObject *function;
  /// Parameters whose scalars are operands: by position, those after, by name.
  uint64_t positions;
  bool rest;
  PyObject *names;
  uint64_t number;
};

/// Whether scalars are operands of the parameter of an argument.
bool takesOperand(const CachedFunction *self, size_t i, size_t count, PyObject *names) {
  if (i >= count)
    return PySequence_Contains(self->names, PyTuple_GET_ITEM(names, i - count)) == 1;
  return i < 64 ? self->positions >> i & 1 : self->rest;
}

// Keys ----------------------------------------------------------------------------------------------------------------

/// What a call's arguments are turned into.
class KeyMaker {
public:
  KeyMaker(Key &key, bool byValue) : key(key), byValue(byValue) {}

  /// Whether the arguments can be told apart, and the key has room for them.
  bool add(const CachedFunction *self, PyObject *const *args, size_t count, PyObject *names);

  /// Whether the type alone of some Python scalar is in the key.
  bool hasScalars = false;

private:
  bool addArgument(PyObject *value, bool isOperand);
  bool addNumber(PyObject *value, bool isOperand);
  bool addItems(Tag tag, PyObject *const *items, size_t count, bool isOperand);

  Key &key;
  bool byValue;
};

bool KeyMaker::add(const CachedFunction *self, PyObject *const *args, size_t count, PyObject *names) {
  PyObject *settings = currentSettings();
  if (!settings || !key.add(self->number << 1 | byValue) || !key.add(reinterpret_cast<uintptr_t>(settings)))
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!addArgument(args[i], takesOperand(self, i, count, names)))
      return false;
  size_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (size_t i = 0; i < named; ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    if (!key.addText(Tag::Keyword, name) || !addArgument(args[count + i], takesOperand(self, count + i, count, names)))
      return false;
  }
  return true;
}

bool KeyMaker::addArgument(PyObject *value, bool isOperand) {
  if (isArray(value))
    return !isPlaced(value) && addArray(key, value);
  if (value == Py_None || PyBool_Check(value) || value == Py_Ellipsis)
    return key.addObject(Tag::Object, value);
  if (PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyComplex_CheckExact(value))
    return addNumber(value, isOperand);
  if (PyUnicode_CheckExact(value))
    return key.addText(Tag::Text, value);
  if (PyTuple_CheckExact(value))
    return addItems(Tag::Tuple, reinterpret_cast<PyTupleObject *>(value)->ob_item, PyTuple_GET_SIZE(value), isOperand);
  if (PyList_CheckExact(value))
    return addItems(Tag::List, reinterpret_cast<PyListObject *>(value)->ob_item, PyList_GET_SIZE(value), isOperand);
  if (PySlice_Check(value)) {
    auto *slice = reinterpret_cast<PySliceObject *>(value);
    PyObject *items[] = {slice->start, slice->stop, slice->step};
    return addItems(Tag::Slice, items, 3, false);
  }
  if (isHost(value))
    return isOperand && addTyped(key, uint64_t(Tag::Host), value, value);
  if (isOf(value, package->generic))
    return isOperand && addTyped(key, uint64_t(Tag::Generic), value, value);
  if (PyType_Check(value) || isOf(value, package->dtype) || PyObject_IsInstance(value, package->constants.ptr()) == 1)
    return key.addObject(Tag::Object, value);
  return false;
}

bool KeyMaker::addNumber(PyObject *value, bool isOperand) {
  if (isOperand && !byValue) {
    hasScalars = true;
    key.addLeaf(value);
    return key.add(Tag::Scalar, reinterpret_cast<uintptr_t>(Py_TYPE(value)));
  }
  if (PyLong_CheckExact(value)) {
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return !overflow && key.add(Tag::Int, number);
  }
  bool isReal = PyFloat_CheckExact(value);
  double parts[] = {isReal ? PyFloat_AS_DOUBLE(value) : PyComplex_RealAsDouble(value),
                    isReal ? 0.0 : PyComplex_ImagAsDouble(value)};
  // The bits tell -0 from 0.
  uint64_t bits[2];
  std::memcpy(bits, parts, sizeof bits);
  return key.add(isReal ? Tag::Float : Tag::Complex, bits[0]) && key.add(bits[1]);
}

bool KeyMaker::addItems(Tag tag, PyObject *const *items, size_t count, bool isOperand) {
  if (!key.add(tag, count))
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!addArgument(items[i], isOperand))
      return false;
  return true;
}

// Recording -----------------------------------------------------------------------------------------------------------

/// Calls the function, and caches what it does. Null, without an error, if it must be called again as it is.
PyObject *record(const CachedFunction *self, PyObject *const *args, size_t count, PyObject *names, const Key &key,
                 uint64_t hash, bool byValue) try {
  nb::list positional, areOperands;
  nb::dict keywords;
  for (size_t i = 0; i < count; ++i) {
    positional.append(nb::handle(args[i]));
    areOperands.append(takesOperand(self, i, count, names));
  }
  for (size_t i = 0; names && i < size_t(PyTuple_GET_SIZE(names)); ++i) {
    nb::handle name = PyTuple_GET_ITEM(names, i);
    keywords[name] = nb::handle(args[count + i]);
    areOperands.append(takesOperand(self, count + i, count, names));
  }
  nb::object recorded = package->record(nb::handle(self->function), positional, keywords, areOperands, byValue);
  nb::object result = recorded.attr("result"), executor = recorded.attr("executor");
  CacheEntry made;
  if (!executor.is_none()) {
    nb::object structure = recorded.attr("structure");
    made.state = CacheState::Recorded;
    made.call = std::make_shared<CachedCall>(CachedCall{std::move(executor),
                                                        nb::cast<std::vector<bool>>(recorded.attr("weak_types")),
                                                        structure.is_none() ? nb::object() : std::move(structure)});
  } else {
    made.state = nb::cast<bool>(recorded.attr("by_value")) ? CacheState::ByValue : CacheState::Plain;
  }
  // The function may have changed the cache.
  if (EagerCache::Entry *entry = cache->find(key, hash))
    std::swap(entry->recipe, made);
  return result.is_none() ? nullptr : result.release().ptr();
} catch (nb::python_error &error) {
  error.restore();
  return nullptr;
}

// Calls ---------------------------------------------------------------------------------------------------------------

/// Calls the function, and has its result looked at.
PyObject *callChecked(const CachedFunction *self, PyObject *const *args, size_t count, PyObject *names) {
  PyObject *result = PyObject_Vectorcall(self->function, args, count, names);
  if (!result)
    return nullptr;
  llvm::SmallVector<PyObject *> all = {self->function, result};
  all.append(args, args + count + (names ? PyTuple_GET_SIZE(names) : 0));
  PyObject *checked = PyObject_Vectorcall(package->checker.ptr(), all.data(), count + 2, names);
  if (!checked)
    Py_CLEAR(result);
  Py_XDECREF(checked);
  return result;
}

PyObject *callWithArrays(CachedFunction *self, PyObject *const *args, size_t flaggedCount, PyObject *names) {
  size_t count = PyVectorcall_NARGS(flaggedCount);
  bool tracing = isTracing();
  auto plain = [&] {
    PyErr_Clear();
    if (!tracing && package->checker.is_valid())
      return callChecked(self, args, count, names);
    return PyObject_Vectorcall(self->function, args, flaggedCount, names);
  };
  if (tracing)
    return plain();
  for (bool byValue : {false, true}) {
    Key key(maxWords);
    KeyMaker maker(key, byValue);
    if (!maker.add(self, args, count, names))
      return plain();
    uint64_t hash = key.hash();
    EagerCache::Entry *entry = cache->find(key, hash);
    if (!entry) {
      cache->insert(key, hash);
      return plain();
    }
    CacheState state = entry->recipe.state;
    if (state == CacheState::Plain)
      return plain();
    if (state != CacheState::ByValue) {
      // Held here: a step may run code that drops the entry.
      std::shared_ptr<const CachedCall> cached = entry->recipe.call;
      PyObject *result =
          cached ? cached->replay(key) : record(self, args, count, names, key, hash, byValue || !maker.hasScalars);
      if (result || (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)))
        return result;
      // The function itself knows what to say.
      return plain();
    }
  }
  return plain();
}

/// What makes an array of an object that stands for one. Null, without an error, if it stands for none.
PyObject *conversionOf(PyObject *object) {
  if (isArray(object) || isHost(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object) ||
      PyTuple_CheckExact(object) || PyList_CheckExact(object) || object == Py_None)
    return nullptr;
  PyObject *method = _PyType_Lookup(Py_TYPE(object), package->protocolName.ptr());
  return method == Py_None ? nullptr : method;
}

PyObject *call(PyObject *object, PyObject *const *args, size_t flaggedCount, PyObject *names) {
  auto *self = reinterpret_cast<CachedFunction *>(object);
  size_t count = PyVectorcall_NARGS(flaggedCount), total = count + (names ? PyTuple_GET_SIZE(names) : 0);
  llvm::SmallVector<PyObject *> converted;
  llvm::SmallVector<nb::object, 4> held;
  for (size_t i = 0; i < total; ++i) {
    if (!conversionOf(args[i]) || !takesOperand(self, i, count, names))
      continue;
    nb::object array = nb::steal(PyObject_CallMethodNoArgs(args[i], package->protocolName.ptr()));
    if (!array.is_valid())
      return nullptr;
    if (converted.empty())
      converted.append(args, args + total);
    converted[i] = array.ptr();
    held.push_back(std::move(array));
  }
  if (converted.empty())
    return callWithArrays(self, args, flaggedCount, names);
  // The place before the arguments is the caller's.
  return callWithArrays(self, converted.data(), count, names);
}

// The type ------------------------------------------------------------------------------------------------------------

PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *function, *names;
  unsigned long long positions;
  int rest;
  if (!PyArg_ParseTuple(args, "OKpO!", &function, &positions, &rest, &PyTuple_Type, &names))
    return nullptr;
  auto *self = reinterpret_cast<CachedFunction *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  static uint64_t last = 0;
  self->vectorcall = call;
  self->function = Py_NewRef(function);
  self->positions = positions;
  self->rest = rest;
  self->names = Py_NewRef(names);
  self->number = ++last;
  return reinterpret_cast<PyObject *>(self);
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<CachedFunction *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  Py_VISIT(self->function);
  Py_VISIT(self->names);
  return 0;
}

int clear(PyObject *object) {
  auto *self = reinterpret_cast<CachedFunction *>(object);
  Py_CLEAR(self->dict);
  Py_CLEAR(self->function);
  Py_CLEAR(self->names);
  return 0;
}

void destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (reinterpret_cast<CachedFunction *>(object)->references)
    PyObject_ClearWeakRefs(object);
  clear(object);
  type->tp_free(object);
  Py_DECREF(type);
}

/// Methods are bound as those of Python functions are.
PyObject *bindTo(PyObject *object, PyObject *instance, PyObject *) {
  return instance && instance != Py_None ? PyMethod_New(object, instance) : Py_NewRef(object);
}

PyObject *represent(PyObject *object) {
  auto name = nb::steal(PyObject_GetAttrString(object, "__qualname__"));
  return name.is_valid() ? PyUnicode_FromFormat("<function %U>", name.ptr()) : nullptr;
}

/// Pickled by name, as functions are.
PyObject *reduce(PyObject *object, PyObject *) { return PyObject_GetAttrString(object, "__qualname__"); }

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CachedFunction, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CachedFunction, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CachedFunction, references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void *>(create)},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(clear)},
    {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void *>(bindTo)},
    {Py_tp_repr, reinterpret_cast<void *>(represent)},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, nullptr},
};

PyType_Spec spec = {"dovetail._core.CachedFunction", sizeof(CachedFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

} // namespace

void bindCachedFunction(nb::module_ &m) {
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid())
    nb::raise_python_error();
  m.attr("CachedFunction") = type;
  m.def("clear_eager_cache", [] { cache->clear(); }, "Drop all cached eager calls.");
  m.def(
      "limit_eager_cache", [](size_t count) { cache->setLimit(count); }, "count"_a,
      "Cache at most that many eager calls, those used last.");
  m.def("eager_cache_size", [] { return cache->size(); }, "How many eager calls are cached.");
}

} // namespace dovetail
