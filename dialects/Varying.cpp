// The manual axes of a mesh along which results of ops with bodies and callees vary.
#include "Varying.h"
#include "Call.h"
#include "Checkpoint.h"
#include "Collective.h"
#include "Control.h"
#include "Custom.h"
#include "ShardMap.h"

using namespace mlir;

namespace dovetail {

using Sets = SmallVector<AxisSet>;

static AxisSet unionOf(ArrayRef<AxisSet> sets) {
  AxisSet all = 0;
  for (AxisSet set : sets)
    all |= set;
  return all;
}

static StringAttr nameOf(Operation *op, StringRef attribute) { return StringAttr::get(op->getContext(), attribute); }

/// Results are those of the callee, with the operands as its arguments.
static LogicalResult varyAsCallee(VaryingAnalysis &analysis, Operation *op, ArrayRef<AxisSet> operands,
                                  SmallVectorImpl<AxisSet> &results) {
  FailureOr<Sets> outs = analysis.rewriteCallee(op, nameOf(op, "callee"), operands);
  if (failed(outs))
    return failure();
  llvm::append_range(results, *outs);
  return success();
}

/// All operands and results vary along the same axes, as do the arguments and results of all functions that the op
/// names.
static LogicalResult varyAlike(VaryingAnalysis &analysis, Operation *op, MutableArrayRef<AxisSet> operands,
                               SmallVectorImpl<AxisSet> &results) {
  AxisSet all = unionOf(operands), before;
  do {
    before = all;
    for (NamedAttribute attribute : llvm::to_vector(op->getAttrs())) {
      auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute.getValue());
      auto function = symbol ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, symbol) : nullptr;
      if (!function)
        continue;
      FailureOr<Sets> outs = analysis.rewriteCallee(op, attribute.getName(), Sets(function.getNumArguments(), all),
                                                    Sets(function.getNumResults(), all));
      if (failed(outs))
        return failure();
      all |= unionOf(*outs);
    }
  } while (all != before);
  llvm::fill(operands, all);
  results.append(op->getNumResults(), all);
  return success();
}

//===- Calls and requests --------------------------------------------------------------------===//

LogicalResult CallOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                           SmallVectorImpl<AxisSet> &results) {
  return varyAsCallee(analysis, *this, operands, results);
}

LogicalResult CheckpointOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                                 SmallVectorImpl<AxisSet> &results) {
  return varyAsCallee(analysis, *this, operands, results);
}

LogicalResult VmapOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                           SmallVectorImpl<AxisSet> &results) {
  return varyAsCallee(analysis, *this, operands, results);
}

// A tangent varies along the same axes as its primal.
LogicalResult JvpOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                          SmallVectorImpl<AxisSet> &results) {
  unsigned numPrimals = getPrimals().size();
  for (auto [number, tangent] : llvm::zip_equal(getWrt(), operands.drop_front(numPrimals)))
    operands[number] = tangent = operands[number] | tangent;
  FailureOr<Sets> outs = analysis.rewriteCallee(*this, nameOf(*this, "callee"), operands.take_front(numPrimals));
  if (failed(outs))
    return failure();
  llvm::append_range(results, *outs);
  for (auto [set, type] : llvm::zip(*outs, getResultTypes()))
    if (isDifferentiable(type))
      results.push_back(set);
  return success();
}

LogicalResult VjpOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                          SmallVectorImpl<AxisSet> &results) {
  unsigned numPrimals = getPrimals().size();
  ArrayRef<AxisSet> primals = operands.take_front(numPrimals);
  Sets wanted(getNumResults() - getWrt().size());
  for (auto [number, cotangent] : llvm::zip_equal(getOf(), operands.drop_front(numPrimals)))
    wanted[number] = analysis.ofCotangent(cotangent);
  FailureOr<Sets> outs = analysis.rewriteCallee(*this, nameOf(*this, "callee"), primals, wanted);
  if (failed(outs))
    return failure();
  for (auto [number, cotangent] : llvm::zip_equal(getOf(), operands.drop_front(numPrimals)))
    cotangent = analysis.ofCotangent((*outs)[number]);
  llvm::append_range(results, *outs);
  for (int64_t number : getWrt())
    results.push_back(analysis.ofCotangent(primals[number]));
  return success();
}

/// The sets of those of some values that have derivatives.
static Sets ofDifferentiable(TypeRange types, ArrayRef<AxisSet> sets) {
  Sets found;
  for (auto [type, set] : llvm::zip(types, sets))
    if (isDifferentiable(type))
      found.push_back(set);
  return found;
}

