// The ops of `chlo`.
#include "Stablehlo.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "cpp/stablehlo/Chlo.cpp.inc"

namespace dovetail::stablehlo {

void registerChloOps(chlo::ChloDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "cpp/stablehlo/Chlo.cpp.inc"
      >();
}

} // namespace dovetail::stablehlo
