// Linear equations whose solution is differentiated through the equation: verification and rules.
#include "CustomRules.h"

using namespace mlir;

namespace dovetail {

LogicalResult LinearSolveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyCall(*this, getCalleeAttr(), symbols)))
    return failure();
  TypeRange solution = getRhs().getTypes();
  if (getNumResults() < solution.size())
    return emitOpError() << "must return one solution for each of " << solution.size()
                         << " right-hand sides, got: " << getNumResults() << " results";
  if (failed(verifyTypes(*this, "solutions", solution, TypeRange(getResultTypes()).take_front(solution.size()))))
    return failure();
  if (static_cast<bool>(getVecmatAttr()) != static_cast<bool>(getTransposeSolveAttr()))
    return emitOpError() << "must have 'vecmat' and 'transpose_solve', or neither, got: one";
  for (auto [what, name] : {std::pair("matvec", getMatvecAttr()), std::pair("vecmat", getVecmatAttr())}) {
    if (!name)
      continue;
    FailureOr<func::FuncOp> product = findRule(*this, what, name, getOperandTypes(), symbols);
    if (failed(product) ||
        failed(verifyTypes(*this, (Twine("results of ") + what).str(), solution, product->getResultTypes())))
      return failure();
  }
  if (!getTransposeSolveAttr())
    return success();
  FailureOr<func::FuncOp> transposed =
      findRule(*this, "transpose_solve", getTransposeSolveAttr(), getOperandTypes(), symbols);
  if (failed(transposed))
    return failure();
  return verifyTypes(*this, "first results of transpose_solve", solution,
                     TypeRange(transposed->getResultTypes()).take_front(solution.size()));
}

LinearSolveOp LinearSolveOp::solve(Emitter &e, ValueRange rhs, ValueRange captured, bool transposed) {
  FlatSymbolRefAttr callee = getCalleeAttr(), matvec = getMatvecAttr(), vecmat = getVecmatAttr(),
                    transposeSolve = getTransposeSolveAttr();
  if (transposed) {
    std::swap(callee, transposeSolve);
    std::swap(matvec, vecmat);
  }
  return LinearSolveOp::create(e.builder, e.loc, e.transforms().lookup(callee).getResultTypes(), callee, matvec, vecmat,
                               transposeSolve, rhs, captured);
}

// From A x = b follows A x' = b' - A' x.
LogicalResult LinearSolveOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents,
                                 SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  unsigned count = getRhs().size();
  ValueRange captured = primals.drop_front(count);
  ValueRange outs = solve(e, primals.take_front(count), captured)->getResults();
  llvm::append_range(results, outs);
  resultTangents.append(outs.size(), zero);

  SmallVector<Value> rhs(tangents.take_front(count)), ofCaptured(count);
  llvm::append_range(ofCaptured, tangents.drop_front(count));
  if (llvm::SmallBitVector active = present(ofCaptured); active.any()) {
    auto product = e.transforms().jvp(e.transforms().lookup(getMatvecAttr()), active);
    if (failed(product))
      return failure();
    SmallVector<Value> args(outs.take_front(count)), change(count);
    llvm::append_range(args, captured);
    llvm::append_range(args, presentOf(ofCaptured));
    scatterTo(emitCall(e, product->function, args).drop_front(count), product->activeResults, change);
    for (auto [side, part] : llvm::zip_equal(rhs, change))
      side = e.sub(side, part);
  }
  if (present(rhs).none())
    return success();
  for (auto [side, primal] : llvm::zip(rhs, primals))
    if (!side)
      side = e.zerosLike(primal);
  ValueRange solved = solve(e, rhs, captured)->getResults();
  llvm::copy(solved.take_front(count), resultTangents.end() - outs.size());
  return success();
}

OperandSets LinearSolveOp::linearSets() {
  return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(0, getRhs().size()))};
}

Value LinearSolveOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  if (result >= getRhs().size())
    return sizeOfCall(e, *this, e.transforms().lookup(getCalleeAttr()), operands, result, dimension);
  return e.size(operands[result] ? operands[result] : getOperand(result), dimension);
}

LogicalResult LinearSolveOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                       MutableArrayRef<Value> operandCotangents) {
  if (!getTransposeSolveAttr())
    return emitError() << "transpose_solve required for reverse mode of custom_linear_solve, got: none; give one, or "
                          "say symmetric=True";
  unsigned count = getRhs().size();
  SmallVector<Value> rhs(cotangents.take_front(count));
  if (present(cotangents.drop_front(count)).any())
    return emitOpError() << "must have cotangents of its solutions only, got: one of another result";
  for (auto [side, operand] : llvm::zip(rhs, getRhs()))
    if (!side)
      side = e.zeros(cast<RankedTensorType>(operand.getType()), e.sizes(operand));
  ValueRange solved = solve(e, rhs, operands.drop_front(count), /*transposed=*/true)->getResults();
  llvm::copy(solved.take_front(count), operandCotangents.begin());
  return success();
}

// Each solution is batched like its right-hand side. All functions take and return these values, so if one of them
// spreads the batch to another, all are batched again.
LogicalResult LinearSolveOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims,
                                   SmallVectorImpl<Value> &results, SmallVectorImpl<int64_t> &resultDims) {
  unsigned count = getRhs().size();
  SmallVector<FlatSymbolRefAttr> names = {getCalleeAttr(), getMatvecAttr()};
  if (getTransposeSolveAttr())
    names.append({getTransposeSolveAttr(), getVecmatAttr()});
  SmallVector<int64_t> common(dims);
  for (bool spreads = true; spreads;) {
    spreads = false;
    BatchedTogether parts(e);
    for (auto [part, name] : llvm::enumerate(names)) {
      if (failed(parts.add(e.transforms().lookup(name), common)))
        return failure();
      for (unsigned i = 0; i < count; ++i)
        if (common[i] == kUnbatched && parts.resultDims(part)[i] != kUnbatched) {
          common[i] = 0;
          spreads = true;
        }
    }
    if (spreads)
      continue;
    SmallVector<FlatSymbolRefAttr> made(4);
    for (unsigned part = 0; part < names.size(); ++part) {
      for (unsigned i = 0; i < count; ++i)
        parts.align(part, i, common[i]);
      if (part == 0)
        llvm::append_range(resultDims, parts.resultDims(part));
      made[part] = FlatSymbolRefAttr::get(parts.finish(part).getSymNameAttr());
    }
    SmallVector<Value> rhs(operands.take_front(count));
    for (unsigned i = 0; i < count; ++i)
      if (common[i] != kUnbatched)
        rhs[i] = e.batchAt(rhs[i], dims[i], common[i]);
    auto op = LinearSolveOp::create(e.builder, e.loc, e.transforms().lookup(made[0]).getResultTypes(), made[0], made[1],
                                    made[3], made[2], rhs, operands.drop_front(count));
    llvm::append_range(results, op->getResults());
  }
  return success();
}

} // namespace dovetail
