// Joins dispatches of sequential code, also behind one of workgroups.
#include "JoinDispatches.h"
#include "Executable.h"
#include "GpuThreads.h"
#include "OneDispatch.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

/// The name of the executable that a dispatch calls; null for other ops.
static StringAttr calledBy(Operation *op) {
  bool isDispatch = op->getName().getStringRef() == "flow.dispatch";
  auto run = isDispatch ? op->getAttrOfType<ArrayAttr>("entry_points") : ArrayAttr();
  return run && run.size() == 1 ? cast<SymbolRefAttr>(run[0]).getRootReference() : StringAttr();
}

/// The function of an executable of sequential code; null for other ops.
static func::FuncOp functionOf(Operation &executable) {
  if (executable.getName().getStringRef() == "hal.executable.source")
    for (auto code : executable.getRegion(0).front().getOps<ModuleOp>())
      if (code->hasAttr(kIsDispatch))
        return *code.getOps<func::FuncOp>().begin();
  return {};
}

/// The code of a dispatch made by `dispatchOnce` or `dispatchGroups` on arrays of known sizes; null for other ops.
static func::FuncOp codeOf(Operation *op) {
  auto isStatic = [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape();
  };
  StringAttr name = calledBy(op);
  if (!name || !llvm::all_of(op->getOperandTypes(), isStatic) || !llvm::all_of(op->getResultTypes(), isStatic) ||
      !destinationsOf(op).empty())
    return {};
  Operation *executable = SymbolTable::lookupSymbolIn(op->getParentOfType<ModuleOp>(), name);
  return executable ? functionOf(*executable) : func::FuncOp();
}

func::FuncOp sequentialCode(Operation *op) {
  func::FuncOp code = codeOf(op);
  return code && !code->getParentOp()->hasAttr(kHasGroups) ? code : func::FuncOp();
}

int64_t numWorkgroups(Operation *op) {
  func::FuncOp code = codeOf(op);
  auto number = code ? code->getParentOp()->getAttrOfType<IntegerAttr>(kHasGroups) : IntegerAttr();
  return number ? number.getInt() : 0;
}

int64_t numThreadsOf(Operation *op) {
  func::FuncOp code = codeOf(op);
  auto number = code ? code->getParentOp()->getAttrOfType<IntegerAttr>(kHasThreads) : IntegerAttr();
  return number ? number.getInt() : 1;
}

namespace {

/// Whether the op makes the view of a binding that code reads or writes.
bool isBindingView(Operation &op) { return op.getName().getStringRef() == "hal.interface.binding.subspan"; }

int64_t bytesOf(ShapedType type) { return type.getNumElements() * bytesOfElement(type.getElementType()); }

class Join {
public:
  Join(ArrayRef<Operation *> dispatches, SmallVectorImpl<Operation *> &removed)
      : dispatches(dispatches), removed(removed), joined(dispatches.begin(), dispatches.end()),
        outer(FusedLoc::get(dispatches.front()->getContext(),
                            llvm::map_to_vector(dispatches, [](Operation *op) { return op->getLoc(); })),
              dispatches.back()),
        numGroups(numWorkgroups(dispatches.front())), numThreads(numThreadsOf(dispatches.front())),
        program(dispatches.front()->getParentOfType<ModuleOp>()), target(program),
        inner(outer.getLoc(), outer.getContext()) {}

  LogicalResult run() {
    bindAll();
    size_t most = target.isGpu() ? kMaxBuffersOnGpu : kMaxBuffers;
    bool isMany = executable.numBindings() > most;
    if ((isMany || isAnyShared() || numGroups > 0) && isAnyBetween())
      return failure();
    // Views that differ between workgroups cannot be moved.
    if (isMany && numGroups > 0)
      return failure();
    executable.shareBindings(most);
    if (scratch > kMaxScratch || executable.numBindings() > most || bytesOnStack() > kMaxStack)
      return failure();
    OwningOpRef<ModuleOp> code = joinCode();
    std::string name = freeName(program);
    executable.addTo(program, name, std::move(code), /*workloadSize=*/0, [&](ImplicitLocOpBuilder &b, ValueRange) {
      return arith::ConstantIndexOp::create(b, std::max<int64_t>(numGroups, 1)).getResult();
    });
    replace(executable.call(outer, name, /*workload=*/{}));
    return success();
  }

private:
  /// A part of the memory of a binding.
  struct Place {
    Executable::Binding binding;
    int64_t offset;
  };

  /// The array without reshapes, if one of the dispatches computes it.
  Value bound(Value array) const {
    Value whole = withoutReshapes(array);
    return joined.contains(whole.getDefiningOp()) ? whole : array;
  }

  /// Whether one of the dispatches needs what is computed of another one's result outside.
  bool isAnyBetween() const {
    SmallVector<std::pair<Operation *, bool>> pending;
    DenseSet<Operation *> seen[2];
    auto visit = [&](Operation *op, bool isOutside) {
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          pending.push_back({maker, isOutside});
    };
    for (Operation *dispatch : dispatches)
      visit(dispatch, false);
    while (!pending.empty()) {
      auto [op, isOutside] = pending.pop_back_val();
      if (joined.contains(op)) {
        if (isOutside)
          return true;
      } else if (seen[isOutside].insert(op).second) {
        visit(op, isOutside || !isReshape(op));
      }
    }
    return false;
  }

