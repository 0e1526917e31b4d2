// QR factorizations, eigenvectors and singular vectors.
#include "ForEachMatrix.h"
#include "Functions.h"
#include <cmath>

namespace dovetail::blas {

namespace {

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;
template <typename T>
constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

/// Memory that a routine works in, with sizes as Fortran takes them.
template <typename T>
struct Workspace {
  T *work;
  const int *size;
  Real<T> *real;
  const int *realSize;
  int *integers;
  const int *integersSize;
};

/// The memory that the calls for matrices of one size share.
template <typename T>
class Memory {
public:
  Memory() = default;
  /// With so many real numbers and integers, for routines that do not say how many they need.
  Memory(int64_t numReal, int64_t numIntegers) : real(numReal), integers(numIntegers) {}

  /// Calls a routine, in the memory that it asks for in a first call.
  template <typename Call>
  void run(Call call) {
    if (work.empty()) {
      T size = 0;
      Real<T> realSize = 0;
      int integersSize = 0;
      const int isQuery = -1;
      call(Workspace<T>{&size, &isQuery, &realSize, &isQuery, &integersSize, &isQuery});
      grow(work, 1 + static_cast<int64_t>(std::real(size)));
      grow(real, static_cast<int64_t>(realSize));
      grow(integers, integersSize);
    }
    const int size = work.size(), realSize = real.size(), integersSize = integers.size();
    call(Workspace<T>{work.data(), &size, real.data(), &realSize, integers.data(), &integersSize});
  }

private:
  template <typename Element>
  static void grow(std::vector<Element> &memory, int64_t size) {
    memory.resize(std::max<int64_t>(memory.size(), size));
  }

  std::vector<T> work;
  std::vector<Real<T>> real;
  std::vector<int> integers;
};

template <typename... Arguments>
void callRoutine(void *routine, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(routine)(arguments...);
}

template <typename T>
bool isFinite(T x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

template <typename T>
void setIdentity(T *a, int64_t size) {
  std::fill_n(a, size * size, T(0));
  for (int64_t i = 0; i < size; ++i)
    a[i * size + i] = T(1);
}

//===- QR ------------------------------------------------------------------------===//

/// The factorization of matrices of one size, by columns.
template <typename T>
struct Qr {
  int m, n, k;
  std::vector<T> byColumns, taus;
  Memory<T> factors, vectors;

  Qr(int m, int n, int columns) : m(m), n(n), k(std::min(m, n)) {
    byColumns.resize(int64_t(m) * std::max(n, columns));
    taus.resize(k);
  }

  void factorize(const T *a) {
    transpose(a, byColumns.data(), m, n);
    int info = 0;
    factors.run([&](Workspace<T> memory) {
      routines<T>().geqrf(&m, &n, byColumns.data(), &m, taus.data(), memory.work, memory.size, &info);
    });
  }

  /// R's first rows, by rows.
  void storeR(T *r, int64_t rows) const {
    for (int64_t i = 0; i < rows; ++i) {
      std::fill_n(r + i * n, std::min<int64_t>(i, n), T(0));
      for (int64_t j = i; j < n; ++j)
        r[i * n + j] = byColumns[j * m + i];
    }
  }

  /// Q's first columns, by rows.
  void storeQ(T *q, int columns) {
    int info = 0;
    vectors.run([&](Workspace<T> memory) {
      routines<T>().orgqr(&m, &columns, &k, byColumns.data(), &m, taus.data(), memory.work, memory.size, &info);
    });
    transpose(byColumns.data(), q, columns, m);
  }
};

} // namespace

void computeQr(const MatricesCall<1, 2> &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int m = call.numbers.rows, n = call.numbers.columns, columns = call.numbers.flags ? m : std::min(m, n);
    Qr<T> factors(m, n, columns);
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      T *q = call.result<T>(0, matrix, int64_t(m) * columns), *r = call.result<T>(1, matrix, int64_t(columns) * n);
      if (columns == 0)
        return;
      if (n == 0)
        return setIdentity(q, m);
      factors.factorize(call.operand<T>(0, matrix, int64_t(m) * n));
      factors.storeR(r, columns);
      factors.storeQ(q, columns);
    });
  });
}

