// Calls of compiled programs.
#include "Invocation.h"
#include "HeapType.h"
#include "Package.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

/// One call: the lists of its arguments and results, and the objects whose memory they share.
class Invocation::Call {
public:
  Call(const Invocation &self, llvm::ArrayRef<PyObject *> leaves) : self(self), leaves(leaves) {}

  /// Each is false with a Python error, or without one if the call must take the slow path.
  bool makeArguments();
  bool take();
  bool run();
  /// Null with a Python error.
  PyObject *result();

private:
  bool push(PyObject *reference) { return callPython(self.pushRef, arguments.ptr(), reference).is_valid(); }
  bool pushLeaf(const Input &input, PyObject *leaf);
  bool pushData(const Input &input, PyObject *leaf, PyObject *data);
  bool pushBuffer(const Input &input, PyObject *leaf, PyObject *buffer);
  bool pushHost(const Input &input, PyObject *leaf, PyObject *host);
  bool pushMade(const Input &input, PyObject *leaf);
  nb::object resultAt(size_t number);

  /// An array that is donated to the call.
  struct Donated {
    PyObject *array;
    /// The array's data after donation, and its former data, which is kept alive at that index.
    PyObject *remains, *data;
    size_t index;
    /// True if the program may overwrite the donated memory.
    bool isOwn;
  };
  bool isAsBefore(const Donated &array) const;
  bool areOthersLeft() const;

  const Invocation &self;
  llvm::ArrayRef<PyObject *> leaves;
  nb::object arguments, results;
  /// The arrays' data, held until the program has run: it reads them, and no other call may consume them.
  llvm::SmallVector<nb::object, 24> held;
  llvm::SmallVector<Donated, 8> donated;
  /// A list of arrays, if there are any.
  nb::object shared;
};

bool Invocation::Call::makeArguments() {
  arguments = callPython(self.list, self.argumentCount.ptr());
  if (!arguments.is_valid())
    return false;
  for (auto [input, leaf] : llvm::zip_equal(self.inputs, leaves))
    if (!pushLeaf(input, leaf))
      return false;
  for (const nb::object &reference : self.captured)
    if (!push(reference.ptr()))
      return false;
  results = callPython(self.list, self.resultCount.ptr());
  return results.is_valid();
}

bool Invocation::Call::pushLeaf(const Input &input, PyObject *leaf) {
  PyObject *data = isArray(leaf) ? arrayIn(leaf).data : leaf;
  if (!data || !pushData(input, leaf, data))
    return false;
  // The data may have been moved to a buffer.
  if (PyObject *given = isArray(leaf) ? arrayIn(leaf).data : leaf; input.isHandedBack && isBuffer(given))
    setShared(given);
  return true;
}

bool Invocation::Call::pushData(const Input &input, PyObject *leaf, PyObject *data) {
  bool isOwn = input.remains.is_valid() && isBuffer(data) && Py_REFCNT(data) == 1 && !isShared(data, leaf);
  held.push_back(nb::borrow(data));
  if (input.remains.is_valid() && isArray(leaf))
    donated.push_back({leaf, input.remains.ptr(), data, held.size() - 1, isOwn});
  if (isBuffer(data))
    return input.remains.is_valid() && !isOwn ? pushMade(input, leaf) : pushBuffer(input, leaf, data);
  if (isHost(data) || !isArray(leaf))
    return pushHost(input, leaf, data);
  return pushMade(input, leaf);
}

bool Invocation::Call::pushBuffer(const Input &input, PyObject *leaf, PyObject *buffer) {
  nb::object device = runtime->device.get(buffer);
  if (!device.is(self.device)) {
    auto space = nb::steal(PyObject_GetAttr(device.ptr(), package->spaceName.ptr()));
    if (!space.is_valid())
      return false;
    if (space.ptr() != self.space.ptr())
      return pushMade(input, leaf);
  }
  nb::object view = viewOf(buffer);
  return view.is_valid() && push(view.ptr());
}

