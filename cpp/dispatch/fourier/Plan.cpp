// Factors of lengths, and roots of unity.
#include "Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

namespace dovetail::fourier {

static int64_t smallestPrime(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p)
    if (n % p == 0)
      return p;
  return n;
}

bool isSmooth(int64_t length) {
  for (int64_t p = 2; p <= kLargestPrime; ++p)
    while (length % p == 0)
      length /= p;
  return length == 1;
}

/// The divisors that a factor may be.
static llvm::SmallVector<int64_t> candidates(int64_t length, int64_t limit) {
  llvm::SmallVector<int64_t> divisors;
  for (int64_t d = 2; d <= std::min(length, std::max(limit, kLargestPrime)); ++d)
    if (length % d == 0 && (d <= limit || smallestPrime(d) == d))
      divisors.push_back(d);
  return divisors;
}

/// Splits into `count` factors, if possible.
static bool split(int64_t length, int64_t count, int64_t limit, llvm::SmallVectorImpl<int64_t> &factors) {
  llvm::SmallVector<int64_t> divisors = candidates(length, limit);
  if (count == 1) {
    if (divisors.empty() || divisors.back() != length)
      return false;
    factors.push_back(length);
    return true;
  }
  double wanted = std::pow(static_cast<double>(length), 1.0 / static_cast<double>(count));
  auto distance = [&](int64_t d) { return std::abs(std::log(static_cast<double>(d) / wanted)); };
  llvm::stable_sort(divisors, [&](int64_t x, int64_t y) { return distance(x) < distance(y); });
  for (int64_t divisor : divisors) {
    factors.push_back(divisor);
    if (length > divisor && split(length / divisor, count - 1, limit, factors))
      return true;
    factors.pop_back();
  }
  return false;
}

llvm::SmallVector<int64_t> balancedFactors(int64_t length, int64_t limit) {
  llvm::SmallVector<int64_t> factors;
  if (length == 1)
    return {1};
  for (int64_t count = 1; !split(length, count, limit, factors); ++count)
    ;
  return factors;
}

int64_t quickLength(int64_t length) {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int64_t odd : {1, 3, 5, 9, 15})
    best = std::min(best, odd * static_cast<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(length, odd))));
  return best;
}

std::complex<long double> root(int64_t k, int64_t n) {
  // In the first octant of the circle, where nothing cancels.
  k %= n;
  int64_t eighth = 8 * k / n;
  auto at = [&](int64_t numerator, int64_t denominator) {
    long double angle = 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(numerator) /
                        static_cast<long double>(denominator);
    return std::complex<long double>(std::cos(angle), -std::sin(angle));
  };
  switch (eighth) {
  case 0:
    return at(k, n);
  case 1: {
    auto w = at(n - 4 * k, 4 * n);
    return {-w.imag(), -w.real()};
  }
  case 2: {
    auto w = at(4 * k - n, 4 * n);
    return {w.imag(), -w.real()};
  }
  case 3: {
    auto w = at(n - 2 * k, 2 * n);
    return {-w.real(), w.imag()};
  }
  default:
    return 2 * k == n ? std::complex<long double>(-1, 0) : std::conj(root(n - k, n));
  }
}

std::vector<std::complex<long double>> transform(std::vector<std::complex<long double>> x) {
  int64_t n = x.size();
  if (n == 1)
    return x;
  int64_t p = smallestPrime(n), m = n / p;
  std::vector<std::vector<std::complex<long double>>> parts;
  for (int64_t a = 0; a < p; ++a) {
    std::vector<std::complex<long double>> part(m);
    for (int64_t t = 0; t < m; ++t)
      part[t] = x[a + p * t];
    parts.push_back(transform(std::move(part)));
  }
  for (int64_t j = 0; j < n; ++j) {
    x[j] = 0;
    for (int64_t a = 0; a < p; ++a)
      x[j] += root(a * j, n) * parts[a][j % m];
  }
  return x;
}

} // namespace dovetail::fourier
