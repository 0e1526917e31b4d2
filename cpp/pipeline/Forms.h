// The forms in which a lowered program may be given to IREE.
#ifndef DOVETAIL_PIPELINE_FORMS_H
#define DOVETAIL_PIPELINE_FORMS_H

#include "mlir/IR/BuiltinOps.h"

namespace dovetail {

/// A form of a lowered program. The first one that IREE accepts is used.
struct Form {
  llvm::StringRef name, reason;
  /// Whether groups of small ops are merged into dispatches; only for CPUs.
  bool mergesOps;
  /// Whether host loops carry references to buffers instead of arrays.
  bool carriesReferences;
  /// Whether there are barriers after host loops.
  bool separatesLoops;
  /// Whether each operand of an optimization barrier gets a barrier of its own.
  bool separatesBarriers;
  /// Whether all arrays that are computed of none depend on an opaque number.
  bool separatesGenerated;
  /// The error of IREE for the previous form that this one is for; empty for any error.
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
