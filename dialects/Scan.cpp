// Loops of a known number of iterations: their rules.
#include "Control.h"
#include "Create.h"
#include "Pointwise.h"
#include "Reduce.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

ValueRange Loop::emit(Emitter &e, Body body) const {
  int64_t leading = length < 0 ? ShapedType::kDynamic : length;
  SmallVector<Type> types;
  for (auto [i, result] : llvm::enumerate(body.results))
    types.push_back(i < inits.size() ? result.getType() : Type(withDim(result.getType(), 0, leading)));
  auto scan = ScanOp::create(e.builder, e.loc, types, inits, xs, consts, count, length, reverse);
  if (unroll)
    scan->setAttr(kUnroll, unroll);
  fill(scan.getBody(), std::move(body));
  return scan->getResults();
}

/// The loop on other operands.
static Loop loopOf(ScanOp op, ValueRange operands) {
  size_t numInits = op.getInits().size(), numXs = op.getXs().size(), numConsts = op.getConsts().size();
  Loop loop;
  loop.inits = operands.take_front(numInits);
  loop.xs = operands.slice(numInits, numXs);
  loop.consts = operands.slice(numInits + numXs, numConsts);
  if (op.getCount())
    loop.count = operands.back();
  loop.length = op.getLength();
  loop.reverse = op.getReverse();
  loop.unroll = op->getAttr(kUnroll);
  return loop;
}

static unsigned numBodyOperands(ScanOp op) { return op.getBody().getNumArguments(); }

//===- Derivatives -----------------------------------------------------------------===//

LogicalResult ScanOp::jvp(Emitter &e, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  ValueRange arguments = primals.take_front(numBodyOperands(*this));
  auto made =
      jvpOfLoop(e, getBody(), {unsigned(getInits().size()), unsigned(getXs().size()), unsigned(getConsts().size())},
                arguments, tangents);
  if (failed(made))
    return failure();
  Loop loop = loopOf(*this, primals);
  loop.inits = made->operands[0];
  loop.xs = made->operands[1];
  loop.consts = made->operands[2];
  Body body = std::move(made->body);
  made->unpack(loop.emit(e, std::move(body)), results, resultTangents);
  return success();
}

OperandSets ScanOp::linearSets() {
  return {llvm::to_vector_of<unsigned, 3>(llvm::seq<unsigned>(0, numBodyOperands(*this)))};
}

/// The parts of the body for operands that are unknown in some iteration: those in `unknown`, to which carries are
/// added.
static FailureOr<FunctionTransforms::Split<Body>> splitBody(Emitter &e, ScanOp op, llvm::SmallBitVector &unknown) {
  unsigned numInits = op.getInits().size();
  unknown.resize(numBodyOperands(op));
  FailureOr<FunctionTransforms::Split<Body>> parts = failure();
  auto step = [&](const llvm::SmallBitVector &now) -> FailureOr<llvm::SmallBitVector> {
    parts = e.transforms().split(op.getBody(), now, keepingOfLoop(numInits, op.getXs().size(), now.size()));
    if (failed(parts))
      return failure();
    return bitsOf(parts->unknownResults, 0, numInits);
  };
  if (failed(growCarries(unknown, step)))
    return failure();
  return parts;
}

LogicalResult ScanOp::split(Emitter &e, const llvm::SmallBitVector &unknown, ValueRange operands,
                            SmallVectorImpl<Value> &results) {
  llvm::SmallBitVector mask = unknown;
  auto parts = splitBody(e, *this, mask);
  if (failed(parts))
    return failure();
  return splitLoop(e, loopOf(*this, operands), std::move(*parts), mask, results);
}

FailureOr<bool> ScanOp::needsSplit(Emitter &e, const llvm::SmallBitVector &linear) {
  llvm::SmallBitVector mask = linear;
  if (failed(splitBody(e, *this, mask)))
    return failure();
  return !bitsOf(mask, 0, getInits().size()).all();
}

