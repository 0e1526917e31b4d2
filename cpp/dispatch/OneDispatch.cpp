// Builds one executable of loops and branches with all ops in them.
#include "OneDispatch.h"
#include "BufferLoops.h"
#include "Buffers.h"
#include "CallProducts.h"
#include "DispatchableOps.h"
#include "Executable.h"
#include "GpuMemory.h"
#include "GpuThreads.h"
#include "PackOperands.h"
#include "SequentialLoops.h"
#include "SharedLoops.h"
#include "Temporaries.h"
#include "Work.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Donation.h"
#include "cpp/iree/Opaque.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Builders.h"
#include "cpp/tensors/MultiplyAdd.h"
#include "cpp/tensors/Target.h"
#include "dialects/HostFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

/// Fewer workgroups do not use all threads of an ordinary machine.
constexpr int64_t kFewestWorkers = 4;
/// A dispatch makes arrays of so many equal elements itself, and copies arrays of so many that it chooses.
constexpr int64_t kMostRepeated = int64_t(1) << 12;

/// The outermost op around the builder's insertion point; null while ops around it are under construction.
static Operation *rootOf(ImplicitLocOpBuilder &b) {
  Operation *op = b.getInsertionBlock()->getParentOp();
  while (op && op->getParentOp())
    op = op->getParentOp();
  return op;
}

bool isInDispatch(ImplicitLocOpBuilder &b) {
  Operation *root = rootOf(b);
  return root && root->hasAttr(kIsDispatch);
}

/// Whether an array of the type has no elements. Devices reject memory of zero bytes.
static bool isEmpty(ShapedType type) { return type.hasStaticShape() && type.getNumElements() == 0; }

namespace {

using Emit = function_ref<FailureOr<SmallVector<Value>>(ImplicitLocOpBuilder &, ValueRange, Value)>;

/// The code of the dispatch under construction: a function on memory, which gets buffers, and numbers of 32 bits.
class SequentialCode {
public:
  /// `numGroups` is 0 for code that runs once.
  SequentialCode(ImplicitLocOpBuilder &b, ModuleOp program, int64_t numGroups, int64_t mostWork, int64_t numThreads)
      : outer(b), program(program), target(program), numGroups(numGroups), numWorkers(numGroups), mostWork(mostWork),
        numThreads(numThreads), module(ModuleOp::create(b.getLoc())), inner(b.getLoc(), b.getContext()) {
    module->getOperation()->setAttr(kIsDispatch, inner.getUnitAttr());
    inner.setInsertionPointToEnd(module->getBody());
    function = func::FuncOp::create(inner, "run", b.getFunctionType({}, {}));
    inner.setInsertionPointToStart(function.addEntryBlock());
    if (numGroups > 0) {
      group = worker = numberOfGroup(inner);
    }
    func::ReturnOp::create(inner);
    isCpu = !target.isGpu();
  }

  LogicalResult build(ValueRange inputs, ArrayRef<Shape> results, Emit body) {
    inner.setInsertionPoint(function.front().getTerminator());
    SmallVector<Value> inside;
    for (Value input : inputs)
      inside.push_back(isa<RankedTensorType>(input.getType()) ? readArray(input) : readNumber(input));
    SmallVector<Output> outputs;
    for (const Shape &shape : results)
      outputs.push_back(addOutput(shape));
    FailureOr<SmallVector<Value>> computed = body(inner, inside, group);
    if (failed(computed))
      return failure();
    for (auto [output, array] : llvm::zip_equal(outputs, *computed))
      output.array = array;
    return toLoops(outputs);
  }

  /// Adds the executable to the program, and calls it. Returns the values of `results`.
  SmallVector<Value> finish(ArrayRef<Shape> results) {
    SmallVector<Value> called;
    if (executable.hasOutputs()) {
      std::string name = freeName(program);
      if (numGroups > 0)
        module->getOperation()->setAttr(kHasGroups, inner.getIndexAttr(numWorkers));
      if (numThreads > 1)
        module->getOperation()->setAttr(kHasThreads, inner.getIndexAttr(numThreads));
      executable.addTo(program, name, std::move(module), /*workloadSize=*/0,
                       [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
                         return arith::ConstantIndexOp::create(b, std::max<int64_t>(numWorkers, 1));
                       });
      called = executable.call(outer, name, /*workload=*/{});
    }
    auto next = called.begin();
    return llvm::map_to_vector(results, [&](const Shape &shape) -> Value {
      auto type = RankedTensorType::get(decomposeMixedValues(shape.sizes).first, shape.element);
      return isEmpty(type) ? tensor::EmptyOp::create(outer, type, ValueRange()).getResult() : *next++;
    });
  }

private:
  //===- What comes from outside -------------------------------------------------===//

