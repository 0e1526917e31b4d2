// Functions that one thread runs by turns.
#ifndef DOVETAIL_COLLECTIVES_TURNS_H
#define DOVETAIL_COLLECTIVES_TURNS_H

#include <csetjmp>
#include <functional>
#include <vector>

namespace dovetail::collectives {

/// Runs functions on one thread, each on a stack of its own: where one waits for the others, the next goes on. Threads
/// take microseconds for that.
class Turns {
public:
  explicit Turns(int count) : all(count) {}
  ~Turns();
  Turns(const Turns &) = delete;

  /// Makes the stacks; false if there is no memory for them.
  bool prepare();
  /// Runs a function for each number. `begin` is told whose turn it is whenever another's begins.
  void run(const std::function<void(int)> &function, const std::function<void(int)> &begin);
  /// Lets all others go on that have not ended.
  void next();
  /// Those that the calling thread runs; null if there are none.
  static Turns *current();

private:
  struct One {
    void *stack = nullptr;
    bool hasBegun = false, hasEnded = false;
    /// Where it goes on.
    jmp_buf place;
  };

  static void main();
  [[noreturn]] void give(int number);

  std::vector<One> all;
  const std::function<void(int)> *function = nullptr, *begin = nullptr;
  int active = 0;
  /// Where `run` goes on.
  jmp_buf end;
};

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_TURNS_H
