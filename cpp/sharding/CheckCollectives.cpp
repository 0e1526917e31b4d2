// Finds collectives that only some devices of a group come to, where the branches that devices take are known.
#include "Passes.h"
#include "cpp/scalar/Builder.h"
#include "dialects/Collective.h"
#include "dialects/Control.h"
#include "dialects/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_CHECKCOLLECTIVESPASS
#include "cpp/sharding/Passes.h.inc"

namespace {

/// Where each device of a mesh is; devices are numbered in row-major order.
class Positions {
public:
  explicit Positions(MeshAttr mesh) : axes(mesh.getAxes()), sizes(mesh.getSizes()) {
    for (int64_t size : sizes)
      count *= size;
  }

  /// The position of a device along an axis; none if the mesh has no such axis.
  std::optional<int64_t> along(Attribute axis, int64_t device) const {
    int64_t stride = count;
    for (auto [name, size] : llvm::zip_equal(axes, sizes)) {
      stride /= size;
      if (name == axis)
        return device / stride % size;
    }
    return std::nullopt;
  }

  /// Whether two devices exchange data in collectives over these axes.
  bool areOneGroup(int64_t first, int64_t second, ArrayAttr over) const {
    return llvm::all_of(axes, [&](StringAttr axis) {
      return llvm::is_contained(over, axis) || along(axis, first) == along(axis, second);
    });
  }

  /// The index of a device among those of the axes; none if the mesh lacks one.
  std::optional<int64_t> index(int64_t device, ArrayAttr over) const {
    int64_t index = 0;
    for (Attribute axis : over) {
      auto name = llvm::find(axes, axis);
      std::optional<int64_t> position = along(axis, device);
      if (!position)
        return std::nullopt;
      index = index * sizes[name - axes.begin()] + *position;
    }
    return index;
  }

  int64_t count = 1;

private:
  ArrayRef<StringAttr> axes;
  ArrayRef<int64_t> sizes;
};

} // namespace

static bool isScalarInteger(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getRank() && tensor.getElementType().isSignlessInteger();
}

/// The elements of a value on a device, if they follow from the device's position alone; null otherwise.
static Attribute elementsOn(int64_t device, Value value, const Positions &positions) {
  Operation *op = value.getDefiningOp();
  Attribute elements;
  if (!op || op->getNumRegions() || op->getNumResults() != 1)
    return {};
  if (matchPattern(op, m_Constant(&elements)))
    return elements;
  if (auto collective = dyn_cast<NamedAxesOpInterface>(op)) {
    // Without operands, it can be but the device's index.
    std::optional<int64_t> index = positions.index(device, collective.getAxes());
    if (op->getNumOperands() || !index || !isScalarInteger(value.getType()))
      return {};
    auto type = cast<RankedTensorType>(value.getType());
    return DenseElementsAttr::get(type, Builder(op).getIntegerAttr(type.getElementType(), *index));
  }
  auto pointwise = dyn_cast<PointwiseOpInterface>(op);
  if (!pointwise)
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(elementsOn(device, operand, positions));
  return llvm::is_contained(operands, Attribute()) ? Attribute() : foldPointwise(pointwise, operands);
}

/// The operand that selects one of an op's bodies: it flows to none of them.
static Value selectorOf(FlowOpInterface op) {
  for (OpOperand &operand : op->getOpOperands()) {
    bool flows = false;
    op.forEachTarget(operand, [&](Value, Flow) { flows = true; });
    if (!flows && op->getNumRegions() > 1)
      return operand.get();
  }
  return {};
}

/// The number of the body that each device runs; empty if that is not known of all.
static SmallVector<int64_t> bodiesOnDevices(FlowOpInterface op, const Positions &positions) {
  SmallVector<int64_t> bodies;
  Value selector = selectorOf(op);
  for (int64_t device = 0; selector && device < positions.count; ++device) {
    auto elements = dyn_cast_or_null<DenseIntElementsAttr>(elementsOn(device, selector, positions));
    if (!elements || elements.getNumElements() != 1)
      return {};
    int64_t last = op->getNumRegions() - 1;
    bodies.push_back(std::clamp<int64_t>((*elements.begin()).getSExtValue(), 0, last));
  }
  return bodies;
}

static bool exchanges(Operation *op) {
  return isa<NamedAxesOpInterface>(op) && !isa<VaryingOpInterface>(op) && op->getNumOperands();
}

/// Whether a body has a collective that may be the same one.
static bool hasSuchCollective(Region &body, Operation *collective) {
  return body
      .walk([&](Operation *op) {
        bool isSame = op->getName() == collective->getName() && op->getAttrs() == collective->getAttrs();
        return isSame ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static LogicalResult checkBranches(FlowOpInterface op, const Positions &positions) {
  SmallVector<Operation *> collectives;
  for (Region &body : op->getRegions())
    body.walk([&](Operation *inner) {
      if (exchanges(inner))
        collectives.push_back(inner);
    });
  SmallVector<int64_t> bodies = collectives.empty() ? SmallVector<int64_t>() : bodiesOnDevices(op, positions);
  if (bodies.empty() || llvm::all_equal(bodies))
    return success();
  for (Operation *collective : collectives) {
    Region *body = collective->getParentRegion();
    while (body->getParentOp() != op)
      body = body->getParentRegion();
    int64_t number = body->getRegionNumber();
    ArrayAttr axes = cast<NamedAxesOpInterface>(collective).getAxes();
    for (int64_t device = 0; device < positions.count; ++device)
      for (int64_t other = 0; bodies[device] == number && other < positions.count; ++other)
        if (bodies[other] != number && positions.areOneGroup(device, other, axes) &&
            !hasSuchCollective(op->getRegion(bodies[other]), collective))
          return collective->emitError()
                 << "participants must take part in the same collectives in the same order, got: "
                 << collective->getName().stripDialect() << " over " << axes << " in a branch that " << device
                 << " takes and " << other << " does not; compute it outside of the branch";
  }
  return success();
}

namespace {
struct CheckCollectivesPass : impl::CheckCollectivesPassBase<CheckCollectivesPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto mesh = getOperation()->getAttrOfType<MeshAttr>(kMesh);
    if (!mesh)
      return;
    Positions positions(mesh);
    auto check = [&](FlowOpInterface op) {
      return failed(checkBranches(op, positions)) ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (getOperation().walk(check).wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
