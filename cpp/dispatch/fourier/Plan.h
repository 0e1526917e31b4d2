// Splits a transform into shorter ones.
#ifndef DOVETAIL_DISPATCH_FOURIER_PLAN_H
#define DOVETAIL_DISPATCH_FOURIER_PLAN_H

#include "llvm/ADT/SmallVector.h"

#include <complex>
#include <cstdint>
#include <vector>

namespace dovetail::fourier {

/// The largest prime that is transformed by the definition.
constexpr int64_t kLargestPrime = 31;

/// Whether no prime factor is larger.
bool isSmooth(int64_t length);

/// `length`, which is smooth, as a product of as few factors of at most `limit` as possible (a prime may exceed it),
/// which are of similar size.
llvm::SmallVector<int64_t> balancedFactors(int64_t length, int64_t limit);

/// A smooth length, at least `length`, whose transform is fast.
int64_t quickLength(int64_t length);

/// exp(-2 pi i k / n), rounded to within about half a unit of long double's precision.
std::complex<long double> root(int64_t k, int64_t n);

/// The transform of an array whose size is fast.
std::vector<std::complex<long double>> transform(std::vector<std::complex<long double>> x);

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_PLAN_H
