// Vectors for the code that is compiled for several kinds of processors: see Variants.h.
#include <cstring>

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

/// The sum of `count` numbers, a power of two of them, by halves.
template <int count, typename T>
T sumOf(const T *numbers) {
  if constexpr (count == 1) {
    return *numbers;
  } else {
    typedef T Half __attribute__((vector_size(count / 2 * sizeof(T))));
    Half first, second;
    std::memcpy(&first, numbers, sizeof(first));
    std::memcpy(&second, numbers + count / 2, sizeof(second));
    first += second;
    T halves[count / 2];
    std::memcpy(halves, &first, sizeof(first));
    return sumOf<count / 2>(halves);
  }
}

/// The sum of the lanes.
template <typename T>
T sumOf(const Vector<T> &vector) {
  T lanes[kLanes<T>];
  std::memcpy(lanes, &vector, sizeof(vector));
  return sumOf<kLanes<T>>(lanes);
}

} // namespace dovetail::blas::DOVETAIL_VARIANT
