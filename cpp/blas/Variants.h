// The code that is compiled for several kinds of processors: files of it define DOVETAIL_VARIANT as the name of their
// namespace and are included once for each kind.
#ifndef DOVETAIL_BLAS_VARIANTS_H
#define DOVETAIL_BLAS_VARIANTS_H

namespace dovetail::blas {

/// Declares a function in the namespace of each kind.
#define DOVETAIL_DECLARE_VARIANTS(declaration)                                                                         \
  namespace any {                                                                                                      \
  declaration;                                                                                                         \
  }                                                                                                                    \
  namespace avx2 {                                                                                                     \
  declaration;                                                                                                         \
  }                                                                                                                    \
  namespace avx512 {                                                                                                   \
  declaration;                                                                                                         \
  }

/// The function of that name for this processor.
#ifdef __x86_64__
#define DOVETAIL_VARIANT_HERE(function) ::dovetail::blas::variantHere(any::function, avx2::function, avx512::function)

template <typename Function>
Function *variantHere(Function &any, Function &avx2, Function &avx512) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2;
  return any;
}
#else
#define DOVETAIL_VARIANT_HERE(function) any::function
#endif

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_VARIANTS_H
