// Products of matrices by routines of a BLAS, which IREE's runtime binds to compiled programs.
#include "Call.h"
#include "Parts.h"
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

using namespace dovetail;
using namespace dovetail::blas;

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

/// The environment variable with the path of a BLAS.
constexpr const char *kLibraryVariable = "DOVETAIL_BLAS";

//===- Threads -------------------------------------------------------------------===//

/// The number of threads that the BLAS uses by itself; null where that is not known.
int (*threads)() = nullptr;
void (*setThreads)(int) = nullptr;

/// Keeps the BLAS from using threads of its own while the runtime's compute: they wait for their next task without
/// sleeping, and would keep the runtime's from the processors.
class OnThisThread {
public:
  OnThisThread() {
    std::lock_guard guard(lock);
    if (count++ > 0)
      return;
    before = threads();
    setThreads(1);
  }
  ~OnThisThread() {
    std::lock_guard guard(lock);
    if (--count == 0)
      setThreads(before);
  }

private:
  static inline std::mutex lock;
  static inline int count = 0, before = 0;
};

//===- Routines ------------------------------------------------------------------===//

template <typename T>
struct WideOf {
  using Type = double;
};
template <typename T>
struct WideOf<std::complex<T>> {
  using Type = std::complex<double>;
};
/// The type with the parts of elements in f64.
template <typename T>
using Wide = typename WideOf<T>::Type;

/// The routines as Fortran has them, for matrices by columns.
template <typename T>
struct Routines {
  void (*gemm)(const char *transA, const char *transB, const int *m, const int *n, const int *k, const T *alpha,
               const T *a, const int *lda, const T *b, const int *ldb, const T *beta, T *c, const int *ldc);
  void (*gemv)(const char *trans, const int *m, const int *n, const T *alpha, const T *a, const int *lda, const T *x,
               const int *incx, const T *beta, T *y, const int *incy);

  void run(const Call &call) const {
    // Fewer products are not worth a thread.
    constexpr double least = 1 << 17;
    double work = double(call.batch) * call.rows * call.columns * call.terms;
    int64_t parts = !setThreads ? 1 : std::min<int64_t>(call.groups, std::max(1.0, work / least));
    if (call.group >= parts)
      return;
    Part part = partOf(call.batch, call.rows, call.columns, parts, call.group);
    if (part.isEmpty())
      return;
    auto left = reinterpret_cast<const T *>(call.left.get()), right = reinterpret_cast<const T *>(call.right.get());
    auto result = reinterpret_cast<T *>(call.result.get());
    auto compute = [&] {
      for (int64_t i = part.batch.begin; i < part.batch.end; ++i)
        multiply(call, part, left + i * call.rows * call.terms, right + i * call.terms * call.columns,
                 result + i * call.rows * call.columns);
    };
    if (!setThreads)
      return compute();
    OnThisThread guard;
    compute();
  }

private:
  /// A block of the product of two matrices by rows. By columns, each is its transpose, and the result is the product
  /// of the transposes in reversed order.
  void multiply(const Call &call, const Part &part, const T *left, const T *right, T *result) const {
    Layout layout = Layout::of(call.layout);
    const int leftStride = layout.isLeftTransposed ? call.rows : call.terms,
              rightStride = layout.isRightTransposed ? call.terms : call.columns, resultStride = call.columns;
    left += part.rows.begin * (layout.isLeftTransposed ? 1 : leftStride);
    right += part.columns.begin * (layout.isRightTransposed ? rightStride : 1);
    result += part.rows.begin * resultStride + part.columns.begin;
    const int rows = part.rows.size(), columns = part.columns.size(), terms = call.terms;
    if (terms == 0) {
      for (int i = 0; i < rows; ++i)
        std::fill_n(result + int64_t(i) * resultStride, columns, T(0));
      return;
    }
    bool isLeftVector = call.rows == 1;
    if (isLeftVector || call.columns == 1) {
      const T *matrix = isLeftVector ? right : left, *vector = isLeftVector ? left : right;
      bool isTransposed = isLeftVector ? !layout.isRightTransposed : layout.isLeftTransposed;
      int stride = isLeftVector ? rightStride : leftStride, size = isLeftVector ? columns : rows;
      // Of a matrix whose rows are added up, each sum has all its terms one after the other.
      return inBlocks(terms, isTransposed ? 512 : 8192, 1, size, size, result, [&](int begin, int count, int, T *sums) {
        multiplyVector(isTransposed, size, count, matrix + int64_t(begin) * (isTransposed ? stride : 1), stride,
                       vector + begin, sums);
      });
    }
    // OpenBLAS adds up the terms of small products one after the other, and those of large ones in blocks.
    int most = double(rows) * columns * terms < 2e6 ? 256 : 8192;
    inBlocks(terms, most, rows, columns, resultStride, result, [&](int begin, int count, int stride, T *sums) {
      const T one = 1, zero = 0;
      gemm(layout.isRightTransposed ? "T" : "N", layout.isLeftTransposed ? "T" : "N", &columns, &rows, &count, &one,
           right + int64_t(begin) * (layout.isRightTransposed ? 1 : rightStride), &rightStride,
           left + int64_t(begin) * (layout.isLeftTransposed ? leftStride : 1), &leftStride, &zero, sums, &stride);
    });
  }

