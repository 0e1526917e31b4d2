// Calls of a program that several devices run, each on its parts of the arguments.
#include "PartCalls.h"
#include "HeapType.h"
#include "Package.h"
#include "ResultTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include <nanobind/stl/tuple.h>
#include <optional>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

namespace {

/// A new reference, or the Python error.
nb::object checked(nb::object made) {
  if (!made.is_valid())
    nb::raise_python_error();
  return made;
}

/// An argument of a program on parts.
struct PartInput {
  nb::object sharding;
  bool isReplicated;
  /// The data of a donated array after the call; null for other arguments.
  nb::object remains;
  bool isHandedBack;
};

/// A result of a program on parts.
struct PartOutput {
  nb::object sharding, shape, dtype, place;
  /// What its parts have in common, a tuple.
  nb::object common;
  bool isWeak;
};

/// The class of what is in parts, of the package.
struct ShardsType {
  PyTypeObject *type;
  Slot sharding, shape, dtype, parts, references, common;

  explicit ShardsType(nb::handle type)
      : type(reinterpret_cast<PyTypeObject *>(type.ptr())), sharding(type, "sharding"), shape(type, "shape"),
        dtype(type, "dtype"), parts(type, "_parts"), references(type, "_references"), common(type, "_common") {}

  bool isTypeOf(PyObject *data) const { return Py_TYPE(data) == type; }
  /// Whether there are no buffers yet, only IREE's references.
  bool isReturned(PyObject *data) const { return isTypeOf(data) && parts.peek(data) == Py_None; }
};

/// A program on parts of arrays, with all that a call needs except for what runs it. A call takes donated arrays from
/// their owners at once, all or none, before the program runs.
class PartCalls {
public:
  void set(PyObject *args, PyObject *kwargs);
  static constexpr const char *describedTwice = "calls of a program are described once";
  bool isSet() const { return shards.has_value(); }

  /// IREE's lists of the arguments and of the results of each device, and what must live until the program has run;
  /// None if the call must take the slow path.
  nb::object begin(nb::list leaves);
  /// The tree of the results, given those lists.
  nb::object end(nb::list lists) const;

  template <typename Visit>
  int traverse(Visit visit) const {
    for (const PartInput &input : inputs)
      for (const auto *object : {&input.sharding, &input.remains})
        if (int result = visit(object->ptr()))
          return result;
    for (const PartOutput &output : outputs)
      for (const auto *object : {&output.sharding, &output.shape, &output.dtype, &output.place, &output.common})
        if (int result = visit(object->ptr()))
          return result;
    for (const auto *object : {&shardsClass, &list, &push, &get, &space, &devices, &last})
      if (int result = visit(object->ptr()))
        return result;
    return structure.traverse(visit);
  }
  void clear();

private:
  nb::object dataOf(PartInput &input, PyObject *leaf) const;
  PyObject *partOf(PyObject *data, size_t device) const;
  bool isIn(PyObject *own, PyObject *device) const;
  nb::object memoryAt(PyObject *data, size_t device) const;
  void setAllShared(nb::object data) const;
  nb::object argumentsOf(size_t device, llvm::ArrayRef<nb::object> data) const;
  bool isOwn(PyObject *leaf, PyObject *data) const;
  bool take(nb::list leaves, llvm::ArrayRef<nb::object> data) const;
  nb::object resultOf(size_t number, nb::list lists) const;

