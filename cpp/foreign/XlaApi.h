// What handlers of XLA's FFI can ask for.
#ifndef DOVETAIL_FOREIGN_XLAAPI_H
#define DOVETAIL_FOREIGN_XLAAPI_H

#include <array>
#include <condition_variable>
#include <dovetail/xla_ffi.h>
#include <mutex>
#include <string>

/// An error of a handler.
struct xffi_error {
  int code;
  std::string message;
};

/// The end of a handler that goes on in the background.
struct xffi_future {
  std::mutex mutex;
  std::condition_variable isDone;
  bool done = false;
  xffi_error *error = nullptr;
};

namespace dovetail::foreign {

/// An object that a handler leaves for later stages.
class State {
public:
  State() = default;
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State() { clear(); }

  bool isSet() const { return type != 0; }
  void set(int64_t newType, void *newObject) { type = newType, object = newObject; }
  void *get(int64_t wanted) const { return wanted == type ? object : nullptr; }
  void clear();

private:
  int64_t type = 0;
  void *object = nullptr;
};

} // namespace dovetail::foreign

/// One call, or the instantiation, of a handler.
struct xffi_context {
  const char *target;
  /// By the stages that set them; that of the execution is never set.
  std::array<dovetail::foreign::State *, XFFI_NUM_STAGES> states;
};

namespace dovetail::foreign {

const xffi_api *api();

/// Calls a handler, and waits for what it does in the background. False with a reason if it failed.
bool callHandler(xffi_handler *handler, xffi_frame &frame, std::string &reason);

/// Whether a handler's version of the interface is known; false with a reason if it is not.
bool checkVersion(xffi_handler *handler, std::string &reason);

/// Gives a type an id, or registers the one that it has. False with a reason if the name has another one.
bool registerType(const std::string &name, xffi_type_id *id, const xffi_type_info *info, std::string &reason);

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_XLAAPI_H
