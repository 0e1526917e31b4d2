// Vectors for the code that is compiled for several kinds of processors: see Variants.h.
namespace dovetail::blas::DOVETAIL_VARIANT {

/// The widest vectors that processors have, which others take in parts.
constexpr int kVectorBytes = 64;

template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float Type __attribute__((vector_size(kVectorBytes)));
};
template <>
struct VectorOf<double> {
  typedef double Type __attribute__((vector_size(kVectorBytes)));
};

template <typename T>
using Vector = typename VectorOf<T>::Type;
template <typename T>
constexpr int kLanes = kVectorBytes / sizeof(T);

} // namespace dovetail::blas::DOVETAIL_VARIANT
