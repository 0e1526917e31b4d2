// The phases that a program goes through.
#ifndef DOVETAIL_PIPELINE_PIPELINE_H
#define DOVETAIL_PIPELINE_PIPELINE_H

#include "Forms.h"
#include "mlir/Pass/PassManager.h"

namespace dovetail {

struct Phase {
  llvm::StringRef name, description;
  void (*addPasses)(mlir::OpPassManager &, const Form &);
};

/// All phases, in order.
llvm::ArrayRef<Phase> phases();

/// Adds the passes of the phases after `from` (all, if empty) up to and including `to`; false if there are no such
/// phases. The phases after `lower` produce a form. With `dump`, a folder, the module after each phase is written
/// there.
bool addPhases(mlir::OpPassManager &manager, llvm::StringRef from, llvm::StringRef to, const Form &form,
               llvm::StringRef dump = "");

/// Registers the passes of all folders.
void registerPasses();

/// Registers `--dovetail-pipeline`.
void registerPipeline();

} // namespace dovetail

#endif // DOVETAIL_PIPELINE_PIPELINE_H