  Value readNumber(Value number) {
    assert(number.getType().isIndex() && "of numbers, only sizes and places are handed in");
    Value &inside = numbers[number];
    if (!inside)
      inside = arith::IndexCastOp::create(inner, inner.getIndexType(),
                                          executable.load(inner, executable.addConstant(number)));
    return inside;
  }

  Value bind(Executable::Binding binding, RankedTensorType type, ValueRange sizes) {
    auto known = llvm::map_to_vector(sizes, [&](Value size) { return readNumber(size); });
    Value memory = executable.view(inner, binding, MemRefType::get(type.getShape(), type.getElementType()), known);
    return bufferization::ToTensorOp::create(inner, type, memory, /*restrict=*/true, /*writable=*/binding.isOutput);
  }

  Value readArray(Value array) {
    auto type = cast<RankedTensorType>(array.getType());
    if (isEmpty(type))
      return tensor::EmptyOp::create(inner, type, ValueRange());
    if (Value inside = constant(array))
      return inside;
    if (isWorthOverwriting(array))
      return bindArray(array);
    Value &inside = arrays[array];
    if (!inside)
      inside = bindArray(array);
    return inside;
  }

  /// A small array of equal elements, made inside; null for other arrays.
  Value constant(Value array) {
    auto type = cast<RankedTensorType>(array.getType());
    Operation *maker = array.getDefiningOp();
    if (!maker || !type.hasStaticShape() || type.getNumElements() > kMostRepeated)
      return {};
    DenseElementsAttr elements;
    if (matchPattern(array, m_Constant(&elements)))
      return elements.isSplat() ? inner.clone(*maker)->getResult(0) : Value();
    auto fill = dyn_cast<linalg::FillOp>(maker);
    Operation *scalar = fill ? fill.value().getDefiningOp() : nullptr;
    if (!scalar || !scalar->hasTrait<OpTrait::ConstantLike>())
      return {};
    Value memory = tensor::EmptyOp::create(inner, type, ValueRange());
    return linalg::FillOp::create(inner, inner.clone(*scalar)->getResult(0), memory).getResult(0);
  }

  Value bindArray(Value array) {
    auto type = cast<RankedTensorType>(array.getType());
    SmallVector<Value> sizes = dynamicSizes(outer, array);
    Executable::Binding binding = executable.addInput(array, sizes);
    Value inside = bind(binding, type, sizes);
    if (numGroups == 0 && isWorthOverwriting(array))
      donated[inside] = binding;
    return inside;
  }

  Output addOutput(const Shape &shape) {
    auto [fixed, sizes] = decomposeMixedValues(shape.sizes);
    auto type = RankedTensorType::get(fixed, shape.element);
    if (isEmpty(type))
      return {{}, tensor::EmptyOp::create(inner, type, ValueRange())};
    Executable::Binding binding = executable.addOutput(type, sizes);
    if (numGroups > 0)
      return {{}, sliceOfGroup(binding, type)};
    Value inside = bind(binding, type, sizes);
    places[inside] = binding;
    return {{}, inside};
  }

