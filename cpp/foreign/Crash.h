// Tells in which foreign function a process crashed.
#ifndef DOVETAIL_FOREIGN_CRASH_H
#define DOVETAIL_FOREIGN_CRASH_H

namespace dovetail::foreign {

/// While it lives, the thread is in a function of that name.
class InTarget {
public:
  explicit InTarget(const char *name);
  ~InTarget();
  InTarget(const InTarget &) = delete;
  InTarget &operator=(const InTarget &) = delete;

private:
  const char *outer;
};

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_CRASH_H
