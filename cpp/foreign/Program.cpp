// The foreign functions of one loaded program.
#include "Program.h"
#include <algorithm>
#include <cstdio>

namespace dovetail::foreign {

std::atomic<bool> Program::areTaken = false;

Instance *Program::instanceOf(const Descriptor &call, std::string &reason) {
  std::lock_guard lock(mutex);
  std::unique_ptr<Instance> &instance = bySite[call.site];
  if (!instance)
    instance = Instance::create(call.at(call.name),
                                {call.at(call.attributes), static_cast<size_t>(call.attributesSize)}, reason);
  return instance.get();
}

bool Program::call(const int64_t *words) {
  const Descriptor &call = *reinterpret_cast<const Descriptor *>(words[0] + words[1] * sizeof(int64_t));
  words += 2;
  std::string reason;
  Instance *instance = instanceOf(call, reason);
  if (!instance)
    return fail(call, reason);

  auto numArrays = static_cast<size_t>(call.numArguments + call.numResults);
  std::vector<dovetail_array> arrays;
  arrays.reserve(numArrays);
  const ArrayDescriptor *array = call.arrays();
  bool hasOpenSizes = false;
  for (size_t i = 0; i < numArrays; ++i, array = array->next()) {
    const int64_t *sizes = array->sizes(), *end = sizes + array->rank;
    hasOpenSizes |= std::find(sizes, end, -1) != end;
    void *data = nullptr;
    if (std::find(sizes, end, 0) == end) {
      // Base and offset; elements of such arrays are bytes.
      data = reinterpret_cast<char *>(words[0]) + words[1];
      words += 2;
    }
    arrays.push_back({static_cast<int32_t>(array->type), static_cast<int32_t>(array->rank), sizes, data});
  }
  std::vector<std::vector<int64_t>> filled;
  if (hasOpenSizes) {
    filled.reserve(numArrays);
    for (dovetail_array &each : arrays) {
      std::vector<int64_t> &sizes = filled.emplace_back(each.sizes, each.sizes + each.rank);
      for (int64_t &size : sizes)
        if (size == -1)
          size = *words++;
      each.sizes = sizes.data();
    }
  }

  AlignedArrays aligned(std::move(arrays));
  if (!instance->call(aligned.get(), static_cast<int>(call.numArguments), reason))
    return fail(call, reason);
  aligned.finish(static_cast<int>(call.numArguments));
  return true;
}

bool Program::fail(const Descriptor &call, const std::string &reason) {
  if (!areTaken) {
    std::fprintf(stderr, "dovetail.ffi: the target `%s` failed: %s\n", call.at(call.name), reason.c_str());
    return false;
  }
  std::lock_guard lock(mutex);
  // One that nobody takes must not grow without bounds.
  if (failures.size() >= 64)
    failures.erase(failures.begin());
  failures.push_back({std::this_thread::get_id(), {call.site, call.at(call.name), reason}});
  return false;
}

std::optional<Failure> Program::take() {
  std::lock_guard lock(mutex);
  if (failures.empty())
    return std::nullopt;
  auto found = std::find_if(failures.begin(), failures.end(),
                            [](const auto &each) { return each.first == std::this_thread::get_id(); });
  if (found == failures.end())
    found = failures.begin();
  Failure failure = std::move(found->second);
  failures.erase(found);
  return failure;
}

} // namespace dovetail::foreign
