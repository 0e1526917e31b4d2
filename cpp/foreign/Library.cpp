// The library's functions: for compiled programs, which IREE's runtime binds to it, and for those who run them.
#include "Program.h"
#include "cpp/plugin/Plugin.h"
#include <cstdio>
#include <cstring>

using namespace dovetail::foreign;

#define EXPORTED extern "C" __attribute__((visibility("default")))

/// Writes a text that may be too long, with a zero at its end.
static void write(const std::string &text, char *to, int size) { std::snprintf(to, size, "%s", text.c_str()); }

//===- For those who run programs ----------------------------------------------------------------===//

/// Registers a function under a name: a handler of XLA's FFI, with a pointer for each stage, of which some are null, or
/// a function of ffi.h, the first pointer. Returns 0, or 1 with a reason.
EXPORTED int dovetail_ffi_register(const char *name, int kind, void *const *functions, char *reason, int size) {
  Program::areTaken = true;
  Target target = {name, static_cast<Kind>(kind), {}, nullptr};
  if (target.kind == Kind::Xla)
    std::memcpy(&target.bundle, functions, sizeof(target.bundle));
  else
    target.function = reinterpret_cast<dovetail_function *>(functions[0]);
  std::string why;
  if (registerTarget(std::move(target), why))
    return 0;
  write(why, reason, size);
  return 1;
}

/// Loads functions from libraries, as the environment variable DOVETAIL_FFI_TARGETS does: "name=kind:symbol:path", with
/// semicolons between them, where the kind is xla or c. Returns 0, or 1 with a reason.
EXPORTED int dovetail_ffi_load(const char *list, char *reason, int size) {
  Program::areTaken = true;
  std::string why;
  if (loadTargets(list, why))
    return 0;
  write(why, reason, size);
  return 1;
}

/// Returns 1 if a function is registered under that name.
EXPORTED int dovetail_ffi_is_registered(const char *name) {
  Program::areTaken = true;
  std::string reason;
  return findTarget(name, reason) ? 1 : 0;
}

/// Registers a type of states, and gives it an id. Returns 0, or 1 with a reason.
EXPORTED int dovetail_ffi_register_type(const char *name, xffi_type_id *id, const xffi_type_info *info, char *reason,
                                        int size) {
  std::string why;
  if (registerType(name, id, info, why))
    return 0;
  write(why, reason, size);
  return 1;
}

namespace {
/// The programs that the thread has loaded and nobody has asked for.
thread_local std::vector<Program *> loaded;
} // namespace

/// The programs that the calling thread has loaded since it last asked; the caller destroys them, after their code.
/// Returns their number, of which it writes at most `capacity`.
EXPORTED int dovetail_ffi_take_programs(Program **programs, int capacity) {
  Program::areTaken = true;
  int count = 0;
  while (!loaded.empty() && count < capacity) {
    programs[count++] = loaded.back();
    loaded.pop_back();
  }
  return count;
}

EXPORTED void dovetail_ffi_destroy_program(Program *program) { delete program; }

/// Takes a failure of a program. Returns the length of its message, of which it writes what fits, or -1 if there is
/// none.
EXPORTED int dovetail_ffi_take_failure(Program *program, int64_t *site, char *target, int targetSize, char *message,
                                       int size) {
  std::optional<Failure> failure = program->take();
  if (!failure)
    return -1;
  *site = failure->site;
  write(failure->target, target, targetSize);
  write(failure->message, message, size);
  return static_cast<int>(failure->message.size());
}

/// A function with encoded attributes, null with a reason if there is none.
EXPORTED Instance *dovetail_ffi_create_instance(const char *target, const char *attributes, int64_t attributesSize,
                                                char *reason, int size) {
  std::string why;
  auto instance = Instance::create(target, {attributes, static_cast<size_t>(attributesSize)}, why);
  if (!instance)
    write(why, reason, size);
  return instance.release();
}

/// Calls it on arguments and results. Returns 0, or 1 with a reason.
EXPORTED int dovetail_ffi_call_instance(Instance *instance, const dovetail_array *arrays, int numArguments,
                                        int numResults, char *reason, int size) {
  std::string why;
  AlignedArrays aligned(std::vector<dovetail_array>(arrays, arrays + numArguments + numResults));
  if (!instance->call(aligned.get(), numArguments, why)) {
    write(why, reason, size);
    return 1;
  }
  aligned.finish(numArguments);
  return 0;
}

EXPORTED void dovetail_ffi_destroy_instance(Instance *instance) { delete instance; }

//===- For IREE ---------------------------------------------------------------------------------===//

using namespace dovetail::plugin;

/// Makes a call; IREE's runtime ends the program if this is not 0.
static int call(void *arguments, void *context, void *) {
  return static_cast<Program *>(context)->call(static_cast<const int64_t *>(arguments)) ? 0 : 1;
}

/// All calls of an executable have one program.
static Status resolveCalls(void *, const Imports *imports, uint32_t *resolution) {
  Program *program = nullptr;
  return resolveBy(imports, resolution, [&](std::string_view name, Function &function, void *&context) {
    if (name.substr(0, std::strlen(kImportPrefix)) != kImportPrefix)
      return false;
    if (!program)
      loaded.push_back(program = new Program);
    function = call;
    context = program;
    return true;
  });
}

/// The name by which IREE's runtime looks for this.
EXPORTED const Header *const *iree_hal_executable_plugin_query(uint32_t mostVersion, void *) {
  static const Header header = {kVersion, "dovetail_ffi", "foreign functions of Dovetail's programs", 0, 0, {}};
  static const Interface interface = {&header, load, unload, resolveCalls};
  return mostVersion >= kVersion ? &interface.header : nullptr;
}