  std::vector<PartInput> inputs;
  std::vector<PartOutput> outputs;
  ResultTree structure;
  std::optional<ShardsType> shards;
  nb::object shardsClass;
  /// The class of IREE's lists, and its accessors.
  nb::object list, push, get;
  /// The devices, and the name of their memory.
  nb::object space, devices;
  /// The last arguments of each device: of arrays that the program captures, and its number.
  nb::object last;
};

size_t sizeOf(const nb::object &list) { return PyList_GET_SIZE(list.ptr()); }
PyObject *itemOf(const nb::object &list, size_t i) { return PyList_GET_ITEM(list.ptr(), i); }

/// The data of a leaf if the program can run on it as it is; null otherwise.
nb::object PartCalls::dataOf(PartInput &input, PyObject *leaf) const {
  PyObject *data = isArray(leaf) ? arrayIn(leaf).data : nullptr;
  if (!data)
    return {};
  nb::object held = nb::borrow(data);
  if (!shards->isTypeOf(data))
    // All devices share it.
    return isBuffer(data) && input.isReplicated && !input.remains.is_valid() ? held : nb::object();
  nb::object own = shards->sharding.get(data);
  if (own.is(input.sharding))
    return held;
  size_t rank = PyTuple_GET_SIZE(shards->shape.peek(data));
  nb::object sharding = input.sharding;
  if (!nb::cast<bool>(own.attr("is_equivalent_to")(sharding, rank)))
    return {};
  // The next one is most likely the same object.
  input.sharding = own;
  return held;
}

/// A device's part of data; null if there is none.
PyObject *PartCalls::partOf(PyObject *data, size_t device) const {
  if (!shards->isTypeOf(data))
    return data;
  PyObject *parts = shards->parts.peek(data);
  return PyList_CheckExact(parts) && PyList_GET_SIZE(parts) > Py_ssize_t(device) ? PyList_GET_ITEM(parts, device)
                                                                                 : nullptr;
}

/// Whether what is on one device is in the memory of another.
bool PartCalls::isIn(PyObject *own, PyObject *device) const {
  return own == device || checked(nb::steal(PyObject_GetAttr(own, package->spaceName.ptr()))).is(space);
}

/// IREE's reference to a device's part of data; null if it is elsewhere.
nb::object PartCalls::memoryAt(PyObject *data, size_t device) const {
  PyObject *own = itemOf(devices, device);
  if (shards->isReturned(data)) {
    PyObject *others = PyTuple_GET_ITEM(shards->common.peek(data), 0);
    nb::object references = shards->references.get(data);
    bool isHere = others == devices.ptr() ||
                  (PyList_GET_SIZE(others) > Py_ssize_t(device) && isIn(PyList_GET_ITEM(others, device), own));
    return isHere ? nb::borrow(itemOf(references, device)) : nb::object();
  }
  PyObject *part = partOf(data, device);
  if (!part || !isBuffer(part) || !isIn(runtime->device.peek(part), own))
    return {};
  return checked(memoryOf(part));
}

/// IREE's list; null if a part is elsewhere.
nb::object PartCalls::argumentsOf(size_t device, llvm::ArrayRef<nb::object> data) const {
  nb::object constant = nb::borrow(itemOf(last, device));
  nb::int_ size(data.size() + sizeOf(constant));
  nb::object arguments = checked(callPython(list, size.ptr()));
  for (const nb::object &each : data) {
    nb::object memory = memoryAt(each.ptr(), device);
    if (!memory.is_valid())
      return {};
    checked(callPython(push, arguments.ptr(), memory.ptr()));
  }
  for (size_t i = 0; i < sizeOf(constant); ++i)
    checked(callPython(push, arguments.ptr(), itemOf(constant, i)));
  return arguments;
}

/// Whether a donated array, whose data the call holds as well, is all that refers to it: of its parts, no other array
/// and no view may know.
bool PartCalls::isOwn(PyObject *leaf, PyObject *data) const {
  if (arrayIn(leaf).data != data || Py_REFCNT(data) != 2 || !shards->isTypeOf(data))
    return false;
  if (shards->isReturned(data)) {
    PyObject *references = shards->references.peek(data);
    return PyTuple_GET_ITEM(shards->common.peek(data), 2) == Py_False && Py_REFCNT(references) == 1 &&
           llvm::all_of(llvm::seq(PyList_GET_SIZE(references)),
                        [&](Py_ssize_t i) { return Py_REFCNT(PyList_GET_ITEM(references, i)) == 1; });
  }
  PyObject *parts = shards->parts.peek(data);
  if (Py_REFCNT(parts) != 1)
    return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(parts); ++i) {
    PyObject *part = PyList_GET_ITEM(parts, i);
    if (Py_REFCNT(part) != 1 || !isBuffer(part) || isShared(part, leaf))
      return false;
  }
  return true;
}

/// Takes the donated arrays, all or none. No Python code runs here: what is released is held elsewhere.
bool PartCalls::take(nb::list leaves, llvm::ArrayRef<nb::object> data) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].remains.is_valid() && !isOwn(itemOf(leaves, i), data[i].ptr()))
      return false;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].remains.is_valid())
      setData(itemOf(leaves, i), inputs[i].remains.ptr());
  return true;
}

/// Forbids programs to overwrite parts.
void PartCalls::setAllShared(nb::object data) const {
  if (shards->isReturned(data.ptr()))
    data.attr("parts");
  for (size_t d = 0; d < sizeOf(devices); ++d)
    if (PyObject *part = partOf(data.ptr(), d))
      setShared(part);
}