  /// The part of a result that a workgroup writes.
  Value sliceOfGroup(Executable::Binding binding, RankedTensorType type) {
    auto whole = MemRefType::get(type.getShape(), type.getElementType());
    auto sliceType = RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
    SmallVector<OpFoldResult> offsets(type.getRank(), inner.getIndexAttr(0)),
        strides(type.getRank(), inner.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(inner.getContext(), type.getShape());
    offsets[0] = group;
    sizes[0] = inner.getIndexAttr(1);
    auto reduced = memref::SubViewOp::inferRankReducedResultType(sliceType.getShape(), whole, offsets, sizes, strides);
    Value memory = executable.view(inner, binding, whole, {});
    Value part = memref::SubViewOp::create(inner, cast<MemRefType>(reduced), memory, offsets, sizes, strides);
    return bufferization::ToTensorOp::create(inner, sliceType, part, /*restrict=*/true, /*writable=*/true);
  }

  //===- From arrays to loops ----------------------------------------------------===//

  LogicalResult toLoops(ArrayRef<Output> results) {
    SmallVector<Operation *> barriers, expandable;
    auto isRefused = [&](Operation *op) {
      // Sequential code needs no barriers.
      if (passesOn(op))
        barriers.push_back(op);
      if (isExpandable(op))
        expandable.push_back(op);
      return op == function || isa<func::ReturnOp, bufferization::ToTensorOp, memref::SubViewOp>(op) ||
                     op->getName().getStringRef().starts_with("hal.interface.") || canRunInOneDispatch(op)
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    };
    if (function.walk(isRefused).wasInterrupted())
      return failure();
    // Until they are written, neither the returned values nor their destinations have other uses.
    Operation *end = function.front().getTerminator();
    SmallVector<Value> held;
    for (const Output &result : results)
      held.append({result.array, result.place});
    end->setOperands(held);
    for (Operation *op : barriers) {
      op->replaceAllUsesWith(op->getOperands().take_front(op->getNumResults()));
      op->erase();
    }
    llvm::for_each(expandable, expand);
    simplify(function, /*fuse=*/true);
    copyChosen();
    liftConstants();
    SmallVector<Output> kept;
    for (size_t i = 0; i < results.size(); ++i)
      kept.push_back({end->getOperand(2 * i), end->getOperand(2 * i + 1)});
    end->setOperands({});
    overwriteDonated(kept);
    if (failed(updateInPlace(function, kept)) || failed(bufferize(function)))
      return failure();
    simplify(function, /*fuse=*/false);
    if (workOfIteration(function) > mostWork)
      return failure();
    // Code of one thread may be joined with others', which have no imports.
    if (isCpu && numGroups > 0 && program->hasAttr(kHostFunctions))
      callProducts(function);
    if (isCpu)
      packOperands(function);
    if (failed(structureCopies(function)))
      return failure();
    if (isCpu)
      numThreads = 1;
    else if (numThreads == 0)
      numThreads = numThreadsFor(function, target);
    if (numThreads > 1)
      shareAmongThreads(function, numThreads, target);
    else
      lowerToLoops(function, isCpu);
    if (target.fusesMultiplyAdd())
      fuseMultiplyAdds(function);
    storeBoolsAsBytes(function);
    if (failed(isCpu ? placeTemporaries() : placeOnGpu()))
      return failure();
    simplify(function, /*fuse=*/false);
    return success(!target.isVulkan() ||
                   countIterations(function.front()).value_or(kMostIterationsOnVulkan) < kMostIterationsOnVulkan);
  }

  /// A small array that is chosen from two is a copy: as one of them, it would keep both from being overwritten.
  void copyChosen() {
    SmallVector<arith::SelectOp> choices;
    function.walk([&](arith::SelectOp op) {
      auto type = dyn_cast<RankedTensorType>(op.getType());
      if (type && type.hasStaticShape() && type.getNumElements() <= kMostRepeated &&
          op.getCondition().getType().isInteger(1))
        choices.push_back(op);
    });
    for (arith::SelectOp op : choices) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value x = op.getTrueValue(), y = op.getFalseValue();
      SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(cast<RankedTensorType>(x.getType()).getRank()));
      op.replaceAllUsesWith(parallelLoops(b, sizesOf(b, x), getElementTypeOrSelf(x), {x, y}, maps,
                                          [&](OpBuilder &each, Location loc, ValueRange xs) -> Value {
                                            return arith::SelectOp::create(each, loc, op.getCondition(), xs[0], xs[1]);
                                          }));
      op.erase();
    }
  }

  /// New versions of donated inputs overwrite them, instead of copies.
  void overwriteDonated(ArrayRef<Output> outputs) {
    for (const Output &output : outputs) {
      Value origin = originOf(output.array);
      auto input = donated.find(origin);
      auto place = places.find(output.place);
      if (input == donated.end() || place == places.end() || origin.getType() != output.place.getType())
        continue;
      executable.tie(place->second, input->second);
      // Its elements are read where they are written.
      origin.replaceAllUsesWith(output.place);
      donated.erase(input);
    }
    // A call that only overwrites may have to wait for what reads the array before: by another array.
    if (executable.overwritesInputsOnly())
      executable.addInput(opaqueOne(outer), {});
  }

