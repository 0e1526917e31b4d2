// The functions that IREE's runtime binds to compiled programs.
#include "Functions.h"
#include "Routines.h"
#include <cstdio>
#include <string>

using namespace dovetail;
using namespace dovetail::blas;

/// Whether a function calls the BLAS or LAPACK.
template <typename Call>
constexpr bool kNeedsRoutines = !std::is_same_v<Call, ScatterCall> && !std::is_same_v<Call, GatherCall>;
template <>
constexpr bool kNeedsRoutines<ChirpCall> = false;
template <>
constexpr bool kNeedsRoutines<TransposeCall> = false;
template <>
constexpr bool kNeedsRoutines<SortCall> = false;
template <>
constexpr bool kNeedsRoutines<RunningCall> = false;
template <int numResults>
constexpr bool kNeedsRoutines<ColumnsCall<numResults>> = false;

/// A function as IREE's runtime calls it, which ends the program if the result is not 0.
template <typename Call, void (*function)(const Call &)>
static int called(void *arguments, void *, void *) {
  if (kNeedsRoutines<Call> && !hasRoutines()) {
    std::fprintf(stderr, "dovetail: the environment variable DOVETAIL_BLAS must name a BLAS, got: none with LAPACK\n");
    return 1;
  }
  function(*static_cast<const Call *>(arguments));
  return 0;
}

template <auto function>
struct Exported;
template <typename Call, void (*function)(const Call &)>
struct Exported<function> {
  static constexpr plugin::Function kFunction = called<Call, function>;
};

/// A function of the library by its name without the prefix.
template <auto function>
static constexpr plugin::Export exported(const char *name) {
  return {name, Exported<function>::kFunction};
}

/// Finds functions whose names begin with the prefix.
static plugin::Status resolve(void *, const plugin::Imports *imports, uint32_t *resolution) {
  static constexpr plugin::Export exports[] = {
      exported<computeProduct>(kProduct),
      exported<computeWindows>(kWindows),
      exported<computeCholesky>(kCholesky),
      exported<computeLu>(kLu),
      exported<computeQr>(kQr),
      exported<computeReflections>(kGeqrf),
      exported<computeEigenvectors>(kEigh),
      exported<computeEigenvalues>(kEigvalsh),
      exported<computeSingularVectors>(kSvd),
      exported<computeSingularValues>(kSvdvals),
      exported<solveTriangular>(kTriangularSolve),
      exported<solveLu>(kLuSolve),
      exported<scatter>(kScatter),
      exported<gather>(kGather),
      exported<computeChirp>(kChirp),
      exported<transpose>(kTranspose),
      exported<sort>(kSort),
      exported<computeRunning>(kRunning),
      exported<computeColumns<1>>(kColumns[0]),
      exported<computeColumns<2>>(kColumns[1]),
      exported<computeColumns<3>>(kColumns[2]),
  };
  return plugin::resolveBy(imports, resolution, [](std::string_view name, plugin::Function &found, void *&) {
    for (const plugin::Export &each : exports)
      if (name == std::string(kPrefix) + each.name)
        found = each.function;
    return found != nullptr;
  });
}

/// The name by which IREE's runtime looks for this.
extern "C" __attribute__((visibility("default"))) const plugin::Header *const *
iree_hal_executable_plugin_query(uint32_t mostVersion, void *) {
  using namespace dovetail::plugin;
  static const Header header = {kVersion, "dovetail_blas", "linear algebra of Dovetail's programs", 0, 0, {}};
  static const Interface interface = {&header, load, unload, ::resolve};
  return mostVersion >= kVersion ? &interface.header : nullptr;
}