void computeReflections(const MatricesCall<1, 2> &call) {
  forElement(call.numbers.element, [&](auto *type) {
    using T = std::remove_pointer_t<decltype(type)>;
    const int m = call.numbers.rows, n = call.numbers.columns;
    Qr<T> factors(m, n, n);
    forEachMatrix(call.numbers, [&](int64_t matrix) {
      if (factors.k == 0)
        return;
      factors.factorize(call.operand<T>(0, matrix, int64_t(m) * n));
      transpose(factors.byColumns.data(), call.result<T>(0, matrix, int64_t(m) * n), n, m);
      std::copy(factors.taus.begin(), factors.taus.end(), call.result<T>(1, matrix, factors.k));
    });
  });
}

//===- Eigenvectors --------------------------------------------------------------===//

namespace {

/// Replaces Hermitian matrices, of which only the upper triangles are read, by their eigenvectors, by columns.
template <typename T>
class Eigenvectors {
public:
  Eigenvectors(int size, bool hasVectors) : size(size), job(hasVectors ? "V" : "N") {}

  /// Returns false if there are none.
  bool compute(T *a, Real<T> *values) {
    int info = 0;
    const int *n = &size;
    memory.run([&](Workspace<T> memory) {
      if constexpr (kIsComplex<T>)
        callRoutine(routines<T>().syevd, job, "U", n, a, n, values, memory.work, memory.size, memory.real,
                    memory.realSize, memory.integers, memory.integersSize, &info);
      else
        callRoutine(routines<T>().syevd, job, "U", n, a, n, values, memory.work, memory.size, memory.integers,
                    memory.integersSize, &info);
    });
    return info == 0;
  }

private:
  const int size;
  const char *job;
  Memory<T> memory;
};

/// The eigenvalues of the matrices of a call, and the eigenvectors if the call has them as second results.
template <typename T, int numResults>
void computeSpectra(const MatricesCall<1, numResults> &call) {
  const int n = call.numbers.rows;
  const int64_t size = int64_t(n) * n;
  constexpr bool hasVectors = numResults > 1;
  std::vector<T> a(size);
  Eigenvectors<T> eigenvectors(n, hasVectors);
  forEachMatrix(call.numbers, [&](int64_t matrix) {
    const T *from = call.template operand<T>(0, matrix, size);
    auto *values = call.template result<Real<T>>(0, matrix, n);
    if (n == 0)
      return;
    // By columns, the lower triangle is the upper one of the conjugate.
    bool areFinite = true;
    for (int64_t i = 0; i < n; ++i) {
      areFinite &= std::all_of(from + i * n, from + i * n + i + 1, isFinite<T>);
      std::copy_n(from + i * n, i + 1, a.data() + i * n);
    }
    if (!areFinite || !eigenvectors.compute(a.data(), values)) {
      std::fill_n(values, n, kNan<Real<T>>);
      std::fill_n(a.data(), size, kNan<T>);
    }
    if constexpr (hasVectors) {
      conjugate(a.data(), size);
      transpose(a.data(), call.template result<T>(1, matrix, size), n, n);
    }
  });
}

} // namespace

void computeEigenvectors(const MatricesCall<1, 2> &call) {
  forElement(call.numbers.element, [&](auto *type) { computeSpectra<std::remove_pointer_t<decltype(type)>>(call); });
}

void computeEigenvalues(const MatricesCall<1, 1> &call) {
  forElement(call.numbers.element, [&](auto *type) { computeSpectra<std::remove_pointer_t<decltype(type)>>(call); });
}

//===- Singular vectors ----------------------------------------------------------===//