// Iterations run backwards. The cotangents of the carries are carried; those of constants are summed up in additional
// carries; those of slices are stacked.
LogicalResult ScanOp::transpose(Emitter &e, ValueRange operands, ArrayRef<Value> cotangents,
                                MutableArrayRef<Value> operandCotangents) {
  unsigned numInits = getInits().size(), numXs = getXs().size(), numArgs = numBodyOperands(*this);
  // A carry that starts as a constant is linear from the second iteration on.
  llvm::SmallBitVector linear = bitsOf(~present(operands), 0, numArgs);
  linear.set(0, numInits);
  // Marks the carries and stacked results that have cotangents.
  llvm::SmallBitVector wanted = present(cotangents);
  FailureOr<FunctionTransforms::Transpose<Body>> made = failure();
  if (failed(growCarries(wanted, [&](const llvm::SmallBitVector &mask) -> FailureOr<llvm::SmallBitVector> {
        made = e.transforms().transpose(getBody(), linear, mask);
        if (failed(made))
          return failure();
        return bitsOf(made->nonzero, 0, numInits);
      })))
    return failure();

  Body &body = made->function;
  SmallVector<Value> found(linear.count());
  scatterTo(body.results, made->nonzero, found);
  // The arguments of the transposed body: other slices and constants, sizes, cotangents of carries and of stacked
  // slices.
  Loop loop;
  loop.length = getLength();
  loop.reverse = !getReverse();
  loop.unroll = (*this)->getAttr(kUnroll);
  loop.count = getCount() ? operands.back() : Value();
  SmallVector<unsigned> initArgs, xArgs, constArgs;
  unsigned next = 0;
  for (unsigned i = numInits; i < numArgs; ++i)
    if (!linear.test(i)) {
      bool isX = i < numInits + numXs;
      (isX ? loop.xs : loop.consts).push_back(operands[i]);
      (isX ? xArgs : constArgs).push_back(next++);
    }
  for (unsigned i : linear.set_bits()) {
    SmallVector<Value> sizes = sizesOfSlice(e, getOperand(i), i >= numInits && i < numInits + numXs);
    for (Value size : sizes) {
      loop.consts.push_back(size);
      constArgs.push_back(next++);
    }
  }
  for (unsigned i : wanted.set_bits()) {
    if (i < numInits) {
      loop.inits.push_back(cotangents[i] ? cotangents[i] : e.zerosLike(getInits()[i]));
      initArgs.push_back(next++);
    } else {
      loop.xs.push_back(cotangents[i]);
      xArgs.push_back(next++);
    }
  }

  BodyEmitter inner(e, body);
  SmallVector<Value> carried, stacked;
  SmallVector<unsigned> sumOf, stackOf;
  for (unsigned i = 0; i < numInits; ++i)
    if (wanted.test(i))
      carried.push_back(found[i]);
  for (auto [carry, argument] : llvm::zip_equal(carried, initArgs))
    if (!carry)
      carry = inner.zerosLike(body.arguments()[argument]);
  for (auto [n, i] : llvm::enumerate(linear.set_bits())) {
    if (i < numInits || !found[n])
      continue;
    if (i < numInits + numXs) {
      stacked.push_back(found[n]);
      stackOf.push_back(i);
      continue;
    }
    Value sum = body.block().addArgument(found[n].getType(), body.loc);
    initArgs.push_back(next++);
    loop.inits.push_back(e.zerosLike(getOperand(i)));
    carried.push_back(inner.add(sum, found[n]));
    sumOf.push_back(i);
  }
  body.results = carried;
  llvm::append_range(body.results, stacked);
  SmallVector<unsigned> order(initArgs);
  llvm::append_range(order, xArgs);
  llvm::append_range(order, constArgs);
  body.arrange(order);

  ValueRange outs = loop.emit(e, std::move(body));
  for (unsigned i = 0; i < numInits; ++i)
    if (wanted.test(i)) {
      if (!operands[i])
        operandCotangents[i] = outs.front();
      outs = outs.drop_front();
    }
  llvm::append_range(sumOf, stackOf);
  for (auto [i, out] : llvm::zip_equal(sumOf, outs))
    operandCotangents[i] = out;
  return success();
}

//===- Batching ------------------------------------------------------------------------===//

