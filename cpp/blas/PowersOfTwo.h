// Fourier transforms of powers of two, whose spectra are in an order of their own.
#ifndef DOVETAIL_BLAS_POWERSOFTWO_H
#define DOVETAIL_BLAS_POWERSOFTWO_H

#include <cmath>
#include <cstdint>
#include <vector>

namespace dovetail::blas {

/// The roots that transforms of `size` elements need: for each step, the first three powers of each root.
template <typename T>
std::vector<T> rootsOfSteps(int64_t size) {
  std::vector<T> roots;
  for (int64_t n = size; n > 2; n /= 4)
    for (int64_t j = 0; j < n / 4; ++j)
      for (int power = 1; power <= 3; ++power) {
        long double angle = -2 * 3.14159265358979323846264338327950288L * power * j / n;
        roots.push_back(T(std::cos(angle)));
        roots.push_back(T(std::sin(angle)));
      }
  return roots;
}

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_POWERSOFTWO_H