  /// Whether small arrays of one of the dispatches share bindings: what joins and takes these apart is of no level.
  bool isAnyShared() const {
    return llvm::any_of(dispatches, [](Operation *dispatch) {
      return llvm::any_of(dispatch->getOperands(), [](Value operand) {
        return isa_and_present<tensor::ExtractSliceOp, tensor::InsertSliceOp>(withoutReshapes(operand).getDefiningOp());
      });
    });
  }

  bool isUsedElsewhere(Value array) const {
    return llvm::any_of(array.getUsers(), [&](Operation *user) {
      return isReshape(user) ? isUsedElsewhere(user->getResult(0)) : !joined.contains(user);
    });
  }

  //===- Memory ------------------------------------------------------------------===//

  void bindAll() {
    SmallVector<Value> temporaries;
    for (Operation *dispatch : dispatches) {
      for (Value operand : dispatch->getOperands())
        if (Value array = bound(operand); !places.contains(array))
          places[array] = {executable.addInput(array, {}), 0};
      for (Value result : dispatch->getResults())
        if (isUsedElsewhere(result)) {
          places[result] = {executable.addOutput(cast<RankedTensorType>(result.getType()), {}), 0};
          results.push_back(result);
        } else if (target.isGpu()) {
          // Of its own element type.
          places[result] = {executable.addOutput(cast<RankedTensorType>(result.getType()), {}), 0};
          results.push_back({});
          scratch += bytesOf(cast<RankedTensorType>(result.getType()));
        } else {
          places[result] = {{}, scratch};
          temporaries.push_back(result);
          scratch += llvm::alignTo(bytesOf(cast<RankedTensorType>(result.getType())), kAlignment);
        }
    }
    if (temporaries.empty())
      return;
    Executable::Binding memory = executable.addOutput(RankedTensorType::get({scratch}, inner.getI8Type()), {});
    for (Value temporary : temporaries)
      places[temporary].binding = memory;
  }

  int64_t bytesOnStack() const {
    int64_t bytes = 0;
    for (Operation *dispatch : dispatches)
      for (auto op : codeOf(dispatch).getOps<memref::AllocaOp>())
        bytes += llvm::alignTo(bytesOf(op.getType()), kAlignment);
    return bytes;
  }

  //===- Code --------------------------------------------------------------------===//

  OwningOpRef<ModuleOp> joinCode() {
    OwningOpRef<ModuleOp> module = ModuleOp::create(outer.getLoc());
    module->getOperation()->setAttr(kIsDispatch, inner.getUnitAttr());
    inner.setInsertionPointToEnd(module->getBody());
    function = func::FuncOp::create(inner, "run", inner.getFunctionType({}, {}));
    inner.setInsertionPointToStart(function.addEntryBlock());
    func::ReturnOp::create(inner);
    append(dispatches.front(), function.front());
    if (numGroups == 0) {
      for (Operation *dispatch : dispatches.drop_front())
        append(dispatch, function.front());
      return module;
    }
    module->getOperation()->setAttr(kHasGroups, inner.getIndexAttr(numGroups));
    if (numThreads > 1) {
      module->getOperation()->setAttr(kHasThreads, inner.getIndexAttr(numThreads));
      setThreads(function, target, numThreads);
    }
    inner.setInsertionPointToEnd(module->getBody());
    for (auto import : codeOf(dispatches.front())->getParentOfType<ModuleOp>().getOps<func::FuncOp>())
      if (import.isDeclaration())
        inner.clone(*import);
    inner.setInsertionPoint(function.front().getTerminator());
    Block &last = ifLast().getThenRegion().front();
    for (Operation *dispatch : dispatches.drop_front())
      append(dispatch, last);
    return module;
  }

