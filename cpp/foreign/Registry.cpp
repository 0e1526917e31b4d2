// The functions that programs of this process can call, by name.
#include "Registry.h"
#include "XlaApi.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace dovetail::foreign {

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const Target>> targets;
  bool hasReadEnvironment = false;
};
} // namespace

/// Never destroyed: threads may still run programs when the process ends.
static Registry &registry() {
  static auto *registry = new Registry;
  return *registry;
}

bool registerTarget(Target target, std::string &reason) {
  if (target.kind == Kind::Xla)
    for (xffi_handler *handler : target.bundle.stages)
      if (handler && !checkVersion(handler, reason))
        return false;
  Registry &known = registry();
  std::lock_guard lock(known.mutex);
  std::shared_ptr<const Target> &entry = known.targets[target.name];
  bool isSame = entry && entry->kind == target.kind && entry->function == target.function &&
                std::memcmp(&entry->bundle, &target.bundle, sizeof(target.bundle)) == 0;
  if (entry && !isSame) {
    reason = "the name has another function";
    return false;
  }
  if (!entry)
    entry = std::make_shared<const Target>(std::move(target));
  return true;
}

std::shared_ptr<const Target> findTarget(const std::string &name, std::string &reason) {
  Registry &known = registry();
  std::unique_lock lock(known.mutex);
  auto found = known.targets.find(name);
  if (found == known.targets.end() && !known.hasReadEnvironment) {
    known.hasReadEnvironment = true;
    lock.unlock();
    const char *list = std::getenv("DOVETAIL_FFI_TARGETS");
    if (list && !loadTargets(list, reason))
      return nullptr;
    lock.lock();
    found = known.targets.find(name);
  }
  if (found != known.targets.end())
    return found->second;
  reason = "no function is registered under this name; register it by dovetail.ffi, before the program runs";
  return nullptr;
}

/// A function of a library, which stays loaded.
static void *symbolIn(const std::string &path, const std::string &symbol, std::string &reason) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (!found) {
    const char *error = dlerror();
    reason = error ? error : "the symbol is null";
  }
  return found;
}

static bool loadTarget(const std::string &entry, std::string &reason) {
  size_t equal = entry.find('='), first = entry.find(':', equal);
  size_t second = first == std::string::npos ? first : entry.find(':', first + 1);
  if (equal == std::string::npos || second == std::string::npos) {
    reason = "a target must be name=kind:symbol:path, got: " + entry;
    return false;
  }
  std::string name = entry.substr(0, equal), kind = entry.substr(equal + 1, first - equal - 1);
  if (kind != "xla" && kind != "c") {
    reason = "the kind of a target must be xla or c, got: " + entry;
    return false;
  }
  void *symbol = symbolIn(entry.substr(second + 1), entry.substr(first + 1, second - first - 1), reason);
  if (!symbol) {
    reason = "target `" + name + "`: " + reason;
    return false;
  }
  Target target = {name, kind == "xla" ? Kind::Xla : Kind::C, {}, nullptr};
  if (target.kind == Kind::Xla)
    target.bundle.stages[XFFI_EXECUTE] = reinterpret_cast<xffi_handler *>(symbol);
  else
    target.function = reinterpret_cast<dovetail_function *>(symbol);
  return registerTarget(std::move(target), reason);
}

bool loadTargets(const std::string &list, std::string &reason) {
  for (size_t begin = 0; begin < list.size();) {
    size_t end = std::min(list.find_first_of(";\n", begin), list.size());
    if (end > begin && !loadTarget(list.substr(begin, end - begin), reason))
      return false;
    begin = end + 1;
  }
  return true;
}

} // namespace dovetail::foreign
