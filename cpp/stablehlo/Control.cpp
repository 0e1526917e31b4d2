// Counterparts of loops, branches and calls.
#include "dialects/Control.h"
#include "Exporter.h"
#include "Families.h"
#include "dialects/Call.h"
#include "dialects/Create.h"
#include "dialects/Pointwise.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace dovetail {

bool importNamed(StringRef name, Operation *op, Importer &e, SmallVectorImpl<Value> &results) {
  std::optional<RegisteredOperationName> known = RegisteredOperationName::lookup(name, op->getContext());
  if (!known || !isa<chlo::ChloDialect>(known->getDialect()) || op->getNumResults() != 1)
    return false;
  OperationState state(op->getLoc(), *known, op->getOperands(), op->getResultTypes());
  Operation *made = e.builder.create(state);
  auto stated = dyn_cast<FromStablehloOpInterface>(made);
  // Ops of other operands or with attributes are not meant: what is wrong with them is not shown.
  ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
  bool isComplete = stated && succeeded(verify(made)) && succeeded(stated.importTo(e, results));
  made->erase();
  return isComplete;
}

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

struct ImportWhile : Import<ImportWhile, stablehlo::WhileOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto loop = cast<stablehlo::WhileOp>(op);
    // Sizes that are known outside are known inside.
    for (Region *region : {&loop.getCond(), &loop.getBody()})
      for (auto [argument, carry] : llvm::zip_equal(region->getArguments(), loop.getOperand()))
        argument.setType(carry.getType());
    if (failed(e.translate(loop.getCond())) || failed(e.translate(loop.getBody())))
      return failure();
    auto found = e.repeat(
        loop.getOperand(),
        [&](Algebra &inner, ValueRange carries) { return inlineBody(inner.builder, loop.getCond(), carries)[0]; },
        [&](Algebra &inner, ValueRange carries) { return inlineBody(inner.builder, loop.getBody(), carries); });
    llvm::append_range(results, found);
    return success();
  }
};

LogicalResult importBranches(Operation *op, Value index, ArrayRef<Region *> branches, Importer &e, Results &results) {
  for (Region *branch : branches)
    if (failed(e.translate(*branch)))
      return failure();
  auto found =
      e.branch(index, ValueRange(returned(*branches[0])).getTypes(), branches.size(),
               [&](Algebra &inner, unsigned i) { return inlineBody(inner.builder, *branches[i], ValueRange()); });
  llvm::append_range(results, found);
  return success();
}

struct ImportIf : Import<ImportIf, stablehlo::IfOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto choice = cast<stablehlo::IfOp>(op);
    Value index = e.convert(choice.getPred(), e.builder.getI32Type());
    return importBranches(op, index, {&choice.getFalseBranch(), &choice.getTrueBranch()}, e, results);
  }
};

struct ImportCase : Import<ImportCase, stablehlo::CaseOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto choice = cast<stablehlo::CaseOp>(op);
    SmallVector<Region *> branches;
    for (Region &branch : choice.getBranches())
      branches.push_back(&branch);
    // An index out of bounds selects the last branch, here the nearest one.
    Value index = choice.getIndex(), last = e.place(branches.size() - 1);
    index = e.choose(e.less(index, e.place(0)), last, index);
    return importBranches(op, index, branches, e, results);
  }
};

/// An op of `chlo` by the name of a composite, if there is one of which no attributes are stated; otherwise a call.
struct ImportComposite : Import<ImportComposite, stablehlo::CompositeOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto composite = cast<stablehlo::CompositeOp>(op);
    if (composite.getCompositeAttributes().empty() && importNamed(composite.getName(), op, e, results))
      return success();
    auto call =
        CallOp::create(e.builder, e.loc, op->getResultTypes(), composite.getDecompositionAttr(), op->getOperands());
    llvm::append_range(results, call->getResults());
    return success();
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

