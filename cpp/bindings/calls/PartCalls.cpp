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
}

} // namespace dovetail