LogicalResult ScanOp::batch(Emitter &e, ValueRange operands, ArrayRef<int64_t> dims, SmallVectorImpl<Value> &results,
                            SmallVectorImpl<int64_t> &resultDims) {
  unsigned numInits = getInits().size(), numXs = getXs().size();
  Loop loop = loopOf(*this, operands);
  SmallVector<int64_t> bodyDims(dims.take_front(numBodyOperands(*this)));
  for (auto [i, x] : llvm::enumerate(loop.xs)) {
    int64_t &dim = bodyDims[numInits + i];
    if (dim == 0)
      x = e.moveDim(x, 0, dim = 1);
    if (dim != kUnbatched)
      --dim;
  }
  Region kept;
  Region *source = &getBody();
  if (loop.count && dims.back() != kUnbatched) {
    if (failed(checkRunsForAll(e, *this, "scan", *source)))
      return failure();
    Body body = masked(e, *source, numInits, numXs);
    fill(kept, std::move(body));
    source = &kept;
    Value counts = loop.count, steps;
    loop.count = mostSteps(e, counts);
    auto type = RankedTensorType::get({ShapedType::kDynamic}, getElementTypeOrSelf(counts));
    steps = e.make<IotaOp>(type, 0, ValueRange(e.make<IndexOp>(loop.count)));
    bodyDims.insert(bodyDims.begin() + numInits + numXs, kUnbatched);
    bodyDims.push_back(dims.back());
    loop.xs.push_back(steps);
    loop.consts.push_back(counts);
    ++numXs;
  }
  for (unsigned i = 0; i < numInits; ++i)
    bodyDims[i] = bodyDims[i] == kUnbatched ? kUnbatched : 0;

  llvm::SmallBitVector batched(numInits);
  for (unsigned i = 0; i < numInits; ++i)
    batched[i] = bodyDims[i] != kUnbatched;
  FailureOr<FunctionTransforms::Batch<Body>> made = failure();
  if (failed(growCarries(batched, [&](const llvm::SmallBitVector &mask) -> FailureOr<llvm::SmallBitVector> {
        for (unsigned i : mask.set_bits())
          bodyDims[i] = 0;
        made = e.transforms().batch(*source, bodyDims, e.batchSize);
        if (failed(made))
          return failure();
        llvm::SmallBitVector marked(numInits);
        for (unsigned i = 0; i < numInits; ++i)
          marked[i] = made->resultDims[i] != kUnbatched;
        return marked;
      })))
    return failure();

  Body &body = made->function;
  BodyEmitter inner(e, body);
  inner.findBatchSize(body.arguments(), bodyDims);
  for (unsigned i = 0; i < numInits; ++i)
    if (batched.test(i)) {
      loop.inits[i] = e.batchAt(loop.inits[i], dims[i], 0);
      body.results[i] = inner.batchAt(body.results[i], made->resultDims[i], 0);
      made->resultDims[i] = 0;
    }
  for (int64_t &dim : MutableArrayRef(made->resultDims).drop_front(numInits))
    dim = dim == kUnbatched ? kUnbatched : dim + 1;
  llvm::append_range(results, loop.emit(e, std::move(body)));
  llvm::append_range(resultDims, made->resultDims);
  return success();
}

//===- Values that go through it ----------------------------------------------------------===//

SmallVector<Value> ScanOp::thread(OpBuilder &b, ValueRange values, ThroughBody through, SeenByBody) {
  unsigned position = getInits().size();
  SmallVector<Value> inits(getInits());
  llvm::append_range(inits, values);
  SmallVector<Type> types(getResultTypes());
  types.insert(types.begin() + position, values.getTypes().begin(), values.getTypes().end());
  auto made = ScanOp::create(b, getLoc(), types, inits, getXs(), getConsts(), getCount(), getLength(), getReverse());
  made->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  made.getBody().takeBody(getBody());
  threadBody(made.getBody(), position, position, values, through);
  return replaceThreaded(*this, made, position, values.size());
}

void ScanOp::forEachTarget(OpOperand &source, function_ref<void(Value, Flow)> visit) {
  unsigned i = source.getOperandNumber(), numInits = getInits().size();
  bool isOperand = source.getOwner() == *this;
  if (i < numInits) {
    visit(getBody().getArgument(i), Flow::Same);
    visit(getResult(i), Flow::Same);
  } else if (!isOperand) {
    visit(getResult(i), Flow::Stack);
  } else if (i < getBody().getNumArguments()) {
    visit(getBody().getArgument(i), i < numInits + getXs().size() ? Flow::Slice : Flow::Same);
  }
}

//===- Sizes ----------------------------------------------------------------------------===//

SmallVector<unsigned> ScanOp::getSizingOperands() {
  return getCount() ? SmallVector<unsigned>{getNumOperands() - 1} : SmallVector<unsigned>();
}

Value ScanOp::resultSize(Emitter &e, ValueRange operands, unsigned result, int64_t dimension) {
  unsigned numInits = getInits().size(), numXs = getXs().size();
  if (result < numInits)
    return e.size(getInits()[result], dimension);
  if (dimension == 0) {
    if (int64_t length = getLength(); length >= 0)
      return e.make<arith::ConstantIndexOp>(length);
    if (!getCount())
      return e.size(getXs()[0], 0);
    if (operands.back())
      return e.make<IndexOp>(operands.back());
    emitOpError() << "whose number of steps depends on what is transposed has no size";
    return nullptr;
  }
  SmallVector<Value> arguments, sizes;
  for (auto [i, operand] : llvm::enumerate(getOperands().take_front(numBodyOperands(*this)))) {
    if (!isa<RankedTensorType>(operand.getType()))
      arguments.push_back(operands[i]);
    llvm::append_range(sizes, sizesOfSlice(e, operand, i >= numInits && i < numInits + numXs));
  }
  llvm::append_range(arguments, sizes);
  return sizeOfBodyResult(e, *this, getBody(), arguments, result, dimension - 1);
}

} // namespace dovetail