/// Lets `sets` grow by those of `others`; whether they did.
static bool grow(MutableArrayRef<AxisSet> sets, ArrayRef<AxisSet> others) {
  bool grows = false;
  for (auto [set, other] : llvm::zip(sets, others)) {
    grows |= (set | other) != set;
    set |= other;
  }
  return grows;
}

// Results are those of the function, and of its rule. A tangent varies along the same axes as its primal.
LogicalResult CustomJvpOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                                SmallVectorImpl<AxisSet> &results) {
  Sets found(getNumResults(), 0), arguments(operands);
  llvm::append_range(arguments, ofDifferentiable(getArgs().getTypes(), operands));
  for (bool grows = true; grows;) {
    FailureOr<Sets> outs = analysis.rewriteCallee(*this, nameOf(*this, "callee"), operands, found);
    if (failed(outs))
      return failure();
    grow(found, *outs);
    Sets wanted = found, tangents = ofDifferentiable(getResultTypes(), found);
    llvm::append_range(wanted, tangents);
    FailureOr<Sets> ofRule = analysis.rewriteCallee(*this, nameOf(*this, "rule"), arguments, wanted);
    if (failed(ofRule))
      return failure();
    grows = grow(found, *ofRule);
    ArrayRef<AxisSet> ofTangents = ArrayRef<AxisSet>(*ofRule).drop_front(found.size());
    for (auto [type, set] : llvm::zip(getResultTypes(), found))
      if (isDifferentiable(type)) {
        grows |= grow(set, ofTangents.front());
        ofTangents = ofTangents.drop_front();
      }
  }
  llvm::append_range(results, found);
  return success();
}

// Results are those of the function, and of `fwd`. A cotangent varies along the same axes as its primal: an argument
// whose cotangent varies along more is made to vary, so that the cotangent is summed. Rules that are still to be traced
// are outside of maps over devices.
LogicalResult CustomVjpOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                                SmallVectorImpl<AxisSet> &results) {
  Sets found(getNumResults(), 0);
  ArrayRef<AxisSet> captured = ArrayRef<AxisSet>(operands).drop_front(getArgs().size());
  for (bool grows = true; grows;) {
    FailureOr<Sets> outs = analysis.rewriteCallee(*this, nameOf(*this, "callee"), operands, found);
    if (failed(outs))
      return failure();
    grow(found, *outs);
    FailureOr<Sets> forward = analysis.rewriteCallee(*this, nameOf(*this, "fwd"), operands, found);
    if (failed(forward))
      return failure();
    grows = grow(found, *forward);
    if (isa<StringAttr>(getBwd()))
      continue;
    Sets arguments(ArrayRef<AxisSet>(*forward).drop_front(found.size())), wanted;
    llvm::append_range(arguments, captured);
    for (unsigned i : pulledBack())
      arguments.push_back(analysis.ofCotangent(found[i]));
    for (int64_t number : getWrt())
      wanted.push_back(analysis.ofCotangent(operands[number]));
    FailureOr<Sets> backward = analysis.rewriteCallee(*this, nameOf(*this, "bwd"), arguments, wanted);
    if (failed(backward))
      return failure();
    for (auto [number, set] : llvm::zip_equal(getWrt(), *backward))
      grows |= grow(operands[number], analysis.ofCotangent(set));
  }
  llvm::append_range(results, found);
  return success();
}

LogicalResult CustomPartitionOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                                      SmallVectorImpl<AxisSet> &results) {
  return varyAlike(analysis, *this, operands, results);
}

LogicalResult CustomVmapOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                                 SmallVectorImpl<AxisSet> &results) {
  return varyAlike(analysis, *this, operands, results);
}

// The right-hand sides, the solution and what its functions make of them vary along the same axes.
LogicalResult LinearSolveOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                                  SmallVectorImpl<AxisSet> &results) {
  unsigned count = getRhs().size();
  AxisSet all = unionOf(operands.take_front(count)), before;
  Sets more(getNumResults() - count, 0);
  do {
    before = all;
    llvm::fill(operands.take_front(count), all);
    for (StringRef name : {"matvec", "vecmat", "transpose_solve", "callee"}) {
      if (!getOperation()->hasAttr(name))
        continue;
      FailureOr<Sets> outs = analysis.rewriteCallee(*this, nameOf(*this, name), operands, Sets(count, all));
      if (failed(outs))
        return failure();
      all |= unionOf(ArrayRef<AxisSet>(*outs).take_front(count));
      if (name == "callee")
        more.assign(outs->begin() + count, outs->end());
    }
  } while (all != before);
  results.append(count, all);
  llvm::append_range(results, more);
  return success();
}

