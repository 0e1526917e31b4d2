// Running reductions of rows, by the code for this processor, on all threads of the team.
#include "Running.h"
#include "Functions.h"
#include "Parts.h"
#include "Team.h"
#include "Variants.h"
#include <algorithm>

namespace dovetail::blas {

DOVETAIL_DECLARE_VARIANTS(void runRows(const RunningRows &call))

void computeRunning(const RunningCall &call) {
  static const auto code = DOVETAIL_VARIANT_HERE(runRows);
  // Bytes that are worth a thread.
  constexpr int64_t leastBytes = 1 << 17;
  auto element = RunningElement(call.element);
  int64_t width = element == RunningElement::Float32 || element == RunningElement::Int32 ? 4 : 8;
  int64_t bytes = call.rows * call.length * width, groups = call.rows / kFewestRunningRows;
  int64_t parts = call.threads == 1 ? 1 : std::clamp<int64_t>(bytes / leastBytes, 1, std::min(groups, 4 * teamSize()));
  forEachPart(parts, [&](int64_t part) {
    // Each part has at least so many rows.
    int64_t begin = groups * part / parts * kFewestRunningRows;
    int64_t end = part + 1 == parts ? call.rows : groups * (part + 1) / parts * kFewestRunningRows;
    int64_t from = begin * call.length * width;
    code({call.x.get() + from, call.result.get() + from, element, (call.flags & kRunningProducts) != 0,
          (call.flags & kRunningWide) != 0, (call.flags & kRunningReverse) != 0, end - begin, call.length});
  });
}

} // namespace dovetail::blas