  /// Constants with several values become inputs; splats are filled in.
  void liftConstants() {
    SmallVector<arith::ConstantOp> constants;
    function.walk([&](arith::ConstantOp op) {
      if (isa<RankedTensorType>(op.getType()))
        constants.push_back(op);
    });
    for (arith::ConstantOp op : constants) {
      auto value = cast<DenseElementsAttr>(op.getValue());
      Value lifted;
      if (value.isSplat()) {
        inner.setInsertionPoint(op);
        auto type = cast<RankedTensorType>(op.getType());
        lifted = linalg::FillOp::create(inner, scalarConstant(value),
                                        tensor::EmptyOp::create(inner, type, ValueRange()).getResult())
                     .getResult(0);
      } else {
        inner.setInsertionPointToStart(&function.front());
        lifted = readArray(outer.clone(*op)->getResult(0));
      }
      op.replaceAllUsesWith(lifted);
      op.erase();
    }
  }

  Value scalarConstant(DenseElementsAttr value) {
    Type element = value.getElementType();
    if (auto complex = dyn_cast<ComplexType>(element)) {
      auto parts = value.getSplatValue<ArrayAttr>();
      return complex::ConstantOp::create(inner, complex, parts);
    }
    return arith::ConstantOp::create(inner, value.getSplatValue<TypedAttr>());
  }

  /// Temporaries are parts of one additional result. Those of a few elements are in registers, if they are local to the
  /// function.
  LogicalResult placeTemporaries() {
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp op) { allocs.push_back(op); });
    int64_t onStack = 0;
    SmallVector<memref::AllocOp> placed;
    SmallVector<int64_t> sizes;
    for (memref::AllocOp op : allocs) {
      MemRefType type = op.getType();
      if (!type.hasStaticShape())
        return failure();
      int64_t bytes = llvm::alignTo(std::max<int64_t>(type.getNumElements(), 1) * bytesOfElement(type.getElementType()),
                                    kAlignment);
      if (bytes == kAlignment && onStack < kMaxStack) {
        onStack += bytes;
        // Initialized each time, since the previous contents may be lost.
        inner.setInsertionPointToStart(&function.front());
        op.replaceAllUsesWith(memref::AllocaOp::create(inner, type).getResult());
        op.erase();
        continue;
      }
      placed.push_back(op);
      sizes.push_back(bytes);
    }
    PackedTemporaries packed(function, placed, sizes);
    if (failed(haveRoomFor(packed.total)))
      return failure();
    auto scratch = placed.empty() ? std::optional<Executable::Binding>() : addScratch(packed.total);
    for (auto [op, offset] : llvm::zip_equal(placed, packed.offsets)) {
      inner.setInsertionPointToStart(&function.front());
      if (numGroups > 0) {
        inner.setInsertionPointAfterValue(worker);
        Value size = arith::ConstantIndexOp::create(inner, packed.total);
        Value own = arith::ConstantIndexOp::create(inner, offset);
        Value begin = arith::AddIOp::create(inner, arith::MulIOp::create(inner, worker, size), own);
        op.replaceAllUsesWith(executable.view(inner, *scratch, op.getType(), {}, begin));
      } else {
        op.replaceAllUsesWith(executable.view(inner, *scratch, op.getType(), {}, offset));
      }
      op.erase();
    }
    executable.shareBindings(kMaxBuffers);
    return success(executable.numBindings() <= kMaxBuffers);
  }

  /// The same for GPUs.
  LogicalResult placeOnGpu() {
    GpuMemory memory;
    if (failed(memory.find(function, target)) || failed(haveRoomFor(memory.numBytes())))
      return failure();
    memory.place(
        [&](ImplicitLocOpBuilder &b, Type element, int64_t numElements) {
          Executable::Binding scratch = addScratch(numElements * bytesOfElement(element));
          auto type = MemRefType::get(numElements * std::max<int64_t>(numWorkers, 1), element);
          return executable.view(b, scratch, type, {});
        },
        worker);
    size_t most = target.isSpirv() ? kMaxBuffers : kMaxBuffersOnGpu;
    if (!target.isSpirv())
      executable.shareBindings(most);
    return success(executable.numBindings() <= most);
  }

  /// Bytes for each workgroup.
  Executable::Binding addScratch(int64_t bytes) {
    return executable.addOutput(RankedTensorType::get(bytes * std::max<int64_t>(numWorkers, 1), inner.getI8Type()), {});
  }

  LogicalResult haveRoomFor(int64_t bytes) {
    return success(bytes * std::max<int64_t>(numGroups, 1) <= kMaxScratch || (numGroups > 0 && shareWorkgroups(bytes)));
  }

  /// Lets fewer workgroups run the code, one group after the other in the same temporaries, of so many bytes each.
  /// Returns false if few would be left.
  bool shareWorkgroups(int64_t bytes) {
    numWorkers = std::min(numGroups, kMaxScratch / bytes);
    // All take the same time.
    while (numWorkers > 1 && numGroups % numWorkers != 0)
      --numWorkers;
    if (numWorkers < kFewestWorkers)
      return false;
    SmallVector<Operation *> moved;
    DenseSet<Value> depend = {group};
    for (Operation &op : function.front().without_terminator()) {
      auto dependsOnGroup = [&](Value operand) { return depend.contains(operand); };
      bool isBinding = op.getName().getStringRef().starts_with("hal.interface.");
      if (isBinding || isa<memref::AllocaOp>(op) ||
          (isMemoryEffectFree(&op) && op.getNumRegions() == 0 && llvm::none_of(op.getOperands(), dependsOnGroup)))
        continue;
      moved.push_back(&op);
      depend.insert_range(op.getResults());
    }
    inner.setInsertionPoint(function.front().getTerminator());
    Value end = arith::ConstantIndexOp::create(inner, numGroups),
          step = arith::ConstantIndexOp::create(inner, numWorkers);
    auto loop = scf::ForOp::create(inner, worker, end, step);
    for (Operation *op : moved)
      op->moveBefore(loop.getBody()->getTerminator());
    group = loop.getInductionVar();
    worker.replaceUsesWithIf(group, [&](OpOperand &use) { return loop->isProperAncestor(use.getOwner()); });
    return true;
  }

  ImplicitLocOpBuilder &outer;
  ModuleOp program;
  Target target;
  /// The groups, and the workgroups that run the code for these.
  int64_t numGroups, numWorkers, mostWork;
  /// The threads of each workgroup; 0 until they are chosen.
  int64_t numThreads;
  /// The number of the group, if there are several, and of the workgroup.
  Value group, worker;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder inner;
  func::FuncOp function;
  Executable executable;
  /// The donated inputs and the outputs inside the dispatch.
  DenseMap<Value, Executable::Binding> donated, places;
  /// The numbers that are passed in, and the arrays that are only read, as values inside the dispatch.
  DenseMap<Value, Value> numbers, arrays;
  bool isCpu;
};

} // namespace

