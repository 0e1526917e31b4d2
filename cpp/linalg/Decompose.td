// The interface of ops that are algorithms in other ops, above all those on matrices.
#ifndef DOVETAIL_DECOMPOSE_TD
#define DOVETAIL_DECOMPOSE_TD

include "dialects/Interfaces.td"

def DecomposeOpInterface : Rule<"DecomposeOpInterface"> {
  let description = [{
    An op that other ops can compute, such as those on matrices. With a batch as leading dimensions, the algorithm is
    stated for one matrix; the batching rules of its ops extend it to the batch.
  }];
  let methods = [
    InterfaceMethod<"The number of leading dimensions of operands and results that are the batch.", "unsigned", "numBatchDims", (ins), "",
      [{ return ::llvm::cast<::mlir::RankedTensorType>($_op->getOperand(0).getType()).getRank() - 2; }]>,
    InterfaceMethod<"Whether other ops compute it better than its lowering, on the module's target.", "bool",
      "isDecomposed", (ins), "", [{ return true; }]>,
    InterfaceMethod<"Whether the lowering computes batches of such matrices in the lanes of vectors.", "bool",
      "isInLanes", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
      Emits the algorithm for one matrix, with `operands` without batch dimensions, and appends one entry per result.
    }], "::llvm::LogicalResult", "decompose",
      (ins "::dovetail::Emitter &":$e, "::mlir::ValueRange":$operands, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

#endif // DOVETAIL_DECOMPOSE_TD