/// The results of a body on its arguments; constants of loops are values from outside in StableHLO.
Algebra::Values inlined(Exporter &e, Region &body, ValueRange first, ValueRange consts) {
  Algebra::Values arguments(first);
  llvm::append_range(arguments, consts);
  return inlineBody(e.builder, body, arguments);
}

struct ExportWhile : Export<ExportWhile, WhileOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto loop = cast<WhileOp>(op);
    TypeRange types = loop.getInits().getTypes();
    auto made = stablehlo::WhileOp::create(e.builder, e.loc, types, loop.getInits());
    e.fillBody(made.getCond(), types, [&](Exporter &inner, ValueRange carries) {
      return inlined(inner, loop.getCond(), carries, loop.getConsts());
    });
    e.fillBody(made.getBody(), types, [&](Exporter &inner, ValueRange carries) {
      return inlined(inner, loop.getBody(), carries, loop.getConsts());
    });
    llvm::append_range(results, made->getResults());
    return success();
  }
};

/// The sizes of the `?`s of an array.
Algebra::Values sizesOf(Exporter &e, Value x) {
  Algebra::Values sizes;
  for (auto [dim, size] : llvm::enumerate(Algebra::typeOf(x).getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(
          e.theirs<stablehlo::GetDimensionSizeOp>(RankedTensorType::get({}, e.builder.getI32Type()), x, dim));
  return sizes;
}

/// The slice of an array at an index along its leading dimension, which is in bounds, and the array with another one.
Value sliceAt(Exporter &e, Value x, Value i) {
  auto type = Algebra::typeOf(x);
  SmallVector<int64_t> sizes(type.getShape());
  sizes[0] = 1;
  Algebra::Values starts(sizes.size(), e.place(0));
  starts[0] = i;
  auto rest = type.clone(type.getShape().drop_front());
  if (rest.hasStaticShape())
    return e.reshapedTo(e.theirs<stablehlo::DynamicSliceOp>(type.clone(sizes), x, starts, sizes), rest.getShape());
  auto one = RankedTensorType::get({1}, e.builder.getI32Type());
  auto vector = RankedTensorType::get({type.getRank()}, e.builder.getI32Type());
  Algebra::Values firsts(sizes.size(), e.vector({0}));
  firsts[0] = e.theirs<stablehlo::ReshapeOp>(one, i);
  Value first = e.theirs<stablehlo::ConcatenateOp>(vector, firsts, uint64_t(0));
  // All but the first, which is one here.
  Algebra::Values inner = sizesOf(e, x);
  if (type.isDynamicDim(0))
    inner.erase(inner.begin());
  Value extent = e.shapeVector(type.clone(sizes), inner);
  Value last = e.theirs<stablehlo::AddOp>(vector, first, extent);
  SmallVector<int64_t> ones(sizes.size(), 1);
  Value found = e.theirs<stablehlo::RealDynamicSliceOp>(type.clone(sizes), x, first, last, e.vector(ones));
  return e.theirs<stablehlo::DynamicReshapeOp>(rest, found, e.shapeVector(rest, inner));
}
Value withSliceAt(Exporter &e, Value x, Value i, Value slice) {
  auto type = Algebra::typeOf(x);
  SmallVector<int64_t> sizes(type.getShape());
  sizes[0] = 1;
  Algebra::Values starts(sizes.size(), e.place(0));
  starts[0] = i;
  auto one = type.clone(sizes);
  Value whole = one.hasStaticShape()
                    ? e.reshapedTo(slice, sizes)
                    : e.theirs<stablehlo::DynamicReshapeOp>(one, slice, e.shapeVector(one, sizesOf(e, slice)));
  return e.theirs<stablehlo::DynamicUpdateSliceOp>(type, x, whole, starts);
}

/// A loop that counts: an iteration reads one slice of each array, and writes one of each stacked result.
struct ExportScan : Export<ExportScan, ScanOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto scan = cast<ScanOp>(op);
    unsigned numCarries = scan.getInits().size();
    Algebra::Values inits{e.place(0)};
    llvm::append_range(inits, scan.getInits());
    for (unsigned i = numCarries; i < op->getNumResults(); ++i) {
      auto type = cast<RankedTensorType>(op->getResult(i).getType());
      Algebra::Values sizes;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.isDynamicDim(d))
          sizes.push_back(scan.resultSize(e, op->getOperands(), i, d));
      inits.push_back(e.zeros(type, sizes));
    }
    int64_t length = static_cast<int64_t>(scan.getLength());
    if (length < 0 && !scan.getCount())
      length = Algebra::sizeOf(scan.getXs()[0], 0);
    if (length == 0) {
      // StableHLO has no slice of one row of none.
      llvm::append_range(results, ArrayRef(inits).drop_front());
      return success();
    }
    Value counted = scan.getCount();
    if (length < 0 && !counted)
      counted = e.theirs<stablehlo::GetDimensionSizeOp>(RankedTensorType::get({}, e.builder.getI32Type()),
                                                        scan.getXs()[0], uint64_t(0));
    auto count = [&](Algebra &inner) { return length >= 0 ? inner.place(length) : counted; };
    TypeRange types = ValueRange(inits).getTypes();
    auto made = stablehlo::WhileOp::create(e.builder, e.loc, types, inits);
    e.fillBody(made.getCond(), types, [&](Exporter &inner, ValueRange carries) {
      return Algebra::Values{inner.less(carries[0], count(inner))};
    });
    e.fillBody(made.getBody(), types, [&](Exporter &inner, ValueRange carries) {
      Value i = carries[0];
      Algebra::Values next{inner.add(i, 1.0)}, arguments(carries.slice(1, numCarries));
      if (scan.getReverse())
        i = inner.sub(inner.add(count(inner), -1.0), i);
      for (Value x : scan.getXs())
        arguments.push_back(sliceAt(inner, x, i));
      auto outs = inlined(inner, scan.getBody(), arguments, scan.getConsts());
      next.append(outs.begin(), outs.begin() + numCarries);
      for (auto [stack, out] :
           llvm::zip_equal(carries.drop_front(1 + numCarries), ArrayRef(outs).drop_front(numCarries)))
        next.push_back(withSliceAt(inner, stack, i, out));
      return next;
    });
    llvm::append_range(results, made->getResults().drop_front());
    return success();
  }
};