static FailureOr<SmallVector<Value>> dispatch(ImplicitLocOpBuilder &b, int64_t numGroups, ValueRange inputs,
                                              ArrayRef<Shape> results, Emit body, int64_t mostWork,
                                              int64_t numThreads = 0) {
  auto program = dyn_cast_or_null<ModuleOp>(rootOf(b));
  if (!program || isInDispatch(b) ||
      !llvm::all_of(inputs, [&](Value input) { return isElementOfDispatch(getElementTypeOrSelf(input)); }) ||
      !llvm::all_of(results, [&](const Shape &result) { return isElementOfDispatch(result.element); }))
    return failure();
  SequentialCode code(b, program, numGroups, mostWork, numThreads);
  if (failed(code.build(inputs, results, body)))
    return failure();
  return code.finish(results);
}

FailureOr<SmallVector<Value>>
dispatchOnce(ImplicitLocOpBuilder &b, ValueRange inputs, ArrayRef<Shape> results,
             function_ref<FailureOr<SmallVector<Value>>(ImplicitLocOpBuilder &, ValueRange)> body, int64_t mostWork,
             int64_t numThreads) {
  return dispatch(
      b, /*numGroups=*/0, inputs, results,
      [&](ImplicitLocOpBuilder &inner, ValueRange inside, Value) { return body(inner, inside); }, mostWork, numThreads);
}

FailureOr<SmallVector<Value>> dispatchGroups(ImplicitLocOpBuilder &b, int64_t numGroups, ValueRange inputs,
                                             ArrayRef<Shape> results, Emit body, int64_t mostWork) {
  return dispatch(b, numGroups, inputs, results, body, mostWork);
}

} // namespace dovetail