nb::object PartCalls::begin(nb::list leaves) {
  // The garbage collector may have run.
  if (!isSet() || sizeOf(leaves) != inputs.size())
    return nb::none();
  llvm::SmallVector<nb::object, 24> data;
  for (size_t i = 0; i < inputs.size(); ++i) {
    data.push_back(dataOf(inputs[i], itemOf(leaves, i)));
    if (!data.back().is_valid())
      return nb::none();
  }
  nb::list lists, held;
  nb::int_ resultCount(outputs.size());
  for (size_t d = 0; d < sizeOf(devices); ++d) {
    nb::object arguments = argumentsOf(d, data);
    if (!arguments.is_valid())
      return nb::none();
    lists.append(nb::make_tuple(arguments, checked(callPython(list, resultCount.ptr()))));
  }
  if (!take(leaves, data))
    return nb::none();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].remains.is_valid())
      held.append(data[i]);
    else if (inputs[i].isHandedBack)
      setAllShared(data[i]);
  }
  return nb::make_tuple(lists, held);
}

nb::object PartCalls::resultOf(size_t number, nb::list lists) const {
  const PartOutput &output = outputs[number];
  nb::int_ index(number);
  nb::object references = checked(nb::steal(PyList_New(sizeOf(devices))));
  for (size_t d = 0; d < sizeOf(devices); ++d)
    PyList_SET_ITEM(references.ptr(), d,
                    checked(callPython(get, PyTuple_GET_ITEM(itemOf(lists, d), 1), index.ptr())).release().ptr());
  nb::object data = checked(nb::steal(shards->type->tp_alloc(shards->type, 0)));
  shards->sharding.set(data.ptr(), output.sharding.ptr());
  shards->shape.set(data.ptr(), output.shape.ptr());
  shards->dtype.set(data.ptr(), output.dtype.ptr());
  shards->parts.set(data.ptr(), Py_None);
  shards->references.set(data.ptr(), references.ptr());
  shards->common.set(data.ptr(), output.common.ptr());
  return checked(nb::steal(newArray(data.ptr(), Py_None, output.isWeak, output.place.ptr())));
}

nb::object PartCalls::end(nb::list lists) const {
  if (!isSet() || sizeOf(lists) != sizeOf(devices))
    throw nb::value_error("end: lists must be those that `begin` made for a program that is still there");
  llvm::SmallVector<nb::object, 24> held;
  llvm::SmallVector<PyObject *, 24> arrays;
  for (size_t i = 0; i < outputs.size(); ++i) {
    held.push_back(resultOf(i, lists));
    arrays.push_back(held.back().ptr());
  }
  return checked(nb::steal(structure.build(arrays)));
}

void PartCalls::set(PyObject *args, PyObject *kwargs) {
  const char *names[] = {"inputs", "outputs", "example", "unflatten", "shards", "list",
                         "push",   "get",     "space",   "devices",   "last",   nullptr};
  PyObject *givenInputs, *givenOutputs, *example, *unflatten, *parts[7];
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "$O!O!OOOOOOOO!O!:PartCalls", const_cast<char **>(names), &PyList_Type,
                                   &givenInputs, &PyList_Type, &givenOutputs, &example, &unflatten, &parts[0],
                                   &parts[1], &parts[2], &parts[3], &parts[4], &PyList_Type, &parts[5], &PyList_Type,
                                   &parts[6]))
    nb::raise_python_error();
  for (nb::handle each : nb::list(nb::borrow(givenInputs))) {
    auto [sharding, isReplicated, remains, isHandedBack] =
        nb::cast<std::tuple<nb::object, bool, nb::object, bool>>(each);
    inputs.push_back({sharding, isReplicated, remains.is_none() ? nb::object() : remains, isHandedBack});
  }
  for (nb::handle each : nb::list(nb::borrow(givenOutputs))) {
    auto [sharding, shape, dtype, place, common, isWeak] =
        nb::cast<std::tuple<nb::object, nb::object, nb::object, nb::object, nb::tuple, bool>>(each);
    outputs.push_back({sharding, shape, dtype, place, common, isWeak});
  }
  structure.set(example, nb::borrow(unflatten));
  nb::object *fields[] = {&shardsClass, &list, &push, &get, &space, &devices, &last};
  for (auto [field, part] : llvm::zip_equal(fields, parts))
    *field = nb::borrow(part);
  if (sizeOf(last) != sizeOf(devices))
    throw nb::value_error("PartCalls: last must be of each device");
  shards.emplace(shardsClass);
}

