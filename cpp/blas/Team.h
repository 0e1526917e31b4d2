// Threads of the library that compute parts of a call with the thread that makes it.
#ifndef DOVETAIL_BLAS_TEAM_H
#define DOVETAIL_BLAS_TEAM_H

#include <cstdint>
#include <type_traits>

namespace dovetail::blas {

/// Returns true if the calling thread is not one of the runtime's: these share the parts of a call among themselves,
/// but in a program that runs on the thread that calls it, nobody else would compute.
bool isOutsideRuntime();

/// The number of threads that may compute, with the calling one.
int64_t teamSize();

/// Calls compute(context, i) for each i below `parts`, which are at most 65535, and returns when all of these have
/// returned. Threads take the next part when they are done with one. They wait for the next call for a moment without
/// sleeping, as loops make calls one after the other. The calling thread computes alone if the team is busy, as it is
/// within a part.
void computeParts(int64_t parts, void (*compute)(void *context, int64_t part), void *context);

template <typename Compute>
void forEachPart(int64_t parts, Compute &&compute) {
  using Function = std::remove_reference_t<Compute>;
  computeParts(parts, [](void *context, int64_t part) { (*static_cast<Function *>(context))(part); }, &compute);
}

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_TEAM_H