  /// The product of a matrix by rows, [rows, columns] or transposed, and a vector.
  void multiplyVector(bool isTransposed, int rows, int columns, const T *matrix, int stride, const T *x, T *y) const {
    const T one = 1, zero = 0;
    const int step = 1, m = isTransposed ? rows : columns, n = isTransposed ? columns : rows;
    gemv(isTransposed ? "N" : "T", &m, &n, &one, matrix, &stride, x, &step, &zero, y, &step);
  }

  /// Sums of many terms, by blocks of at most `most`, which are added in f64: errors do not grow with the number of
  /// terms. `compute` writes the sums of a block as a matrix whose rows are `stride` apart.
  template <typename Compute>
  static void inBlocks(int terms, int most, int rows, int columns, int resultStride, T *result, Compute compute) {
    if (terms <= most || std::is_same_v<T, Wide<T>>)
      return compute(0, terms, resultStride, result);
    size_t size = size_t(rows) * columns;
    std::vector<T> block(size);
    std::vector<Wide<T>> sums(size);
    for (int begin = 0; begin < terms; begin += most) {
      compute(begin, std::min(most, terms - begin), columns, block.data());
      for (size_t i = 0; i < size; ++i)
        sums[i] += Wide<T>(block[i]);
    }
    for (int i = 0; i < rows; ++i)
      std::copy_n(sums.begin() + size_t(i) * columns, columns, result + int64_t(i) * resultStride);
  }
};

Routines<float> float32;
Routines<double> float64;
Routines<std::complex<float>> complex64;
Routines<std::complex<double>> complex128;

template <typename T>
void setRoutines(Routines<T> &routines, void *const *addresses) {
  std::memcpy(&routines.gemm, &addresses[0], sizeof(void *));
  std::memcpy(&routines.gemv, &addresses[1], sizeof(void *));
}

} // namespace

//===- For those who run programs ------------------------------------------------===//

/// Sets the addresses of gemm and gemv for each type of elements, in their order, and of the functions that return and
/// set the number of the BLAS's threads, null if it has none.
EXPORTED void dovetail_blas_set_routines(void *const *addresses, void *getThreads, void *setThreadsTo) {
  setRoutines(float32, addresses);
  setRoutines(float64, addresses + 2);
  setRoutines(complex64, addresses + 4);
  setRoutines(complex128, addresses + 6);
  std::memcpy(&threads, &getThreads, sizeof(void *));
  std::memcpy(&setThreads, &setThreadsTo, sizeof(void *));
}

//===- For IREE ------------------------------------------------------------------===//

/// Takes the routines from the library that the environment names, for tools that run programs without Python.
static void findRoutines() {
  const char *path = std::getenv(kLibraryVariable);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library)
    return;
  for (std::string prefix : {"", "scipy_"}) {
    auto find = [&](const std::string &name) { return dlsym(library, (prefix + name).c_str()); };
    std::vector<void *> addresses;
    for (const char *type : {"s", "d", "c", "z"})
      for (const char *routine : {"gemm_", "gemv_"})
        addresses.push_back(find(std::string(type) + routine));
    if (std::find(addresses.begin(), addresses.end(), nullptr) == addresses.end())
      return dovetail_blas_set_routines(addresses.data(), find("openblas_get_num_threads"),
                                        find("openblas_set_num_threads"));
  }
}

/// Computes a part of a product; IREE's runtime ends the program if this is not 0.
static int product(void *arguments, void *, void *) {
  const auto &call = *static_cast<const Call *>(arguments);
  static std::once_flag isSearched;
  if (!float32.gemm)
    std::call_once(isSearched, findRoutines);
  if (!float32.gemm) {
    std::fprintf(stderr, "%s: %s must name a BLAS, got: none with the routines\n", kImport, kLibraryVariable);
    return 1;
  }
  switch (Element(call.element)) {
  case Element::Float32:
    float32.run(call);
    break;
  case Element::Float64:
    float64.run(call);
    break;
  case Element::Complex64:
    complex64.run(call);
    break;
  case Element::Complex128:
    complex128.run(call);
    break;
  }
  return 0;
}

/// The name by which IREE's runtime looks for this.
EXPORTED const plugin::Header *const *iree_hal_executable_plugin_query(uint32_t mostVersion, void *) {
  using namespace dovetail::plugin;
  static const Header header = {kVersion, "dovetail_blas", "products of Dovetail's programs", 0, 0, {}};
  static const Interface interface = {&header, load, unload, resolve<kImport, product>};
  return mostVersion >= kVersion ? &interface.header : nullptr;
}