// Its own axes are those of parts inside the callee, and of the whole outside. Unchecked, they count for nothing.
LogicalResult ShardMapOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                               SmallVectorImpl<AxisSet> &results) {
  auto mentioned = [&](Attribute sharding) {
    AxisSet set = 0;
    auto add = [&](ArrayRef<AxisRefAttr> axes) {
      for (AxisRefAttr axis : axes)
        set |= analysis.setOf(ArrayAttr::get(getContext(), {axis.getName()}));
    };
    auto own = cast<ShardingAttr>(sharding);
    for (DimShardingAttr dim : own.getDims())
      add(dim.getAxes());
    add(own.getUnreduced());
    add(own.getReplicated());
    return getChecked() ? set : 0;
  };
  Sets arguments = llvm::map_to_vector(getIn(), mentioned), wanted = llvm::map_to_vector(getOut(), mentioned);
  for (auto [argument, operand] : llvm::zip_equal(arguments, operands))
    argument |= operand;
  AxisSet own = analysis.setOf(getAxes());
  return analysis.within(getAxes(), getChecked(), [&]() -> LogicalResult {
    FailureOr<Sets> outs = analysis.rewriteCallee(*this, nameOf(*this, "callee"), arguments, wanted);
    if (failed(outs))
      return failure();
    for (AxisSet set : *outs)
      results.push_back(set & ~own);
    return success();
  });
}

//===- Loops and branches ----------------------------------------------------------------------===//

/// Lets `sets`, which begin with those of the carries, grow until the body returns no more.
static LogicalResult growCarries(VaryingAnalysis &analysis, Region &body, MutableArrayRef<AxisSet> sets,
                                 unsigned numCarries) {
  for (bool grows = true; grows;) {
    FailureOr<Sets> outs = analysis.analyze(body, sets);
    if (failed(outs))
      return failure();
    grows = grow(sets.take_front(numCarries), *outs);
  }
  return success();
}

LogicalResult ScanOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                           SmallVectorImpl<AxisSet> &results) {
  unsigned numArguments = getBody().getNumArguments(), numCarries = getInits().size();
  // If the number of iterations varies, so do all results.
  AxisSet ofCount = getCount() ? operands.back() : 0;
  MutableArrayRef<AxisSet> sets = operands.take_front(numArguments);
  for (AxisSet &set : sets.take_front(numCarries))
    set |= ofCount;
  if (failed(growCarries(analysis, getBody(), sets, numCarries)))
    return failure();
  Sets wanted(getNumResults(), ofCount);
  llvm::copy(sets.take_front(numCarries), wanted.begin());
  FailureOr<Sets> outs = analysis.rewrite(getBody(), sets, wanted);
  if (failed(outs))
    return failure();
  llvm::append_range(results, *outs);
  return success();
}

LogicalResult WhileOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                            SmallVectorImpl<AxisSet> &results) {
  unsigned numCarries = getInits().size();
  AxisSet ofPredicate = 0;
  for (bool grows = true; grows;) {
    for (AxisSet &set : operands.take_front(numCarries))
      set |= ofPredicate;
    if (failed(growCarries(analysis, getBody(), operands, numCarries)))
      return failure();
    FailureOr<Sets> predicate = analysis.analyze(getCond(), operands);
    if (failed(predicate))
      return failure();
    grows = (ofPredicate | predicate->front()) != ofPredicate;
    ofPredicate |= predicate->front();
  }
  ArrayRef<AxisSet> carries = operands.take_front(numCarries);
  if (failed(analysis.rewrite(getCond(), operands, {})) || failed(analysis.rewrite(getBody(), operands, carries)))
    return failure();
  llvm::append_range(results, carries);
  return success();
}

LogicalResult CaseOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                           SmallVectorImpl<AxisSet> &results) {
  Sets wanted(getNumResults(), operands.front());
  for (Region &branch : getBranches()) {
    FailureOr<Sets> outs = analysis.analyze(branch, operands.drop_front());
    if (failed(outs))
      return failure();
    for (auto [set, out] : llvm::zip_equal(wanted, *outs))
      set |= out;
  }
  for (Region &branch : getBranches())
    if (failed(analysis.rewrite(branch, operands.drop_front(), wanted)))
      return failure();
  llvm::append_range(results, wanted);
  return success();
}

//===- vary --------------------------------------------------------------------------------------===//

LogicalResult VaryOp::vary(VaryingAnalysis &analysis, MutableArrayRef<AxisSet> operands,
                           SmallVectorImpl<AxisSet> &results) {
  results.push_back(operands.front() | analysis.setOf(getAxes()));
  return success();
}

SmallVector<StringAttr> namesIn(AxisSet set, ArrayRef<StringAttr> axes) {
  SmallVector<StringAttr> names;
  for (auto [i, name] : llvm::enumerate(axes))
    if (set >> i & 1)
      names.push_back(name);
  return names;
}

} // namespace dovetail
