// Storage of arrays, as the base of their Python class, and access to that of buffers.
#include "Storage.h"

namespace nb = nanobind;

namespace dovetail {

static PyMemberDef arrayMembers[] = {
    {"_data", T_OBJECT_EX, offsetof(Object<ArrayStorage>, value.data), 0, nullptr},
    {"_host", T_OBJECT_EX, offsetof(Object<ArrayStorage>, value.host), 0, nullptr},
    {"_place", T_OBJECT_EX, offsetof(Object<ArrayStorage>, value.place), 0, nullptr},
    {"weak_type", T_OBJECT_EX, offsetof(Object<ArrayStorage>, value.weak), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

Slot::Slot(nb::handle type, const char *name) {
  nb::object descriptor = type.attr(name);
  if (Py_TYPE(descriptor.ptr()) != &PyMemberDescr_Type)
    throw nb::type_error(name);
  PyMemberDef *member = reinterpret_cast<PyMemberDescrObject *>(descriptor.ptr())->d_member;
  if (member->type != T_OBJECT_EX)
    throw nb::type_error(name);
  offset = member->offset;
}

#if PY_VERSION_HEX < 0x030C0000
/// The equivalent of `__buffer__` in later versions of Python.
static int exportBuffer(PyObject *array, Py_buffer *view, int flags) {
  auto host = nb::steal(PyObject_CallMethod(array, "__array__", nullptr));
  if (host.is_valid())
    return PyObject_GetBuffer(host.ptr(), view, flags);
  view->obj = nullptr;
  return -1;
}
#endif

void bindStorage(nb::module_ &m) {
  m.attr("ArrayStorage") = makeHeapType<ArrayStorage>("dovetail._core.ArrayStorage",
                                                      {
                                                          {Py_tp_members, arrayMembers},
#if PY_VERSION_HEX < 0x030C0000
                                                          {Py_bf_getbuffer, reinterpret_cast<void *>(exportBuffer)},
#endif
                                                      });
}

} // namespace dovetail