namespace {

/// Singular values and vectors of matrices by columns that are not wide.
template <typename T>
class SingularVectors {
public:
  SingularVectors(int rows, int columns, const char *job)
      : m(rows), n(columns), job(job),
        memory(int64_t(columns) * std::max(5 * int64_t(columns) + 7, 2 * int64_t(rows) + 2 * int64_t(columns) + 1),
               8 * int64_t(columns)) {}

  /// Replaces `a`; u and vh are by columns. Returns false if there are none.
  bool compute(T *a, Real<T> *values, T *u, T *vh) {
    int info = 0;
    memory.run([&](Workspace<T> memory) {
      if constexpr (kIsComplex<T>)
        callRoutine(routines<T>().gesdd, job, &m, &n, a, &m, values, u, &m, vh, &n, memory.work, memory.size,
                    memory.real, memory.integers, &info);
      else
        callRoutine(routines<T>().gesdd, job, &m, &n, a, &m, values, u, &m, vh, &n, memory.work, memory.size,
                    memory.integers, &info);
    });
    return info == 0;
  }

private:
  const int m, n;
  const char *job;
  Memory<T> memory;
};

/// The singular values and vectors of the matrices of a call, or the singular values alone. Routines are quicker for
/// matrices that are not wide, as which those that are have their transposes, where u and vh exchange their places.
template <typename T, int numResults>
void computeSingular(const MatricesCall<1, numResults> &call) {
  const int m = call.numbers.rows, n = call.numbers.columns, k = std::min(m, n);
  constexpr bool hasVectors = numResults > 1;
  const bool isWhole = call.numbers.flags != 0, isWide = m < n;
  const int64_t size = int64_t(m) * n, sizeOfU = int64_t(m) * (isWhole ? m : k),
                sizeOfVh = int64_t(isWhole ? n : k) * n;
  SingularVectors<T> vectors(std::max(m, n), k, !hasVectors ? "N" : isWhole ? "A" : "S");
  bool areTransposed = hasVectors && !isWide;
  std::vector<T> a(size), uByColumns(areTransposed ? sizeOfU : 0), vhByColumns(areTransposed ? sizeOfVh : 0);
  forEachMatrix(call.numbers, [&](int64_t matrix) {
    const T *from = call.template operand<T>(0, matrix, size);
    auto *values = call.template result<Real<T>>(0, matrix, k);
    T *u = nullptr, *vh = nullptr;
    if constexpr (hasVectors) {
      u = call.template result<T>(1, matrix, sizeOfU);
      vh = call.template result<T>(2, matrix, sizeOfVh);
    }
    if (k == 0) {
      if (isWhole && hasVectors) {
        setIdentity(u, m);
        setIdentity(vh, n);
      }
      return;
    }
    bool areFound = std::all_of(from, from + size, isFinite<T>);
    if (areFound && isWide) {
      std::copy_n(from, size, a.data());
      areFound = vectors.compute(a.data(), values, vh, u);
    } else if (areFound) {
      transpose(from, a.data(), m, n);
      areFound = vectors.compute(a.data(), values, uByColumns.data(), vhByColumns.data());
      if (areTransposed) {
        transpose(uByColumns.data(), u, sizeOfU / m, m);
        transpose(vhByColumns.data(), vh, n, sizeOfVh / n);
      }
    }
    if (areFound)
      return;
    std::fill_n(values, k, kNan<Real<T>>);
    if (hasVectors) {
      std::fill_n(u, sizeOfU, kNan<T>);
      std::fill_n(vh, sizeOfVh, kNan<T>);
    }
  });
}

} // namespace

void computeSingularVectors(const MatricesCall<1, 3> &call) {
  forElement(call.numbers.element, [&](auto *type) { computeSingular<std::remove_pointer_t<decltype(type)>>(call); });
}

void computeSingularValues(const MatricesCall<1, 1> &call) {
  forElement(call.numbers.element, [&](auto *type) { computeSingular<std::remove_pointer_t<decltype(type)>>(call); });
}

} // namespace dovetail::blas