bool Invocation::Call::pushHost(const Input &input, PyObject *leaf, PyObject *host) {
  bool isSmall = input.isSmall.value_or(true);
  if (!input.isSmall && isHost(host)) {
    auto bytes = nb::steal(PyObject_GetAttr(host, package->bytesName.ptr()));
    if (!bytes.is_valid())
      return false;
    isSmall = PyLong_AsSsize_t(bytes.ptr()) < self.shareBytes;
  }
  if (!isSmall)
    return pushMade(input, leaf);
  nb::object converted;
  auto dtype = nb::steal(isHost(host) ? PyObject_GetAttr(host, package->dtypeName.ptr()) : nullptr);
  if (dtype.ptr() != input.dtype.ptr()) {
    converted = callPython(package->asarray, host, input.dtype.ptr());
    if (!converted.is_valid())
      return false;
    host = converted.ptr();
  }
  nb::object view = callPython(self.put, host, input.element.ptr());
  if (view.is_valid())
    return push(view.ptr());
  // It is not contiguous.
  if (!PyErr_ExceptionMatches(PyExc_ValueError))
    return false;
  PyErr_Clear();
  return pushMade(input, leaf);
}

bool Invocation::Call::pushMade(const Input &input, PyObject *leaf) {
  if (input.remains.is_valid()) {
    nb::object copy = callPython(self.copied, leaf, input.dtype.ptr());
    return copy.is_valid() && push(copy.ptr());
  }
  nb::object made = callPython(self.argument, leaf, input.dtype.ptr());
  if (!made.is_valid())
    return false;
  // The array may have been moved.
  if (isArray(leaf))
    held.push_back(nb::borrow(arrayIn(leaf).data));
  PyObject *reference, *array;
  if (!PyArg_ParseTuple(made.ptr(), "OO", &reference, &array))
    return false;
  if (array != Py_None) {
    if (!shared.is_valid())
      shared = nb::steal(PyList_New(0));
    if (!shared.is_valid() || PyList_Append(shared.ptr(), array) < 0)
      return false;
  }
  return push(reference);
}

bool Invocation::Call::isAsBefore(const Donated &array) const {
  // Exactly two references, the array's and this one: no other thread can have acquired the buffer meanwhile.
  return arrayIn(array.array).data == array.data &&
         (!array.isOwn || (Py_REFCNT(array.data) == 2 && !isShared(array.data, array.array)));
}

/// Returns true if no donated array is also another argument.
bool Invocation::Call::areOthersLeft() const {
  PyTypeObject *gone = Py_TYPE(donated.front().remains);
  return llvm::all_of(llvm::zip_equal(self.inputs, leaves), [&](auto pair) {
    auto [input, leaf] = pair;
    return input.remains.is_valid() || !isArray(leaf) || Py_TYPE(arrayIn(leaf).data) != gone;
  });
}

/// Takes the donated arrays, all or none.
bool Invocation::Call::take() {
  if (donated.empty())
    return true;
  // No Python code runs from here on: released objects are kept alive.
  size_t count = 0;
  for (; count < donated.size() && isAsBefore(donated[count]); ++count)
    setData(donated[count].array, donated[count].remains);
  if (count == donated.size() && areOthersLeft()) {
    // The program has copies of these.
    for (const Donated &array : donated)
      if (!array.isOwn)
        held[array.index].reset();
    return true;
  }
  while (count--)
    setData(donated[count].array, donated[count].data);
  return false;
}

bool Invocation::Call::run() {
  if (callPython(self.invoke, self.function.ptr(), arguments.ptr(), results.ptr()).is_valid())
    return true;
  // The garbage collector may have run here.
  if (!self.failure.is_valid())
    return false;
  nb::python_error error;
  auto given = nb::steal(PyTuple_New(leaves.size()));
  if (!given.is_valid())
    return false;
  for (auto [i, leaf] : llvm::enumerate(leaves))
    PyTuple_SET_ITEM(given.ptr(), i, Py_NewRef(leaf));
  nb::object failure = callPython(self.failure, error.value().ptr(), given.ptr());
  if (failure.is(error.value()))
    error.restore();
  else if (failure.is_valid())
    PyErr_SetObject((PyObject *)Py_TYPE(failure.ptr()), failure.ptr());
  return false;
}

nb::object Invocation::Call::resultAt(size_t number) {
  const Output &output = self.outputs[number];
  auto index = nb::steal(PyLong_FromSize_t(number));
  nb::object reference = callPython(self.getRef, results.ptr(), index.ptr());
  if (!reference.is_valid())
    return {};
  auto buffer =
      nb::steal(newBuffer(reference.ptr(), output.dtype.ptr(), self.device.ptr(), output.shape.ptr(), output.isShared));
  if (buffer.is_valid() && shared.is_valid())
    buffer = callPython(self.unshare, buffer.ptr(), shared.ptr());
  return buffer.is_valid() ? nb::steal(newArray(buffer.ptr(), Py_None, output.isWeak, self.place.ptr())) : nb::object();
}

