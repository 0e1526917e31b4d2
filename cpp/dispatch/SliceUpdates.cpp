// Updates of slices with steps: loops over their elements, of which workgroups take parts along the first dimension of
// several.
#include "SliceUpdates.h"
#include "BufferLoops.h"
#include "DispatchableOps.h"
#include "Executable.h"
#include "GpuThreads.h"
#include "dialects/HostFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dovetail {

/// How many elements are worth a workgroup: the runtime takes about as long to start one.
static constexpr int64_t kLeastOfGroup = 8192;

Value updateSlice(ImplicitLocOpBuilder &b, Value x, Value updates, ArrayRef<int64_t> starts, ArrayRef<int64_t> strides,
                  function_ref<Value(OpBuilder &, Location, Value, Value)> step) {
  auto type = cast<RankedTensorType>(x.getType()), part = cast<RankedTensorType>(updates.getType());
  if (!isElementOfDispatch(type.getElementType()))
    return {};
  auto program = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  Executable executable;
  Executable::Binding old = executable.addInput(x, {}), given = executable.addInput(updates, {});
  Executable::Binding result = executable.addOutput(type, {}, old.index);

  ArrayRef<int64_t> shape = part.getShape();
  int64_t divided =
      std::distance(shape.begin(), llvm::find_if(shape.drop_back(), [](int64_t size) { return size > 1; }));
  int64_t most = std::min<int64_t>(shape[divided], 2 * threadsOf(program));
  int64_t groups = std::clamp<int64_t>(part.getNumElements() / kLeastOfGroup, 1, most);

  OwningOpRef<ModuleOp> code = ModuleOp::create(b.getLoc());
  ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), code->getBody());
  auto function = func::FuncOp::create(inner, "run", inner.getFunctionType({}, {}));
  inner.setInsertionPointToStart(function.addEntryBlock());
  auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(inner, value); };
  Value from = executable.view(inner, given, MemRefType::get(shape, part.getElementType()), {}),
        to = executable.view(inner, result, MemRefType::get(type.getShape(), type.getElementType()), {});
  SmallVector<Value> begins(shape.size(), number(0)), ends, ones(shape.size(), number(1));
  for (int64_t size : shape)
    ends.push_back(number(size));
  if (groups > 1) {
    Value perGroup = number(llvm::divideCeil(shape[divided], groups));
    begins[divided] = arith::MulIOp::create(inner, numberOfGroup(inner), perGroup);
    Value end = arith::AddIOp::create(inner, begins[divided], perGroup);
    ends[divided] = arith::MinUIOp::create(inner, end, ends[divided]);
  }
  scf::buildLoopNest(inner, inner.getLoc(), begins, ends, ones, [&](OpBuilder &body, Location loc, ValueRange at) {
    ImplicitLocOpBuilder each(loc, body);
    SmallVector<Value> place;
    for (auto [d, start] : llvm::enumerate(starts)) {
      Value scaled = arith::MulIOp::create(each, at[d], arith::ConstantIndexOp::create(each, strides[d]));
      place.push_back(arith::AddIOp::create(each, scaled, arith::ConstantIndexOp::create(each, start)));
    }
    Value before = memref::LoadOp::create(each, to, place), update = memref::LoadOp::create(each, from, at);
    memref::StoreOp::create(each, step(each, loc, before, update), to, place);
  });
  func::ReturnOp::create(inner);
  storeBoolsAsBytes(function);
  std::string name = freeName(program);
  executable.addTo(program, name, std::move(code), /*workloadSize=*/0,
                   [&](ImplicitLocOpBuilder &inside, ValueRange) -> Value {
                     return arith::ConstantIndexOp::create(inside, groups);
                   });
  return executable.call(b, name, {}).front();
}

} // namespace dovetail
