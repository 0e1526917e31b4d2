// The functions that IREE's runtime binds to compiled programs.
#include "Functions.h"
#include "Routines.h"
#include <cstdio>

using namespace dovetail;
using namespace dovetail::blas;

/// A function as IREE's runtime calls it, which ends the program if the result is not 0.
template <auto function, typename Call>
static int called(void *arguments, void *, void *) {
  if (!hasRoutines()) {
    std::fprintf(stderr, "dovetail: the environment variable DOVETAIL_BLAS must name a BLAS, got: none with LAPACK\n");
    return 1;
  }
  function(*static_cast<const Call *>(arguments));
  return 0;
}

/// The name by which IREE's runtime looks for this.
extern "C" __attribute__((visibility("default"))) const plugin::Header *const *
iree_hal_executable_plugin_query(uint32_t mostVersion, void *) {
  using namespace dovetail::plugin;
  static constexpr Export exports[] = {
      {kProduct, called<computeProduct, Call>}, {kCholesky, called<computeCholesky, CholeskyCall>},
      {kLu, called<computeLu, LuCall>},         {kTriangularSolve, called<solveTriangular, TriangularSolveCall>},
      {kLuSolve, called<solveLu, LuSolveCall>},
  };
  static const Header header = {kVersion, "dovetail_blas", "linear algebra of Dovetail's programs", 0, 0, {}};
  static const Interface interface = {&header, load, unload, resolve<exports>};
  return mostVersion >= kVersion ? &interface.header : nullptr;
}
