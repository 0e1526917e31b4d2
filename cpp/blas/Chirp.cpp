// Fourier transforms of rows of any length, by the code for this processor, on all threads of the team.
#include "Chirp.h"
#include "Functions.h"
#include "Parts.h"
#include "PowersOfTwo.h"
#include "Routines.h"
#include "Team.h"
#include "Variants.h"
#include <map>
#include <memory>

namespace dovetail::blas {

DOVETAIL_DECLARE_VARIANTS(template <typename T> void chirpRows(const ChirpRows<T> &rows))
DOVETAIL_DECLARE_VARIANTS(void transformTable(double *re, double *im, int64_t size, const double *roots))

template <typename T>
static void transformHere(const ChirpRows<T> &rows) {
  static const auto code = DOVETAIL_VARIANT_HERE(chirpRows<T>);
  code(rows);
}

void transformRows(const ChirpRows<float> &rows) { transformHere(rows); }
void transformRows(const ChirpRows<double> &rows) { transformHere(rows); }

namespace {

template <typename T>
ChirpTables<T> tablesOf(int64_t length, bool isInverse) {
  int64_t size = 1;
  while (size < 2 * length - 1)
    size *= 2;
  ChirpTables<T> tables = {length, size, {}, {}, rootsOfSteps<T>(size)};
  std::vector<double> re(size), im(size);
  for (int64_t k = 0; k < length; ++k) {
    // Full turns do not count.
    long double angle = 3.14159265358979323846264338327950288L * (k * k % (2 * length)) / length;
    long double c = std::cos(angle), s = isInverse ? std::sin(angle) : -std::sin(angle);
    tables.chirp.push_back(T(c));
    tables.chirp.push_back(T(s));
    re[k] = re[(size - k) % size] = double(c / size);
    im[k] = im[(size - k) % size] = double(-s / size);
  }
  static const auto code = DOVETAIL_VARIANT_HERE(transformTable);
  code(re.data(), im.data(), size, rootsOfSteps<double>(size).data());
  for (int64_t k = 0; k < size; ++k) {
    tables.filter.push_back(T(re[k]));
    tables.filter.push_back(T(im[k]));
  }
  return tables;
}

template <typename T>
void transformChirp(const ChirpCall &call) {
  const ChirpTables<T> &tables = chirpTables<T>(call.length, call.flags & kChirpInverse);
  bool isFromReal = call.flags & kChirpFromReal, isToReal = call.flags & kChirpToReal;
  T scale = call.flags & kChirpScaled ? T(1.0 / double(call.length)) : T(1);
  int64_t groups = (call.rows + kRowsTogether<T> - 1) / kRowsTogether<T>;
  auto x = reinterpret_cast<const T *>(call.x.get());
  T *result = reinterpret_cast<T *>(call.result.get());
  int64_t parts = call.threads == 1 ? 1 : std::min(groups, 8 * teamSize());
  forEachPart(parts, [&](int64_t part) {
    Range range = partOf(call.rows, parts, part, kRowsTogether<T>);
    transformRows(ChirpRows<T>{&tables, x + range.begin * call.length * (isFromReal ? 1 : 2),
                               result + range.begin * call.length * (isToReal ? 1 : 2), range.size(), isFromReal,
                               isToReal, scale});
  });
}

} // namespace

template <typename T>
const ChirpTables<T> &chirpTables(int64_t length, bool isInverse) {
  static std::mutex lock;
  static std::map<std::pair<int64_t, bool>, std::unique_ptr<ChirpTables<T>>> known;
  std::lock_guard guard(lock);
  auto &tables = known[{length, isInverse}];
  if (!tables)
    tables = std::make_unique<ChirpTables<T>>(tablesOf<T>(length, isInverse));
  return *tables;
}

void computeChirp(const ChirpCall &call) {
  if (Element(call.element) == Element::Complex64)
    transformChirp<float>(call);
  else
    transformChirp<double>(call);
}

} // namespace dovetail::blas
