// What the devices of a mesh exchange when they run a program.
#include "Traffic.h"
#include "Steps.h"
#include "dialects/Collective.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Bounds for messages between pairs, from E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, Collective
/// communication: theory, practice, and experience, Concurrency and Computation 19 (2007), section 3.
template <typename Op, int gathered, int reduced, int kept>
struct TrafficModel : TrafficOpInterface::ExternalModel<TrafficModel<Op, gathered, reduced, kept>, Op> {
  double received(Operation *, int64_t devices) const {
    double others = devices - 1;
    return gathered * others + reduced * others / devices + (devices > 1 ? kept : 0);
  }
  double steps(Operation *, int64_t devices) const { return kept ? devices > 1 : llvm::Log2_64_Ceil(devices); }
};

} // namespace

void attachTraffic(MLIRContext *context) {
  AllGatherOp::attachInterface<TrafficModel<AllGatherOp, 1, 0, 0>>(*context);
  AllReduceSumOp::attachInterface<TrafficModel<AllReduceSumOp, 0, 2, 0>>(*context);
  AllReduceMaxOp::attachInterface<TrafficModel<AllReduceMaxOp, 0, 2, 0>>(*context);
  AllReduceMinOp::attachInterface<TrafficModel<AllReduceMinOp, 0, 2, 0>>(*context);
  ReduceScatterOp::attachInterface<TrafficModel<ReduceScatterOp, 0, 1, 0>>(*context);
  AllToAllOp::attachInterface<TrafficModel<AllToAllOp, 0, 1, 0>>(*context);
  PermuteOp::attachInterface<TrafficModel<PermuteOp, 0, 0, 1>>(*context);
}

static void collect(Region &body, MeshAttr mesh, double runs, SmallVectorImpl<Traffic> &found) {
  for (Operation &op : body.front()) {
    if (auto traffic = dyn_cast<TrafficOpInterface>(op)) {
      int64_t devices = 1;
      for (Attribute axis : cast<NamedAxesOpInterface>(op).getAxes())
        devices *= mesh.sizeOf(cast<StringAttr>(axis));
      double bytes = bytesOf(op.getOperand(0));
      found.push_back({&op, devices, runs, bytes, bytes * traffic.received(devices), traffic.steps(devices)});
    }
    for (Region &region : op.getRegions())
      collect(region, mesh, runs * iterationsOf(&op), found);
  }
}

SmallVector<Traffic> trafficOf(ModuleOp module) {
  SmallVector<Traffic> found;
  auto mesh = module->getAttrOfType<MeshAttr>(kMesh);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (mesh && main)
    collect(main.getBody(), mesh, 1, found);
  return found;
}

static double arrayBytes(Value value) { return isa<RankedTensorType>(value.getType()) ? bytesOf(value) : 0; }

static double peakOf(Block &block);

/// For each op of a body, the bytes of the body's values that are alive while it runs, its arguments among them.
static SmallVector<double> aliveIn(Block &block) {
  DenseMap<Operation *, double> freedAfter;
  double alive = 0;
  auto add = [&](Value value) {
    double bytes = arrayBytes(value);
    alive += bytes;
    Operation *last = nullptr;
    for (Operation *user : value.getUsers())
      if (Operation *inBlock = block.findAncestorOpInBlock(*user); !last || last->isBeforeInBlock(inBlock))
        last = inBlock;
    if (last)
      freedAfter[last] += bytes;
    else
      alive -= bytes;
  };
  llvm::for_each(block.getArguments(), add);
  SmallVector<double> found;
  for (Operation &op : block) {
    double inside = 0;
    for (Region &region : op.getRegions())
      inside = std::max(inside, peakOf(region.front()));
    double before = alive + inside;
    llvm::for_each(op.getResults(), add);
    found.push_back(std::max(before, alive));
    alive -= freedAfter.lookup(&op);
  }
  return found;
}

static double peakOf(Block &block) {
  SmallVector<double> alive = aliveIn(block);
  return alive.empty() ? 0 : *llvm::max_element(alive);
}

SmallVector<double> aliveBytesOf(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main ? aliveIn(main.front()) : SmallVector<double>();
}

double peakBytesOf(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return 0;
  // Arguments belong to the caller until the end.
  double freed = 0;
  for (BlockArgument argument : main.getArguments())
    freed += arrayBytes(argument);
  return std::max(peakOf(main.front()), freed);
}

} // namespace dovetail
