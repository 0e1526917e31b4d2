// A loop over floats, for functions whose number of steps depends on the argument.
#ifndef DOVETAIL_SCALAR_LOOP_H
#define DOVETAIL_SCALAR_LOOP_H

#include "Builder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace dovetail::scalar {

using Reals = llvm::SmallVector<Real, 8>;

/// Repeats `step` on the carried values as long as `more` holds. Both get the carried values and then the `fixed` ones:
/// within them, no other outside value may be the left operand of an operation.
inline Reals iterate(llvm::ArrayRef<Real> carried, llvm::ArrayRef<Real> fixed,
                     llvm::function_ref<Bool(llvm::ArrayRef<Real>)> more,
                     llvm::function_ref<Reals(llvm::ArrayRef<Real>)> step) {
  ScalarBuilder &b = *carried[0].b;
  llvm::SmallVector<mlir::Value> start;
  for (Real x : carried)
    start.push_back(x.v);
  llvm::SmallVector<mlir::Type> types(start.size(), start[0].getType());
  auto within = [&](ScalarBuilder &inner, mlir::ValueRange values) {
    Reals reals;
    for (mlir::Value value : values)
      reals.push_back({{&inner, value}});
    for (Real x : fixed)
      reals.push_back({{&inner, x.v}});
    return reals;
  };
  auto loop = mlir::scf::WhileOp::create(
      b, types, start,
      [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange values) {
        ScalarBuilder inner(loc, builder, b.elementType);
        mlir::Value condition = more(within(inner, values)).v;
        mlir::scf::ConditionOp::create(inner, condition, values);
      },
      [&](mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange values) {
        ScalarBuilder inner(loc, builder, b.elementType);
        llvm::SmallVector<mlir::Value> next;
        for (Real x : step(within(inner, values)))
          next.push_back(x.v);
        mlir::scf::YieldOp::create(inner, next);
      });
  Reals results;
  for (mlir::Value value : loop.getResults())
    results.push_back({{&b, value}});
  return results;
}

} // namespace dovetail::scalar

#endif // DOVETAIL_SCALAR_LOOP_H