  /// Counts the workgroups that have come here: the last one sees what the others have written.
  scf::IfOp ifLast() {
    auto type = RankedTensorType::get(1, inner.getI32Type());
    Value zero = arith::ConstantIntOp::create(outer, 0, 32);
    Value zeros = outer.create(OperationState(outer.getLoc(), "flow.tensor.splat", zero, type))->getResult(0);
    Executable::Binding count = executable.addInput(zeros, {});
    Executable::Binding counted = executable.addOutput(type, {}, count.index);
    Value memory = executable.view(inner, counted, MemRefType::get(1, type.getElementType()), {});
    Value first = arith::ConstantIndexOp::create(inner, 0), one = arith::ConstantIntOp::create(inner, 1, 32);
    auto addOne = [&]() -> Value {
      // Acquires and releases, as all of these do.
      return memref::AtomicRMWOp::create(inner, arith::AtomicRMWKind::addi, one, memory, first);
    };
    Value others = arith::ConstantIntOp::create(inner, numGroups - 1, 32);
    if (!target.isGpu())
      return scf::IfOp::create(inner, arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, addOne(), others));
    // One thread counts, behind a fence of each; and so that all see the others' memory, there is one before they read.
    fenceDevice(inner, target);
    Value before = numThreads > 1 ? inFirstThread(addOne) : addOne();
    auto branch = scf::IfOp::create(inner, arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, before, others));
    ImplicitLocOpBuilder within = ImplicitLocOpBuilder::atBlockBegin(inner.getLoc(), branch.thenBlock());
    fenceDevice(within, target);
    return branch;
  }

  /// A number that one thread of a workgroup computes, when all have come here, for all of them.
  Value inFirstThread(function_ref<Value()> compute) {
    auto type =
        MemRefType::get(1, inner.getI32Type(), MemRefLayoutAttrInterface(), workgroupMemory(inner.getContext()));
    Value shared = memref::AllocOp::create(inner, type), first = arith::ConstantIndexOp::create(inner, 0);
    waitForThreads(inner, target);
    auto branch =
        scf::IfOp::create(inner, arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, numberOfThread(inner), first));
    {
      OpBuilder::InsertionGuard guard(inner);
      inner.setInsertionPointToStart(branch.thenBlock());
      memref::StoreOp::create(inner, compute(), shared, first);
    }
    waitForThreads(inner, target);
    return memref::LoadOp::create(inner, shared, first);
  }

  /// Views and memory of its own come first, as in code that was not joined.
  void append(Operation *dispatch, Block &block) {
    IRMapping values;
    for (Operation &op : codeOf(dispatch).front().without_terminator()) {
      if (isBindingView(op)) {
        values.map(op.getResult(0), viewFor(dispatch, op, values));
        continue;
      }
      if (isa<memref::AllocaOp, memref::AllocOp>(op))
        inner.setInsertionPointToStart(&function.front());
      else
        inner.setInsertionPoint(block.getTerminator());
      inner.clone(op, values);
    }
  }

  /// The view of what the dispatch binds, in the place that it has now. Equal views are one.
  Value viewFor(Operation *dispatch, Operation &view, const IRMapping &values) {
    int64_t number = cast<IntegerAttr>(view.getAttr("binding")).getInt(), numInputs = dispatch->getNumOperands();
    Place place = places.lookup(number < numInputs ? bound(dispatch->getOperand(number))
                                                   : Value(dispatch->getResult(number - numInputs)));
    auto type = cast<MemRefType>(view.getResult(0).getType());
    std::optional<int64_t> begin = getConstantIntValue(view.getOperand(0));
    if (!begin) {
      // Each workgroup has its own.
      inner.setInsertionPoint(function.front().getTerminator());
      Value base = arith::ConstantIndexOp::create(inner, place.offset);
      Value own = arith::AddIOp::create(inner, base, values.lookup(view.getOperand(0)));
      return executable.view(inner, place.binding, type, {}, own);
    }
    inner.setInsertionPointToStart(&function.front());
    int64_t offset = place.offset + *begin;
    Value &made = views[{place.binding.isOutput, place.binding.index, offset, type}];
    if (!made)
      made = executable.view(inner, place.binding, type, {}, offset);
    return made;
  }

  //===- The call ----------------------------------------------------------------===//

  void replace(ArrayRef<Value> called) {
    for (auto [result, value] : llvm::zip(results, called))
      if (result)
        result.replaceAllUsesWith(value);
    for (Operation *dispatch : llvm::reverse(dispatches)) {
      for (Value result : dispatch->getResults())
        removeReshapes(result);
      dispatch->erase();
    }
  }

  void removeReshapes(Value array) {
    for (Operation *user : llvm::make_early_inc_range(array.getUsers())) {
      removeReshapes(user->getResult(0));
      user->dropAllReferences();
      user->remove();
      removed.push_back(user);
    }
  }

  ArrayRef<Operation *> dispatches;
  SmallVectorImpl<Operation *> &removed;
  DenseSet<Operation *> joined;
  ImplicitLocOpBuilder outer;
  /// The workgroups that run the code of the first dispatch, 0 if one thread does; and the threads of each.
  int64_t numGroups, numThreads;
  ModuleOp program;
  Target target;
  ImplicitLocOpBuilder inner;
  func::FuncOp function;
  Executable executable;
  DenseMap<Value, Place> places;
  DenseMap<std::tuple<unsigned, unsigned, int64_t, Type>, Value> views;
  /// The arrays that others use, in the order of their bindings; null for a temporary with a binding of its own.
  SmallVector<Value> results;
  /// The bytes of temporaries.
  int64_t scratch = 0;
};

} // namespace

LogicalResult joinDispatches(ArrayRef<Operation *> dispatches, SmallVectorImpl<Operation *> &removed) {
  return Join(dispatches, removed).run();
}

void eraseUncalledCode(ModuleOp program) {
  DenseSet<StringAttr> called;
  program.walk([&](Operation *op) {
    if (StringAttr name = calledBy(op))
      called.insert(name);
  });
  for (Operation &executable : llvm::make_early_inc_range(*program.getBody()))
    if (functionOf(executable) && !called.contains(executable.getAttrOfType<StringAttr>("sym_name")))
      executable.erase();
}

} // namespace dovetail
