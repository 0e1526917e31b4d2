// Narrow products, by the code for this processor.
#include "Narrow.h"

namespace dovetail::blas {

#define DOVETAIL_DECLARE(variant)                                                                                      \
  namespace variant {                                                                                                  \
  template <typename T>                                                                                                \
  void compute(const NarrowProduct<T> &product);                                                                       \
  }
DOVETAIL_DECLARE(any)
DOVETAIL_DECLARE(avx2)
DOVETAIL_DECLARE(avx512)
#undef DOVETAIL_DECLARE

template <typename T>
static auto codeHere() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return avx512::compute<T>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2::compute<T>;
#endif
  return any::compute<T>;
}

template <typename T>
static void computeHere(const NarrowProduct<T> &product) {
  static const auto code = codeHere<T>();
  code(product);
}

void computeNarrow(const NarrowProduct<float> &product) { computeHere(product); }
void computeNarrow(const NarrowProduct<double> &product) { computeHere(product); }

} // namespace dovetail::blas
