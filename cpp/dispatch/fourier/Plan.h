// Splits a transform into shorter ones.
#ifndef DOVETAIL_DISPATCH_FOURIER_PLAN_H
#define DOVETAIL_DISPATCH_FOURIER_PLAN_H

#include "llvm/ADT/SmallVector.h"

#include <complex>
#include <cstdint>
#include <vector>

namespace dovetail::fourier {

/// The largest prime that is transformed by its definition.
constexpr int64_t kLargestPrime = 31;

/// Whether no prime factor is larger.
bool isSmooth(int64_t length);

/// `length`, which is smooth, as a product of as few factors of at most `limit` as can be (a prime may exceed it),
/// which differ little.
llvm::SmallVector<int64_t> balancedFactors(int64_t length, int64_t limit);

/// A smooth length, of at least `length`, whose transform is quick.
int64_t quickLength(int64_t length);

/// exp(-2 pi i k / n), correctly rounded to long double's precision or nearly so.
std::complex<long double> root(int64_t k, int64_t n);

/// The transform of an array whose size is quick.
std::vector<std::complex<long double>> transform(std::vector<std::complex<long double>> x);

} // namespace dovetail::fourier

#endif // DOVETAIL_DISPATCH_FOURIER_PLAN_H
