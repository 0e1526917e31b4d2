// The Vulkan loader, but for one function: signals of semaphores by the host come in the order of their values.
//
// IREE numbers the signals that wake a queue's thread, and sends them afterwards, without a lock. Of two threads, the
// first may come last: its value is less than the semaphore's, which Vulkan does not allow, and drivers answer with a
// lost device. A signal that comes late says nothing new, and is left out here.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string>

using Function = void (*)();

extern "C" __attribute__((visibility("default"))) Function vkGetInstanceProcAddr(void *instance, const char *name);

namespace {

using GetFunction = Function (*)(void *, const char *);

/// VkSemaphoreSignalInfo, as Vulkan 1.2 defines it.
struct SignalInfo {
  int32_t type;
  const void *next;
  uint64_t semaphore;
  uint64_t value;
};
constexpr int32_t kSuccess = 0;

using GetValue = int32_t (*)(void *, uint64_t, uint64_t *);
using Signal = int32_t (*)(void *, const SignalInfo *);

// Those of the loader, which call the driver of the device that they are given.
GetFunction functionOfDevice;
GetValue getValue;
Signal signalSemaphore;

int32_t signalInOrder(void *device, const SignalInfo *info) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> guard(mutex);
  uint64_t value = 0;
  if (int32_t result = getValue(device, info->semaphore, &value))
    return result;
  return value < info->value ? signalSemaphore(device, info) : kSuccess;
}

Function ofDevice(void *device, const char *name) {
  Function function = functionOfDevice(device, name);
  bool isSignal = !std::strcmp(name, "vkSignalSemaphore");
  return function && isSignal ? reinterpret_cast<Function>(signalInOrder) : function;
}

/// By which programs find all other functions, in a library; null if there is none, or if the library is this one.
GetFunction found(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto *function = reinterpret_cast<GetFunction>(handle ? dlsym(handle, "vkGetInstanceProcAddr") : nullptr);
  return function == vkGetInstanceProcAddr ? nullptr : function;
}

/// Of the Vulkan loader, which is looked for where IREE does.
GetFunction ofLoader() {
  const char *path = std::getenv("IREE_HAL_VULKAN_LIBVULKAN_PATH");
  std::string stated = path ? path : "";
  for (const std::string &library : {stated, stated + "/libvulkan.so.1", std::string("libvulkan.so.1")})
    if (GetFunction function = library.empty() ? nullptr : found(library))
      return function;
  return nullptr;
}

} // namespace

Function vkGetInstanceProcAddr(void *instance, const char *name) {
  static GetFunction ofInstance = ofLoader();
  Function function = ofInstance ? ofInstance(instance, name) : nullptr;
  if (!instance || !function || std::strcmp(name, "vkGetDeviceProcAddr"))
    return function;
  static std::once_flag once;
  std::call_once(once, [&] {
    functionOfDevice = reinterpret_cast<GetFunction>(function);
    getValue = reinterpret_cast<GetValue>(ofInstance(instance, "vkGetSemaphoreCounterValue"));
    signalSemaphore = reinterpret_cast<Signal>(ofInstance(instance, "vkSignalSemaphore"));
  });
  // Before Vulkan 1.2, no device has these semaphores.
  return getValue && signalSemaphore ? reinterpret_cast<Function>(ofDevice) : function;
}
