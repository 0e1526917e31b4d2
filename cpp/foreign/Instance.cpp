// A foreign function at one place of a program.
#include "Instance.h"
#include "Crash.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace dovetail::foreign {

std::unique_ptr<Instance> Instance::create(const std::string &target, std::string_view attributes,
                                           std::string &reason) {
  std::shared_ptr<const Target> found = findTarget(target, reason);
  if (!found)
    return nullptr;
  std::unique_ptr<Instance> instance(new Instance(std::move(found), attributes));
  return instance->instantiate(reason) ? std::move(instance) : nullptr;
}

xffi_frame Instance::frame(xffi_context &context, int stage) {
  xffi_frame frame = {};
  frame.struct_size = offsetof(xffi_frame, future);
  frame.api = api();
  frame.context = &context;
  frame.stage = stage;
  frame.arguments.struct_size = frame.results.struct_size = sizeof(xffi_buffers);
  frame.attributes = attributes.forXla();
  return frame;
}

bool Instance::instantiate(std::string &reason) {
  xffi_handler *handler = target->kind == Kind::Xla ? target->bundle.stages[XFFI_INSTANTIATE] : nullptr;
  if (!handler)
    return true;
  InTarget inTarget(target->name.c_str());
  xffi_context context = {target->name.c_str(), {&state}};
  xffi_frame instantiation = frame(context, XFFI_INSTANTIATE);
  return callHandler(handler, instantiation, reason);
}

bool Instance::call(const std::vector<dovetail_array> &arrays, int numArguments, std::string &reason) {
  InTarget inTarget(target->name.c_str());
  return target->kind == Kind::Xla ? callXla(arrays, numArguments, reason) : callC(arrays, numArguments, reason);
}

bool Instance::callXla(const std::vector<dovetail_array> &arrays, int numArguments, std::string &reason) {
  std::vector<xffi_buffer> buffers;
  std::vector<void *> values;
  std::vector<int> kinds(arrays.size(), 1);
  buffers.reserve(arrays.size());
  values.reserve(arrays.size());
  for (const dovetail_array &array : arrays)
    values.push_back(&buffers.emplace_back(xffi_buffer{sizeof(xffi_buffer), nullptr, array.type, array.data, array.rank,
                                                       const_cast<int64_t *>(array.sizes)}));
  State prepared, initialized;
  xffi_context context = {target->name.c_str(), {&state, &prepared, &initialized, nullptr}};
  for (int stage : {XFFI_PREPARE, XFFI_INITIALIZE, XFFI_EXECUTE}) {
    xffi_handler *handler = target->bundle.stages[stage];
    if (!handler)
      continue;
    xffi_frame call = frame(context, stage);
    call.arguments.count = numArguments;
    call.results.count = static_cast<int64_t>(arrays.size()) - numArguments;
    call.arguments.kinds = call.results.kinds = kinds.data();
    call.arguments.values = values.data();
    call.results.values = values.data() + numArguments;
    if (!callHandler(handler, call, reason))
      return false;
  }
  return true;
}

namespace {
/// A call with its message.
struct CallOfC : dovetail_call {
  std::string *message;
};
} // namespace

static int32_t fail(const dovetail_call *call, const char *message) {
  *static_cast<const CallOfC *>(call)->message = message ? message : "";
  return 1;
}

bool Instance::callC(const std::vector<dovetail_array> &arrays, int numArguments, std::string &reason) {
  std::vector<void *> data;
  std::vector<int64_t> sizes;
  data.reserve(arrays.size());
  sizes.reserve(4 * arrays.size());
  for (const dovetail_array &array : arrays) {
    data.push_back(array.data);
    sizes.insert(sizes.end(), array.sizes, array.sizes + array.rank);
  }
  const std::vector<dovetail_attribute> &given = attributes.forC();
  CallOfC call;
  static_cast<dovetail_call &>(call) = {sizeof(dovetail_call), target->name.c_str(),
                                        numArguments,          static_cast<int32_t>(arrays.size()) - numArguments,
                                        arrays.data(),         static_cast<int64_t>(given.size()),
                                        given.data(),          fail};
  call.message = &reason;
  int32_t status = target->function(data.data(), sizes.data(), &call);
  if (status != 0 && reason.empty())
    reason = "it returned " + std::to_string(status);
  return status == 0;
}

//===- Alignment -----------------------------------------------------------------===//

constexpr size_t kAlignment = 64;

size_t bytesOfType(int type) {
  switch (type) {
  case DOVETAIL_COMPLEX128:
    return 16;
  case DOVETAIL_INT64:
  case DOVETAIL_UINT64:
  case DOVETAIL_FLOAT64:
  case DOVETAIL_COMPLEX64:
    return 8;
  case DOVETAIL_INT32:
  case DOVETAIL_UINT32:
  case DOVETAIL_FLOAT32:
    return 4;
  case DOVETAIL_INT16:
  case DOVETAIL_UINT16:
  case DOVETAIL_FLOAT16:
  case DOVETAIL_BFLOAT16:
    return 2;
  default:
    return 1;
  }
}

AlignedArrays::AlignedArrays(std::vector<dovetail_array> given) : arrays(std::move(given)) {
  alignas(kAlignment) static char nothing[kAlignment];
  for (size_t i = 0; i < arrays.size(); ++i) {
    dovetail_array &array = arrays[i];
    if (!array.data)
      array.data = nothing;
    if (reinterpret_cast<uintptr_t>(array.data) % kAlignment == 0)
      continue;
    copies.resize(arrays.size());
    // A result in the memory of an argument stays there.
    auto same =
        std::find_if(copies.begin(), copies.end(), [&](const Copy &copy) { return copy.original == array.data; });
    if (same == copies.end()) {
      size_t bytes = bytesOfType(array.type);
      for (int32_t d = 0; d < array.rank; ++d)
        bytes *= array.sizes[d];
      void *copy = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
      std::memcpy(copy, array.data, bytes);
      copies[i] = {array.data, copy, bytes};
      array.data = copy;
    } else {
      copies[i] = {nullptr, same->copy, same->bytes};
      array.data = same->copy;
    }
  }
}

void AlignedArrays::finish(int firstResult) {
  for (size_t i = firstResult; i < copies.size(); ++i) {
    const Copy &copy = copies[i];
    if (!copy.copy)
      continue;
    void *target = copy.original;
    for (const Copy &other : copies)
      if (!target && other.copy == copy.copy && other.original)
        target = other.original;
    std::memcpy(target, copy.copy, copy.bytes);
  }
}

AlignedArrays::~AlignedArrays() {
  for (const Copy &copy : copies)
    if (copy.original)
      std::free(copy.copy);
}

} // namespace dovetail::foreign
