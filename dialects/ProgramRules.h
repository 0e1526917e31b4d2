// Rules that live in the program that builds a module; the dialect calls back for them.
#ifndef DOVETAIL_PROGRAMRULES_H
#define DOVETAIL_PROGRAMRULES_H

#include "Dialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>

namespace dovetail {

/// What a rule is asked for: a function.
enum class RuleKind {
  /// Of the operands, the marked ones with the batch in front; it returns the results. The answer marks those that have
  /// the batch, in front.
  Batch,
  /// Of the operands and the tangents of the marked ones; it returns the results, and the tangents of those that the
  /// answer marks.
  Jvp,
  /// Of the operands that are not marked, and the cotangents of the marked results; it returns the cotangents of the
  /// operands that are marked both in the question and in the answer.
  Transpose,
  /// Of residuals, and the cotangents of the marked results; it returns the cotangents of the arguments that the answer
  /// marks.
  Backward,
  /// Of the operands; it returns the results.
  Lower,
  /// Of a device's parts of the operands; it returns those of the results. The question has the shardings of the
  /// operands, and those that are wanted of the results; the answer those that the function takes and returns.
  Partition
};

/// A question to the program: `rules` is the name by which it knows the rules of an op.
struct RuleQuestion {
  RuleKind kind;
  llvm::StringRef rules;
  llvm::SmallVector<bool> operands = {}, results = {};
  BatchSize batch = {};
  llvm::SmallVector<ShardingAttr> shardings = {};
};

/// An answer: a module without requests, whose `main` is the function, marks, and shardings.
struct RuleAnswer {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<bool> marks;
  llvm::SmallVector<ShardingAttr> shardings = {};
};

/// A failure was reported by other means than a diagnostic.
using AskProgram = std::function<llvm::FailureOr<RuleAnswer>(const RuleQuestion &)>;

/// Sets the receiver of questions about ops of this context.
void setProgram(mlir::MLIRContext &context, AskProgram ask);

/// A function that a rule made, in the module under construction, marks, and shardings.
struct MadeByRule {
  mlir::func::FuncOp function;
  llvm::SmallVector<bool> marks;
  llvm::SmallVector<ShardingAttr> shardings;
};

/// A mask as the marks of a question, and the marks of an answer as a mask.
llvm::SmallVector<bool> marks(const llvm::SmallBitVector &mask);
llvm::SmallBitVector maskOf(llvm::ArrayRef<bool> marks);

/// Asks the program for a function; `what` is the op's name in messages.
llvm::FailureOr<MadeByRule> askProgram(mlir::Operation *op, llvm::StringRef what, Emitter &e,
                                       const RuleQuestion &question);

} // namespace dovetail

#endif // DOVETAIL_PROGRAMRULES_H
