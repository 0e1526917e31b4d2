// Calls of compiled programs.
#include "Invocation.h"
#include "HeapType.h"
#include "Package.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nb = nanobind;

namespace dovetail {

namespace {

template <typename... Args>
nb::object callPython(const nb::object &function, Args... args) {
  PyObject *storage[] = {nullptr, args...};
  return nb::steal(
      PyObject_Vectorcall(function.ptr(), storage + 1, sizeof...(args) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
}

/// An immutable buffer of what IREE returned.
PyObject *newBuffer(PyObject *reference, PyObject *dtype, PyObject *device, PyObject *shape, bool isShared) {
  PyObject *buffer = runtime->buffer->tp_alloc(runtime->buffer, 0);
  if (!buffer)
    return nullptr;
  slotAt(buffer, runtime->ref) = Py_NewRef(reference);
  slotAt(buffer, runtime->dtype) = Py_NewRef(dtype);
  slotAt(buffer, runtime->device) = Py_NewRef(device);
  slotAt(buffer, runtime->shape) = Py_NewRef(shape);
  slotAt(buffer, runtime->view) = Py_NewRef(Py_None);
  slotAt(buffer, runtime->host) = Py_NewRef(Py_None);
  slotAt(buffer, runtime->shared) = Py_NewRef(isShared ? Py_True : Py_False);
  return buffer;
}

} // namespace

/// One call: the lists of its arguments and results, and what they share memory with.
class Invocation::Call {
public:
  explicit Call(const Invocation &self) : self(self) {}

  bool makeArguments(llvm::ArrayRef<PyObject *> leaves);
  bool run();
  PyObject *result();

private:
  bool push(PyObject *reference) { return callPython(self.pushRef, arguments.ptr(), reference).is_valid(); }
  bool pushLeaf(const Input &input, PyObject *leaf);
  bool pushHost(const Input &input, PyObject *leaf, PyObject *host);
  bool pushPlaced(const Input &input, PyObject *leaf);
  nb::object resultAt(size_t number);

  const Invocation &self;
  nb::object arguments, results;
  /// A list of arrays, if there are any.
  nb::object shared;
};

bool Invocation::Call::makeArguments(llvm::ArrayRef<PyObject *> leaves) {
  arguments = callPython(self.list, self.argumentCount.ptr());
  if (!arguments.is_valid())
    return false;
  for (auto [input, leaf] : llvm::zip_equal(self.inputs, leaves))
    if (!pushLeaf(input, leaf))
      return false;
  for (const nb::object &reference : self.captured)
    if (!push(reference.ptr()))
      return false;
  return true;
}

bool Invocation::Call::pushLeaf(const Input &input, PyObject *leaf) {
  PyObject *data = isArray(leaf) ? slotAt(leaf, package->data) : leaf;
  // Held here: the array may be moved meanwhile.
  nb::object held = nb::borrow(data);
  if (isBuffer(data)) {
    PyObject *device = slotAt(data, runtime->device);
    bool isHere = device == self.device.ptr();
    if (!isHere) {
      auto space = nb::steal(PyObject_GetAttr(device, package->spaceName.ptr()));
      isHere = space.ptr() == self.space.ptr();
    }
    return isHere ? push(slotAt(data, runtime->ref)) : pushPlaced(input, leaf);
  }
  if (isHost(data) || !isArray(leaf))
    return pushHost(input, leaf, data);
  return pushPlaced(input, leaf);
}

bool Invocation::Call::pushHost(const Input &input, PyObject *leaf, PyObject *host) {
  if (!input.isSmall)
    return pushPlaced(input, leaf);
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
  return pushPlaced(input, leaf);
}

bool Invocation::Call::pushPlaced(const Input &input, PyObject *leaf) {
  nb::object placed = callPython(self.place, leaf, input.dtype.ptr());
  if (!placed.is_valid())
    return false;
  PyObject *reference, *array;
  if (!PyArg_ParseTuple(placed.ptr(), "OO", &reference, &array))
    return false;
  if (array != Py_None) {
    if (!shared.is_valid())
      shared = nb::steal(PyList_New(0));
    if (!shared.is_valid() || PyList_Append(shared.ptr(), array) < 0)
      return false;
  }
  return push(reference);
}

bool Invocation::Call::run() {
  results = callPython(self.list, self.resultCount.ptr());
  return results.is_valid() && callPython(self.invoke, self.function.ptr(), arguments.ptr(), results.ptr()).is_valid();
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
  return buffer.is_valid() ? nb::steal(newArray(buffer.ptr(), Py_None, output.isWeak)) : nb::object();
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
  // The garbage collector may have been here.
  if (!invoke.is_valid() || leaves.size() != inputs.size())
    return nullptr;
  Call call(*this);
  if (!call.makeArguments(leaves)) {
    // The longer way knows what to say.
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception))
      PyErr_Clear();
    return nullptr;
  }
  return call.run() ? call.result() : nullptr;
}

void Invocation::set(nb::handle description) {
  for (nb::handle input : description["inputs"])
    inputs.push_back({nb::borrow(input[0]), nb::borrow(input[1]), nb::cast<bool>(input[2])});
  for (nb::handle output : description["outputs"])
    outputs.push_back(
        {nb::borrow(output[0]), nb::borrow(output[1]), nb::cast<bool>(output[2]), nb::cast<bool>(output[3])});
  for (nb::handle reference : description["captured"])
    captured.push_back(nb::borrow(reference));
  argumentCount = nb::int_(inputs.size() + captured.size());
  resultCount = nb::int_(outputs.size());
  structure.set(description["example"], description["unflatten"]);
  for (auto [name, part] : {std::pair{"invoke", &invoke},
                            {"function", &function},
                            {"device", &device},
                            {"space", &space},
                            {"put", &put},
                            {"buffer", &bufferType},
                            {"list", &list},
                            {"push", &pushRef},
                            {"get", &getRef},
                            {"place", &place},
                            {"unshare", &unshare}})
    *part = description[name];
}

void Invocation::clear() {
  // First what a call looks at: releasing objects can run Python code.
  for (auto *object :
       {&invoke, &function, &device, &space, &put, &bufferType, &list, &pushRef, &getRef, &place, &unshare})
    object->reset();
  captured.clear();
  structure.clear();
}

static int initialize(PyObject *self, PyObject *args, PyObject *) try {
  PyObject *description;
  if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &description))
    return -1;
  Invocation &invocation = valueIn<Invocation>(self);
  if (invocation.inputCount())
    throw nb::type_error("an invocation is described once");
  invocation.set(description);
  return 0;
} catch (nb::python_error &error) {
  error.restore();
  return -1;
} catch (const std::exception &error) {
  PyErr_SetString(PyExc_TypeError, error.what());
  return -1;
}

void bindInvocation(nb::module_ &m) {
  m.attr("Invocation") =
      makeHeapType<Invocation>("dovetail._core.Invocation", {{Py_tp_init, reinterpret_cast<void *>(initialize)}});
}

} // namespace dovetail