struct ExportCase : Export<ExportCase, CaseOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto choice = cast<CaseOp>(op);
    // An index below all selects the first branch, in StableHLO the last one.
    Value index = e.greatest(choice.getIndex(), e.place(0));
    auto made = stablehlo::CaseOp::create(e.builder, e.loc, op->getResultTypes(), index, choice.getBranches().size());
    for (auto [region, branch] : llvm::zip_equal(made.getBranches(), choice.getBranches()))
      e.fillBody(region, {}, [&](Exporter &inner, ValueRange) { return inlined(inner, branch, {}, choice.getArgs()); });
    llvm::append_range(results, made->getResults());
    return success();
  }
};

struct ExportCall : Export<ExportCall, CallOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto call = func::CallOp::create(e.builder, e.loc, cast<CallOp>(op).getCalleeAttr(), op->getResultTypes(),
                                     op->getOperands());
    llvm::append_range(results, call->getResults());
    return success();
  }
};

} // namespace

void attachControlCounterparts(MLIRContext *c) {
  stablehlo::WhileOp::attachInterface<ImportWhile>(*c);
  stablehlo::IfOp::attachInterface<ImportIf>(*c);
  stablehlo::CaseOp::attachInterface<ImportCase>(*c);
  stablehlo::CompositeOp::attachInterface<ImportComposite>(*c);
  WhileOp::attachInterface<ExportWhile>(*c);
  ScanOp::attachInterface<ExportScan>(*c);
  CaseOp::attachInterface<ExportCase>(*c);
  CallOp::attachInterface<ExportCall>(*c);
}

} // namespace dovetail
