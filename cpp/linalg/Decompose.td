// What an op on matrices says of how other ops compute it.
#ifndef DOVETAIL_DECOMPOSE_TD
#define DOVETAIL_DECOMPOSE_TD

include "dialects/Interfaces.td"

def DecomposeOpInterface : Rule<"DecomposeOpInterface"> {
  let description = [{
    An op on matrices, of which leading dimensions are a batch, that is an algorithm in other ops. The algorithm is stated for one
    matrix; the rule of batching gives the others.
  }];
  let methods = [
    InterfaceMethod<"How many leading dimensions of operands and results are the batch.", "unsigned", "numBatchDims", (ins), "",
      [{ return ::llvm::cast<::mlir::RankedTensorType>($_op->getOperand(0).getType()).getRank() - 2; }]>,
    InterfaceMethod<[{
      Emits what computes the op for one matrix, whose `operands` have no dimensions of the batch, and appends one entry per result.
    }], "::llvm::LogicalResult", "decompose",
      (ins "::dovetail::Emitter &":$e, "::mlir::ValueRange":$operands, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

#endif // DOVETAIL_DECOMPOSE_TD
