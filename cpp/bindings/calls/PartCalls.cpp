// Calls of a program that several devices run, each on its parts of the arguments.
#include "PartCalls.h"
#include "Package.h"

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

/// Whether a part is a buffer in the memory of a device.
bool isOn(PyObject *part, const nb::object &device, const nb::object &space) {
  if (!isBuffer(part))
    return false;
  nb::object own = runtime->device.get(part);
  if (own.is(device))
    return true;
  return checked(nb::steal(PyObject_GetAttr(own.ptr(), package->spaceName.ptr()))).is(space);
}

/// IREE's lists of the arguments and of the results of each device; None if a part is elsewhere.
nb::object beginPartCalls(nb::object list, nb::object push, nb::object space, nb::list devices, nb::list parts,
                          nb::list last, nb::int_ resultCount) {
  size_t count = nb::len(devices);
  nb::list calls;
  for (size_t d = 0; d < count; ++d) {
    nb::object device = devices[d];
    nb::list constant(last[d]);
    nb::int_ size(nb::len(parts) + nb::len(constant));
    nb::object arguments = checked(callPython(list, size.ptr()));
    for (nb::handle ofArgument : parts) {
      if (!PyList_CheckExact(ofArgument.ptr()) || size_t(PyList_GET_SIZE(ofArgument.ptr())) != count)
        return nb::none();
      PyObject *part = PyList_GET_ITEM(ofArgument.ptr(), d);
      if (!isOn(part, device, space))
        return nb::none();
      checked(callPython(push, arguments.ptr(), runtime->ref.get(part).ptr()));
    }
    for (nb::handle reference : constant)
      checked(callPython(push, arguments.ptr(), reference.ptr()));
    calls.append(nb::make_tuple(arguments, checked(callPython(list, resultCount.ptr()))));
  }
  return calls;
}

/// For each result, what the devices have of it.
nb::list endPartCalls(nb::object get, nb::list calls, nb::list dtypes, nb::list areShared, nb::list devices) {
  nb::list results;
  for (size_t i = 0, count = nb::len(dtypes); i < count; ++i) {
    nb::int_ index(i);
    nb::object dtype = dtypes[i];
    bool isShared = nb::cast<bool>(areShared[i]);
    nb::list parts;
    for (size_t d = 0; d < nb::len(calls); ++d) {
      nb::object list = calls[d][1], device = devices[d];
      nb::object reference = checked(callPython(get, list.ptr(), index.ptr()));
      parts.append(checked(nb::steal(newBuffer(reference.ptr(), dtype.ptr(), device.ptr(), Py_None, isShared))));
    }
    results.append(parts);
  }
  return results;
}

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
  m.def(
      "begin_part_calls", &beginPartCalls, "list"_a, "push"_a, "space"_a, "devices"_a, "parts"_a, "last"_a,
      "result_count"_a,
      nb::sig("def begin_part_calls(list: type[VmVariantList], push: collections.abc.Callable[..., None], space: str, "
              "devices: list[dovetail.runtime.devices.Device], parts: list[list[typing.Any]], "
              "last: list[list[VmRef]], result_count: int) -> list[tuple[VmVariantList, VmVariantList]] | None"),
      "IREE's lists of the arguments and of the results of each device, given the parts of each argument and the last "
      "arguments of each device; None if a part is not a buffer of its device.");
  m.def("end_part_calls", &endPartCalls, "get"_a, "calls"_a, "dtypes"_a, "are_shared"_a, "devices"_a,
        nb::sig("def end_part_calls(get: collections.abc.Callable[..., VmRef], "
                "calls: list[tuple[VmVariantList, VmVariantList]], dtypes: list[numpy.dtype], are_shared: list[bool], "
                "devices: list[dovetail.runtime.devices.Device]) -> list[list[dovetail.runtime.buffer.Buffer]]"),
        "For each result, the part that each device has; what is shared may be the memory of something else.");
  m.def(
      "run_by_turns", &runByTurns, "run"_a, "communicator"_a, "lines"_a, "line_count"_a, "calls"_a,
      nb::sig("def run_by_turns(run: int, communicator: int, lines: int, line_count: int, "
              "calls: list[tuple[typing.Any, ...]]) -> tuple[int, BaseException] | None"),
      "Run each participant's call, a function of C and its arguments, on this thread, by a function of the library of "
      "collectives. Returns the place of the one whose error ended the run, and the error.");
}

} // namespace dovetail
