// What handlers of XLA's FFI can ask for.
#include "XlaApi.h"
#include "Registry.h"
#include "Threads.h"
#include <atomic>
#include <cstdlib>
#include <map>

namespace dovetail::foreign {

//===- Errors ------------------------------------------------------------------===//

static xffi_error *newError(int code, std::string message) { return new xffi_error{code, std::move(message)}; }

static xffi_error *createError(xffi_create_error *args) {
  return newError(args->code, args->message ? args->message : "");
}

static void errorMessage(xffi_error_message *args) { args->message = args->error->message.c_str(); }

static void destroyError(xffi_destroy_error *args) { delete args->error; }

/// A code as XLA prints it.
static const char *nameOf(int code) {
  static const char *const names[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code < int(std::size(names)) ? names[code] : "UNKNOWN";
}

/// Takes an error; false if there is one.
static bool take(xffi_error *error, std::string &reason) {
  if (!error)
    return true;
  reason = std::string(nameOf(error->code)) + ": " + error->message;
  delete error;
  return false;
}

//===- Types and states --------------------------------------------------------===//

namespace {
struct Type {
  std::string name;
  void (*destroy)(void *);
};

struct Types {
  std::mutex mutex;
  std::map<int64_t, Type> byId;
};
} // namespace

static Types &types() {
  static auto *types = new Types;
  return *types;
}

bool registerType(const std::string &name, xffi_type_id *id, const xffi_type_info *info, std::string &reason) {
  Types &known = types();
  std::lock_guard lock(known.mutex);
  for (const auto &[number, type] : known.byId) {
    if (type.name != name && number != id->number)
      continue;
    if (type.name == name && (id->number == number || id->number == 0)) {
      id->number = number;
      return true;
    }
    reason = "the name or the id belongs to another type";
    return false;
  }
  if (id->number == 0)
    id->number = known.byId.empty() ? 1 : known.byId.rbegin()->first + 1;
  known.byId[id->number] = {name, info ? info->destroy : nullptr};
  return true;
}

void State::clear() {
  if (!isSet())
    return;
  void (*destroy)(void *);
  {
    std::lock_guard lock(types().mutex);
    destroy = types().byId[type].destroy;
  }
  if (destroy && object)
    destroy(object);
  type = 0, object = nullptr;
}

static xffi_error *registerTypeOf(xffi_register_type *args) {
  std::string reason;
  if (registerType({args->name.data, args->name.size}, args->id, args->info, reason))
    return nullptr;
  return newError(XFFI_INVALID_ARGUMENT, reason);
}

namespace {
/// The state's arguments before version 0.3, in which only the instantiation had one.
struct OldState {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  xffi_type_id *id;
  void *state;
};
} // namespace

static xffi_error *setStateOf(xffi_context *context, int stage, xffi_type_id *id, void *object) {
  State *state = stage >= 0 && stage < XFFI_NUM_STAGES ? context->states[stage] : nullptr;
  if (!state || state->isSet())
    return newError(XFFI_INVALID_ARGUMENT,
                    state ? "the state of this stage is set already" : "this stage has no state");
  std::lock_guard lock(types().mutex);
  if (!types().byId.count(id->number))
    return newError(XFFI_INVALID_ARGUMENT, "the type of the state must be registered, by register_ffi_type");
  state->set(id->number, object);
  return nullptr;
}

static xffi_error *getStateOf(xffi_context *context, int stage, xffi_type_id *id, void **object) {
  State *state = stage >= 0 && stage < XFFI_NUM_STAGES ? context->states[stage] : nullptr;
  *object = state ? state->get(id->number) : nullptr;
  return *object ? nullptr : newError(XFFI_INVALID_ARGUMENT, "there is no state of this type");
}

static xffi_error *setState(xffi_state *args) {
  if (args->struct_size < sizeof(xffi_state)) {
    auto *old = reinterpret_cast<OldState *>(args);
    return setStateOf(old->context, XFFI_INSTANTIATE, old->id, old->state);
  }
  return setStateOf(args->context, args->stage, args->id, args->state);
}

static xffi_error *getState(xffi_state *args) {
  if (args->struct_size < sizeof(xffi_state)) {
    auto *old = reinterpret_cast<OldState *>(args);
    return getStateOf(old->context, XFFI_INSTANTIATE, old->id, &old->state);
  }
  return getStateOf(args->context, args->stage, args->id, &args->state);
}

static xffi_error *getData(xffi_get_data *args) {
  args->data = nullptr;
  return newError(XFFI_UNIMPLEMENTED, "there is no user data; use the state of a handler");
}

//===- Memory, threads, and the rest ---------------------------------------------===//

static xffi_error *allocate(xffi_allocate *args) {
  size_t alignment = std::max<size_t>(args->alignment, 64);
  args->data = std::aligned_alloc(alignment, (args->size + alignment - 1) / alignment * alignment);
  if (args->data || args->size == 0)
    return nullptr;
  return newError(8, "there is no memory of " + std::to_string(args->size) + " bytes");
}

static xffi_error *freeMemory(xffi_free *args) {
  std::free(args->data);
  return nullptr;
}

static xffi_error *schedule(xffi_schedule *args) {
  Threads::get().schedule({args->task, args->data, args->context->target});
  return nullptr;
}

static xffi_error *numThreads(xffi_num_threads *args) {
  *args->count = Threads::get().count();
  return nullptr;
}

static xffi_error *createFuture(xffi_create_future *args) {
  args->future = new xffi_future;
  return nullptr;
}

static void finish(xffi_future *future, xffi_error *error) {
  // The one who waits deletes the future as soon as it holds the mutex.
  std::lock_guard lock(future->mutex);
  future->error = error;
  future->done = true;
  future->isDone.notify_all();
}

static xffi_error *setAvailable(xffi_set_available *args) {
  finish(args->future, nullptr);
  return nullptr;
}

static xffi_error *setError(xffi_set_error *args) {
  finish(args->future, args->error);
  return nullptr;
}

static xffi_error *registerHandler(xffi_register_handler *args) {
  std::string reason;
  Target target = {{args->name.data, args->name.size}, Kind::Xla, args->bundle, nullptr};
  return registerTarget(std::move(target), reason) ? nullptr : newError(XFFI_INVALID_ARGUMENT, reason);
}

static xffi_error *getStream(xffi_get_stream *args) {
  args->stream = nullptr;
  return newError(XFFI_UNIMPLEMENTED, "the CPU has no streams");
}

static xffi_error *getRunId(xffi_get_run_id *args) {
  static std::atomic<int64_t> next = 1;
  args->run_id = next++;
  return nullptr;
}

static xffi_error *getDeviceOrdinal(xffi_get_device_ordinal *args) {
  args->ordinal = 0;
  return nullptr;
}

const xffi_api *api() {
  static const xffi_api api = {
      sizeof(xffi_api), nullptr,         {sizeof(xffi_version), nullptr, XFFI_MAJOR, XFFI_MINOR},
      nullptr,          createError,     errorMessage,
      destroyError,     registerHandler, getStream,
      registerTypeOf,   getData,         setState,
      getState,         allocate,        freeMemory,
      schedule,         numThreads,      createFuture,
      setAvailable,     setError,        getRunId,
      getDeviceOrdinal};
  return &api;
}

bool callHandler(xffi_handler *handler, xffi_frame &frame, std::string &reason) {
  frame.future = nullptr;
  if (!take(handler(&frame), reason))
    return false;
  xffi_future *future = frame.future;
  if (!future)
    return true;
  xffi_error *error;
  {
    std::unique_lock lock(future->mutex);
    future->isDone.wait(lock, [&] { return future->done; });
    error = future->error;
  }
  delete future;
  return take(error, reason);
}

bool checkVersion(xffi_handler *handler, std::string &reason) {
  xffi_metadata metadata = {};
  metadata.struct_size = sizeof(metadata);
  metadata.version.struct_size = sizeof(metadata.version);
  xffi_metadata_extension extension = {{sizeof(extension), 1, nullptr}, &metadata};
  xffi_frame frame = {};
  frame.struct_size = offsetof(xffi_frame, future);
  frame.extensions = &extension.extension;
  frame.api = api();
  if (!take(handler(&frame), reason))
    return false;
  if (metadata.version.major == XFFI_MAJOR && metadata.version.minor <= XFFI_MINOR)
    return true;
  auto text = [](int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); };
  reason = "a handler must be compiled for version " + text(XFFI_MAJOR, XFFI_MINOR) +
           " of XLA's FFI or an earlier one, "
           "got: " +
           text(metadata.version.major, metadata.version.minor);
  return false;
}

} // namespace dovetail::foreign
