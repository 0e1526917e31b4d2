// The code of transforms by chirps: see Variants.h.
#include "Chirp.h"
#include <algorithm>

namespace dovetail::blas::DOVETAIL_VARIANT {

//===- Powers of two ---------------------------------------------------------------===//

// Steps of four, from the whole to its quarters: each quarter is transformed before the next one, so that it stays in
// the nearest cache. The spectrum is in the order in which this leaves it, and the inverse takes it in that order.

template <typename V, typename T>
void transformForward(V *re, V *im, int64_t size, const T *roots) {
  if (size == 2) {
    V a = re[0], b = im[0];
    re[0] = a + re[1], im[0] = b + im[1];
    re[1] = a - re[1], im[1] = b - im[1];
    return;
  }
  if (size < 2)
    return;
  const int64_t quarter = size / 4;
  for (int64_t j = 0; j < quarter; ++j) {
    const T *root = roots + 6 * j;
    V *r = re + j, *i = im + j;
    V sumRe = r[0] + r[2 * quarter], sumIm = i[0] + i[2 * quarter];
    V differenceRe = r[0] - r[2 * quarter], differenceIm = i[0] - i[2 * quarter];
    V otherRe = r[quarter] + r[3 * quarter], otherIm = i[quarter] + i[3 * quarter];
    // -i times the other difference.
    V turnedRe = i[quarter] - i[3 * quarter], turnedIm = r[3 * quarter] - r[quarter];
    r[0] = sumRe + otherRe, i[0] = sumIm + otherIm;
    const V x[3] = {differenceRe + turnedRe, sumRe - otherRe, differenceRe - turnedRe};
    const V y[3] = {differenceIm + turnedIm, sumIm - otherIm, differenceIm - turnedIm};
    for (int64_t block = 0; block < 3; ++block) {
      T c = root[2 * block], s = root[2 * block + 1];
      r[(block + 1) * quarter] = x[block] * c - y[block] * s;
      i[(block + 1) * quarter] = x[block] * s + y[block] * c;
    }
  }
  for (int64_t block = 0; block < 4; ++block)
    transformForward(re + block * quarter, im + block * quarter, quarter, roots + 6 * quarter);
}

template <typename V, typename T>
void transformBack(V *re, V *im, int64_t size, const T *roots) {
  if (size == 2)
    return transformForward(re, im, size, roots);
  if (size < 2)
    return;
  const int64_t quarter = size / 4;
  for (int64_t block = 0; block < 4; ++block)
    transformBack(re + block * quarter, im + block * quarter, quarter, roots + 6 * quarter);
  for (int64_t j = 0; j < quarter; ++j) {
    const T *root = roots + 6 * j;
    V *r = re + j, *i = im + j, x[4], y[4];
    x[0] = r[0], y[0] = i[0];
    for (int64_t block = 1; block < 4; ++block) {
      T c = root[2 * block - 2], s = root[2 * block - 1];
      V a = r[block * quarter], b = i[block * quarter];
      x[block] = a * c + b * s;
      y[block] = b * c - a * s;
    }
    V evenRe = x[0] + x[2], evenIm = y[0] + y[2], oddRe = x[1] + x[3], oddIm = y[1] + y[3];
    V otherRe = x[0] - x[2], otherIm = y[0] - y[2];
    // i times the difference.
    V turnedRe = y[3] - y[1], turnedIm = x[1] - x[3];
    r[0] = evenRe + oddRe, i[0] = evenIm + oddIm;
    r[quarter] = otherRe + turnedRe, i[quarter] = otherIm + turnedIm;
    r[2 * quarter] = evenRe - oddRe, i[2 * quarter] = evenIm - oddIm;
    r[3 * quarter] = otherRe - turnedRe, i[3 * quarter] = otherIm - turnedIm;
  }
}

void transformTable(double *re, double *im, int64_t size, const double *roots) {
  transformForward(re, im, size, roots);
}

//===- Rows ------------------------------------------------------------------------===//

template <typename T>
class RowsTogether {
public:
  explicit RowsTogether(const ChirpRows<T> &rows)
      : given(rows), tables(*rows.tables), re(tables.size + 1), im(tables.size + 1) {}

  /// Transforms `count` rows, at most as many as a vector has lanes.
  void run(int64_t first, int64_t count) {
    load(first, count);
    transformForward(re.data(), im.data(), tables.size, tables.roots.data());
    for (int64_t k = 0; k < tables.size; ++k)
      multiply(k, tables.filter.data() + 2 * k);
    transformBack(re.data(), im.data(), tables.size, tables.roots.data());
    store(first, count);
  }

private:
  static constexpr int64_t lanes = kLanes<T>, kTile = 16;

  void multiply(int64_t k, const T *factor) {
    Vector<T> x = re[k], y = im[k];
    re[k] = x * factor[0] - y * factor[1];
    im[k] = x * factor[1] + y * factor[0];
  }

  void load(int64_t first, int64_t count) {
    const int64_t length = tables.length, width = given.isFromReal ? 1 : 2;
    for (int64_t begin = 0; begin < length; begin += kTile) {
      int64_t end = std::min(begin + kTile, length);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        // Lanes without a row repeat one.
        const T *row = given.x + (first + std::min(lane, count - 1)) * length * width;
        for (int64_t k = begin; k < end; ++k) {
          re[k][lane] = row[k * width];
          im[k][lane] = given.isFromReal ? T(0) : row[k * width + 1];
        }
      }
      for (int64_t k = begin; k < end; ++k)
        multiply(k, tables.chirp.data() + 2 * k);
    }
    for (int64_t k = length; k < tables.size; ++k)
      re[k] = im[k] = Vector<T>{};
  }

  void store(int64_t first, int64_t count) {
    const int64_t length = tables.length, width = given.isToReal ? 1 : 2;
    for (int64_t begin = 0; begin < length; begin += kTile) {
      int64_t end = std::min(begin + kTile, length);
      for (int64_t k = begin; k < end; ++k) {
        const T factor[2] = {tables.chirp[2 * k] * given.scale, tables.chirp[2 * k + 1] * given.scale};
        multiply(k, factor);
      }
      for (int64_t lane = 0; lane < count; ++lane) {
        T *row = given.result + (first + lane) * length * width;
        for (int64_t k = begin; k < end; ++k) {
          row[k * width] = re[k][lane];
          if (!given.isToReal)
            row[k * width + 1] = im[k][lane];
        }
      }
    }
  }

  const ChirpRows<T> &given;
  const ChirpTables<T> &tables;
  std::vector<Vector<T>> re, im;
};

template <typename T>
void chirpRows(const ChirpRows<T> &rows) {
  RowsTogether<T> together(rows);
  for (int64_t first = 0; first < rows.rows; first += kLanes<T>)
    together.run(first, std::min<int64_t>(kLanes<T>, rows.rows - first));
}

template void chirpRows(const ChirpRows<float> &rows);
template void chirpRows(const ChirpRows<double> &rows);

} // namespace dovetail::blas::DOVETAIL_VARIANT
