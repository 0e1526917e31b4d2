// The forms in which a lowered program may be given to IREE.
#ifndef DOVETAIL_PIPELINE_FORMS_H
#define DOVETAIL_PIPELINE_FORMS_H

#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// A form of a lowered program. IREE compiles the first that it does not refuse.
struct Form {
  llvm::StringRef name, reason;
  /// Whether groups of small ops are merged into dispatches; for CPUs alone.
  bool mergesOps;
  /// Whether host loops carry references to buffers instead of arrays.
  bool carriesReferences;
  /// Whether barriers stand behind host loops.
  bool separatesLoops;
  /// Whether each array that an optimization barrier takes gets a barrier of its own.
  bool separatesBarriers;
  /// What IREE must have said of the form tried before; empty for any refusal.
  llvm::StringRef after;

  /// Whether IREE compiles this form of a lowered program correctly, if at all.
  bool suits(mlir::ModuleOp lowered) const;
};

/// All forms, best first.
llvm::ArrayRef<Form> forms();

/// The form of that name, the first if it is empty, or null.
const Form *findForm(llvm::StringRef name);

} // namespace dovetail

#endif // DOVETAIL_PIPELINE_FORMS_H
