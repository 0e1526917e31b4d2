// Discharge of references: arrays that are passed on instead of places that are written to.
#ifndef DOVETAIL_TRANSFORMS_DISCHARGE_H
#define DOVETAIL_TRANSFORMS_DISCHARGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The arguments of a function that were references.
struct Discharged {
  /// Those that it writes to.
  llvm::SmallVector<unsigned> written;
  /// An echo: of which argument, its depth, and whether a backward rule reads what it passes on.
  struct Echo {
    unsigned argument, depth;
    bool isRead;
  };
  /// Those of references that backward rules use, the first echoes first.
  llvm::SmallVector<Echo> echoed;
};

/// Makes a function of values: it takes the arrays that its references hold, and returns in addition those of the
/// references that it writes to. Further arguments are the echoes of those that backward rules use, which it returns,
/// too, as its last results.
llvm::FailureOr<Discharged> discharge(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_DISCHARGE_H