void PartCalls::clear() {
  // What a call looks at comes first: releasing objects can run Python code.
  shards.reset();
  for (auto *object : {&shardsClass, &list, &push, &get, &space, &devices, &last})
    object->reset();
  inputs.clear();
  outputs.clear();
  structure.clear();
}

/// What a method does with a list, with C++'s errors as Python's.
template <auto method>
PyObject *withList(PyObject *self, PyObject *list) try {
  if (!PyList_CheckExact(list)) {
    PyErr_Format(PyExc_TypeError, "the argument must be a list, got: %R", list);
    return nullptr;
  }
  return (valueIn<PartCalls>(self).*method)(nb::borrow<nb::list>(list)).release().ptr();
} catch (nb::python_error &error) {
  error.restore();
  return nullptr;
} catch (const std::exception &error) {
  PyErr_SetString(PyExc_ValueError, error.what());
  return nullptr;
}

PyMethodDef methods[] = {
    {"begin", withList<&PartCalls::begin>, METH_O,
     "IREE's lists of the arguments and of the results of each device, and what must live until the program has run; "
     "None if an array is not as the program needs it. Donated arrays are deleted from then on."},
    {"end", withList<&PartCalls::end>, METH_O, "The tree of the results, given those lists."},
    {nullptr, nullptr, 0, nullptr},
};

/// Calls of participants that take turns on this thread, and their errors.
struct Turns {
  nb::list calls;
  std::vector<nb::object> errors;
  std::vector<std::string> reasons;
};

/// A participant's call, on a stack of its own: Python's evaluator does not know of it, so that only C may run there.
/// Returns why it failed, or null.
const char *participate(void *context, int number) {
  auto &turns = *static_cast<Turns *>(context);
  nb::gil_scoped_acquire lock;
  PyObject *call = PyList_GET_ITEM(turns.calls.ptr(), number);
  PyObject *const *items = reinterpret_cast<PyTupleObject *>(call)->ob_item;
  if (nb::object result = nb::steal(PyObject_Vectorcall(items[0], items + 1, PyTuple_GET_SIZE(call) - 1, nullptr)))
    return nullptr;
  try {
    nb::raise_python_error();
  } catch (nb::python_error &error) {
    turns.errors[number] = nb::borrow(error.value());
    turns.reasons[number] = nb::str(error.value()).c_str();
  }
  return turns.reasons[number].c_str();
}

/// The place of the participant whose error ended a run, and the error; None if none did.
nb::object runByTurns(size_t run, size_t communicator, size_t lines, int lineCount, nb::list calls) {
  using Participate = const char *(*)(void *, int);
  using Run = int (*)(void *, const char *const *, int, Participate, void *);
  size_t count = nb::len(calls);
  for (nb::handle call : calls)
    if (!PyTuple_CheckExact(call.ptr()) || PyTuple_GET_SIZE(call.ptr()) == 0)
      throw nb::type_error("run_by_turns: calls must be tuples of a function and its arguments");
  Turns turns{calls, std::vector<nb::object>(count), std::vector<std::string>(count)};
  int failed;
  {
    nb::gil_scoped_release release;
    failed = reinterpret_cast<Run>(run)(reinterpret_cast<void *>(communicator),
                                        reinterpret_cast<const char *const *>(lines), lineCount, participate, &turns);
  }
  if (failed == -2)
    return nb::steal(PyErr_NoMemory());
  return failed < 0 ? nb::none() : nb::object(nb::make_tuple(failed, turns.errors[failed]));
}

} // namespace

void bindPartCalls(nb::module_ &m) {
  m.attr("PartCalls") = makeHeapType<PartCalls>(
      "dovetail._core.PartCalls",
      {{Py_tp_init, reinterpret_cast<void *>(heap_type::describe<PartCalls>)}, {Py_tp_methods, methods}});
  m.def(
      "run_by_turns", &runByTurns, "run"_a, "communicator"_a, "lines"_a, "line_count"_a, "calls"_a,
      nb::sig("def run_by_turns(run: int, communicator: int, lines: int, line_count: int, "
              "calls: list[tuple[typing.Any, ...]]) -> tuple[int, BaseException] | None"),
      "Run each participant's call, a function of C and its arguments, on this thread, by a function of the library of "
      "collectives. Returns the place of the one whose error ended the run, and the error.");
}

} // namespace dovetail
