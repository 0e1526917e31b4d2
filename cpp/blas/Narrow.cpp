// Narrow products, by the code for this processor.
#include "Narrow.h"
#include "Variants.h"

namespace dovetail::blas {

DOVETAIL_DECLARE_VARIANTS(template <typename T> void compute(const NarrowProduct<T> &product))

template <typename T>
static void computeHere(const NarrowProduct<T> &product) {
  static const auto code = DOVETAIL_VARIANT_HERE(compute<T>);
  code(product);
}

void computeNarrow(const NarrowProduct<float> &product) { computeHere(product); }
void computeNarrow(const NarrowProduct<double> &product) { computeHere(product); }

} // namespace dovetail::blas
