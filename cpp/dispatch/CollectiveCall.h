// Calls of the library of collectives, in which devices that run one program meet.
#ifndef DOVETAIL_DISPATCH_COLLECTIVECALL_H
#define DOVETAIL_DISPATCH_COLLECTIVECALL_H

#include "cpp/collectives/Call.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// What the library is to do; see cpp/collectives/Call.h.
struct CollectiveCall {
  collectives::Kind kind;
  /// A type of the dialect, with its sign.
  mlir::Type element;
  /// Of the whole program.
  int64_t participants;
  /// From major to minor.
  llvm::SmallVector<collectives::Descriptor::Axis> axes;
  llvm::SmallVector<collectives::Descriptor::Pair> pairs;
  /// Names it in messages.
  std::string text;
  mlir::OpFoldResult outer, middle, inner;

  int64_t groupSize() const {
    int64_t size = 1;
    for (auto axis : axes)
      size *= axis.size;
    return size;
  }
};

/// Calls the library for array `x` and the number of the device, a `tensor<i32>`. The sizes are those that the type of
/// the result leaves open. It is a dispatch of its own, whose code all calls share; none of the passes moves others
/// into it.
mlir::Value callCollective(mlir::ImplicitLocOpBuilder &b, const CollectiveCall &call, mlir::Value x,
                           mlir::Value participant, mlir::RankedTensorType result, mlir::ValueRange sizes);

/// Gives the calls of a program different numbers, in their order.
void numberCollectiveCalls(mlir::ModuleOp program);

/// Where the calls of a program come from, by number.
llvm::SmallVector<mlir::Location> collectiveLocations(mlir::ModuleOp program);

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_COLLECTIVECALL_H
