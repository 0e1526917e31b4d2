// Tells in which foreign function a process crashed.
#include "Crash.h"
#include <csignal>
#include <cstring>
#include <iterator>
#include <unistd.h>

namespace dovetail::foreign {

static thread_local const char *current = nullptr;

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const char *const names[] = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"};
static struct sigaction previous[std::size(signals)];

static void print(const char *text) {
  // Nothing can be done if this fails.
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
    return;
}

/// Says where the process crashed, and lets it crash: others, such as Python's faulthandler, get the signal next.
static void report(int signal, siginfo_t *info, void *) {
  for (unsigned i = 0; i < std::size(signals); ++i) {
    if (signals[i] != signal)
      continue;
    if (current) {
      print("dovetail.ffi: the target `");
      print(current);
      print("` crashed with ");
      print(names[i]);
      print("\n");
      current = nullptr;
    }
    sigaction(signal, &previous[i], nullptr);
  }
  // A fault happens again as soon as this returns; what a process sends itself does not.
  if (info->si_code <= 0)
    raise(signal);
}

InTarget::InTarget(const char *name) : outer(current) {
  static const bool isInstalled = [] {
    struct sigaction action = {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < std::size(signals); ++i)
      sigaction(signals[i], &action, &previous[i]);
    return true;
  }();
  (void)isInstalled;
  current = name;
}

InTarget::~InTarget() { current = outer; }

} // namespace dovetail::foreign
