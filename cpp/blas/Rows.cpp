// Reads and updates of rows, by the code for this processor.
#include "Functions.h"
#include "Variants.h"

namespace dovetail::blas {

DOVETAIL_DECLARE_VARIANTS(void updateRows(const ScatterCall &call))
DOVETAIL_DECLARE_VARIANTS(void readRows(const GatherCall &call))

void scatter(const ScatterCall &call) {
  static const auto code = DOVETAIL_VARIANT_HERE(updateRows);
  code(call);
}

void gather(const GatherCall &call) {
  static const auto code = DOVETAIL_VARIANT_HERE(readRows);
  code(call);
}

} // namespace dovetail::blas