PyObject *Invocation::Call::result() {
  llvm::SmallVector<nb::object, 8> held;
  llvm::SmallVector<PyObject *, 8> arrays;
  for (size_t i = 0; i < self.outputs.size(); ++i) {
    held.push_back(resultAt(i));
    if (!held.back().is_valid())
      return nullptr;
    arrays.push_back(held.back().ptr());
  }
  return self.structure.build(arrays);
}

PyObject *Invocation::call(llvm::ArrayRef<PyObject *> leaves) const {
  // The garbage collector may have run here.
  if (!invoke.is_valid() || leaves.size() != inputs.size())
    return nullptr;
  Call call(*this, leaves);
  if (!call.makeArguments() || !call.take()) {
    // The slow path reports the error.
    dropException();
    return nullptr;
  }
  return call.run() ? call.result() : nullptr;
}

void Invocation::set(PyObject *args, PyObject *kwargs) {
  const char *names[] = {"inputs", "outputs", "captured", "example", "unflatten",   "invoke", "function",
                         "device", "space",   "put",      "list",    "push",        "get",    "argument",
                         "copied", "unshare", "failure",  "place",   "share_bytes", nullptr};
  PyObject *givenInputs, *givenOutputs, *givenCaptured, *example, *unflatten, *parts[13];
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "$OOOOOOOOOOOOOOOOOOn:Invocation", const_cast<char **>(names),
                                   &givenInputs, &givenOutputs, &givenCaptured, &example, &unflatten, &parts[0],
                                   &parts[1], &parts[2], &parts[3], &parts[4], &parts[5], &parts[6], &parts[7],
                                   &parts[8], &parts[9], &parts[10], &parts[11], &parts[12], &shareBytes))
    nb::raise_python_error();
  inputs = nb::cast<std::vector<Input>>(nb::handle(givenInputs));
  outputs = nb::cast<std::vector<Output>>(nb::handle(givenOutputs));
  captured = nb::cast<std::vector<nb::object>>(nb::handle(givenCaptured));
  argumentCount = nb::int_(inputs.size() + captured.size());
  resultCount = nb::int_(outputs.size());
  structure.set(example, nb::borrow(unflatten));
  nb::object *fields[] = {&invoke, &function, &device, &space,   &put,     &list, &pushRef,
                          &getRef, &argument, &copied, &unshare, &failure, &place};
  for (auto [field, part] : llvm::zip_equal(fields, parts))
    *field = nb::borrow(part);
}

void Invocation::clear() {
  // Objects that a call reads come first: releasing objects can run Python code.
  for (auto *object : {&invoke, &function, &device, &space, &put, &list, &pushRef, &getRef, &argument, &copied,
                       &unshare, &failure, &place})
    object->reset();
  captured.clear();
  structure.clear();
}

void bindInvocation(nb::module_ &m) {
  nb::class_<Input>(m, "InvocationInput", "An argument of a compiled program.")
      .def(
          "__init__",
          [](Input *input, nb::object dtype, nb::object element, std::optional<bool> isSmall, nb::object remains,
             bool isHandedBack) {
            new (input) Input{std::move(dtype), std::move(element), isSmall,
                              remains.is_none() ? nb::object() : std::move(remains), isHandedBack};
          },
          "dtype"_a, "element"_a, "is_small"_a.none(), "remains"_a.none(), "is_handed_back"_a,
          nb::sig("def __init__(self, dtype: numpy.dtype, element: typing.Any, is_small: bool | None, remains: object "
                  "| None, is_handed_back: bool) -> None"),
          "`element` is IREE's name of the type; an array of NumPy that `is_small` is copied, not shared (None: known "
          "at each call); `remains` is left of an array that is donated; what `is_handed_back` may be a result.");
  nb::class_<Output>(m, "InvocationOutput", "A result of a compiled program.")
      .def(
          "__init__",
          [](Output *output, nb::object dtype, nb::object shape, bool isWeak, bool isShared) {
            new (output) Output{std::move(dtype), std::move(shape), isWeak, isShared};
          },
          "dtype"_a, "shape"_a.none(), "is_weak"_a, "is_shared"_a,
          nb::sig("def __init__(self, dtype: numpy.dtype, shape: tuple[int, ...] | None, is_weak: bool, is_shared: "
                  "bool) -> None"),
          "The shape is None where each call has another; what `is_shared` may be the memory of something else.");
  m.attr("Invocation") = makeHeapType<Invocation>(
      "dovetail._core.Invocation", {{Py_tp_init, reinterpret_cast<void *>(heap_type::describe<Invocation>)}});
}

} // namespace dovetail
