// Counterparts of shardings, and of functions of parts.
#include "cpp/sharding/Shardings.h"
#include "Devices.h"
#include "Exporter.h"
#include "Families.h"
#include "dialects/Collective.h"
#include "dialects/ShardMap.h"

using namespace mlir;

namespace dovetail {

constexpr StringLiteral kNumReplicas = "mhlo.num_replicas";
constexpr StringLiteral kNumPartitions = "mhlo.num_partitions";
/// Groups are compared device by device.
constexpr int64_t kMostDevices = 1 << 16;

//===- Devices -------------------------------------------------------------------------===//

static FailureOr<sdy::SdyMeshAttr> meshOf(Operation *op, Attribute stated) {
  if (auto mesh = dyn_cast<sdy::SdyMeshAttr>(stated))
    return mesh;
  auto name = cast<FlatSymbolRefAttr>(stated);
  auto mesh = SymbolTable::lookupNearestSymbolFrom<sdy::SdyMeshOp>(op, name);
  if (!mesh)
    return op->emitError() << "a sharding must be over a mesh of the module, got: " << name;
  return mesh.getMesh();
}

static FailureOr<SmallVector<int64_t>> positionsOf(Operation *op, sdy::SdyMeshAttr mesh) {
  SmallVector<int64_t> positions;
  ArrayRef<int64_t> ids = mesh.getDeviceIds();
  if (ids.empty())
    return positions;
  positions.assign(ids.size(), -1);
  for (auto [position, id] : llvm::enumerate(ids)) {
    if (id < 0 || id >= static_cast<int64_t>(ids.size()) || positions[id] >= 0)
      return op->emitError() << "the devices of a mesh must be numbered from 0, got: " << mesh;
    positions[id] = position;
  }
  return positions;
}

/// The devices of a program that each of them runs: its replicas and partitions.
static FailureOr<Devices> devicesOfModule(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  MLIRContext *context = op->getContext();
  Devices devices;
  if (auto mesh = module->getAttrOfType<MeshAttr>(kMesh)) {
    devices.mesh = mesh;
    llvm::append_range(devices.axes, mesh.getAxes());
    return devices;
  }
  SmallVector<int64_t> sizes;
  for (auto [key, name] : {std::pair(kNumReplicas, "replica"), std::pair(kNumPartitions, "partition")}) {
    auto count = module->getAttrOfType<IntegerAttr>(key);
    int64_t size = count ? count.getValue().getSExtValue() : 1;
    if (size > 1) {
      sizes.push_back(size);
      devices.axes.push_back(StringAttr::get(context, name));
    }
  }
  auto emit = [&] { return op->emitError(); };
  devices.mesh = MeshAttr::getChecked(emit, context, ArrayRef(devices.axes), ArrayRef(sizes));
  if (!devices.mesh)
    return failure();
  return devices;
}

FailureOr<Devices> devicesOf(Operation *op) {
  Devices devices;
  for (auto parent = op->getParentOfType<sdy::SdyManualComputationOp>(); parent;
       parent = parent->getParentOfType<sdy::SdyManualComputationOp>()) {
    llvm::append_range(devices.axes, parent.getManualAxes().getAxes());
    SmallVector<sdy::SdyShardingAttr> shardings(parent.getInShardings().getShardings());
    llvm::append_range(shardings, parent.getOutShardings().getShardings());
    if (devices.mesh || shardings.empty())
      continue;
    FailureOr<sdy::SdyMeshAttr> mesh = meshOf(op, shardings[0].getMesh());
    if (failed(mesh))
      return failure();
    FailureOr<SmallVector<int64_t>> positions = positionsOf(op, *mesh);
    if (failed(positions))
      return failure();
    devices.mesh = mesh->getMesh(), devices.positions = *positions;
  }
  FailureOr<Devices> found = devices.mesh ? devices : devicesOfModule(op);
  if (succeeded(found) && found->mesh.getNumDevices() > kMostDevices)
    return op->emitError() << "collectives must be among at most " << kMostDevices
                           << " devices, got: " << found->mesh.getNumDevices();
  return found;
}

/// All combinations of indices along axes, in row-major order, as offsets of the numbers of devices.
static SmallVector<int64_t> offsetsAlong(MeshAttr mesh, ArrayRef<StringAttr> axes) {
  SmallVector<int64_t> offsets{0};
  for (StringAttr axis : axes) {
    int64_t stride = 1;
    for (auto [name, size] : llvm::reverse(llvm::to_vector(llvm::zip_equal(mesh.getAxes(), mesh.getSizes())))) {
      if (name == axis)
        break;
      stride *= size;
    }
    SmallVector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < mesh.sizeOf(axis); ++i)
        next.push_back(offset + i * stride);
    offsets = std::move(next);
  }
  return offsets;
}

SmallVector<SmallVector<int64_t>> groupsOver(MeshAttr mesh, ArrayRef<StringAttr> axes) {
  auto others = llvm::to_vector(
      llvm::make_filter_range(mesh.getAxes(), [&](StringAttr axis) { return !llvm::is_contained(axes, axis); }));
  SmallVector<SmallVector<int64_t>> groups;
  SmallVector<int64_t> members = offsetsAlong(mesh, axes);
  for (int64_t first : offsetsAlong(mesh, others))
    groups.push_back(llvm::map_to_vector(members, [&](int64_t offset) { return first + offset; }));
  return groups;
}

//===- Shardings -----------------------------------------------------------------------===//

FailureOr<ShardingAttr> shardingFrom(Operation *op, sdy::SdyShardingAttr stated, Type type) {
  FailureOr<sdy::SdyMeshAttr> mesh = meshOf(op, stated.getMesh());
  if (failed(mesh))
    return failure();
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array || array.getRank() != static_cast<int64_t>(stated.getDims().size()))
    return op->emitError() << "a sharding must have one entry for each dimension of " << type << ", got: " << stated;
  if (mesh->getMesh().getAxes().empty())
    return ShardingAttr();
  auto emit = [&] { return op->emitError(); };
  auto sharding = ShardingAttr::getChecked(emit, op->getContext(), mesh->getMesh(), stated.getDims(),
                                           stated.getReplicated(), stated.getUnreduced());
  if (!sharding)
    return failure();
  return sharding;
}

/// The name of a mesh in a module, which gets an op for it.
static FlatSymbolRefAttr nameOf(ModuleOp module, MeshAttr mesh) {
  auto attribute = sdy::SdyMeshAttr::get(module.getContext(), mesh, {});
  unsigned count = 0;
  for (auto op : module.getOps<sdy::SdyMeshOp>()) {
    if (op.getMesh() == attribute)
      return FlatSymbolRefAttr::get(op.getSymNameAttr());
    ++count;
  }
  std::string name;
  do
    name = count ? "mesh_" + std::to_string(count) : "mesh";
  while (module.lookupSymbol(name) && ++count);
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  sdy::SdyMeshOp::create(builder, module.getLoc(), name, attribute);
  return FlatSymbolRefAttr::get(module.getContext(), name);
}

sdy::SdyShardingAttr shardingTo(ModuleOp module, ShardingAttr sharding) {
  return sdy::SdyShardingAttr::get(module.getContext(), nameOf(module, sharding.getMesh()), sharding.getDims(),
                                   sharding.getReplicated(), sharding.getUnreduced());
}

LogicalResult importShardings(ModuleOp module, func::FuncOp function) {
  // The first mesh of several devices is that of the program.
  for (auto op : module.getOps<sdy::SdyMeshOp>())
    if (MeshAttr mesh = op.getMesh().getMesh(); mesh.getNumDevices() > 1 && !module->hasAttr(kPartition))
      module->setAttr(kPartition, mesh);
  auto import = [&](Attribute attribute, Type type, function_ref<void(ShardingAttr)> set) -> LogicalResult {
    auto stated = dyn_cast_or_null<sdy::SdyShardingAttr>(attribute);
    if (!stated)
      return success();
    FailureOr<ShardingAttr> sharding = shardingFrom(function, stated, type);
    if (failed(sharding))
      return failure();
    if (!*sharding)
      return success();
    set(*sharding);
    return success();
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (failed(import(function.getArgAttr(i, kTheirSharding), function.getArgument(i).getType(),
                      [&](ShardingAttr sharding) { function.setArgAttr(i, kSharding, sharding); })))
      return failure();
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (failed(import(function.getResultAttr(i, kTheirSharding), function.getResultTypes()[i],
                      [&](ShardingAttr sharding) { function.setResultAttr(i, kSharding, sharding); })))
      return failure();
  return success();
}

void exportShardings(ModuleOp module, func::FuncOp function) {
  auto mesh = module->getAttrOfType<MeshAttr>(kPartition);
  bool isPartitioned = module->hasAttr(kMesh);
  if (isPartitioned)
    mesh = module->getAttrOfType<MeshAttr>(kMesh);
  // The program of a device has parts as arguments, of which nothing more is said.
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto sharding = function.getArgAttrOfType<ShardingAttr>(i, kSharding)) {
      function.removeArgAttr(i, StringAttr::get(module.getContext(), kSharding));
      if (!isPartitioned)
        function.setArgAttr(i, kTheirSharding, shardingTo(module, sharding));
    }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto sharding = function.getResultAttrOfType<ShardingAttr>(i, kSharding)) {
      function.removeResultAttr(i, StringAttr::get(module.getContext(), kSharding));
      if (!isPartitioned)
        function.setResultAttr(i, kTheirSharding, shardingTo(module, sharding));
    }
  if (!mesh)
    return;
  Builder builder(module.getContext());
  module->setAttr(kNumReplicas, builder.getI32IntegerAttr(1));
  module->setAttr(kNumPartitions, builder.getI32IntegerAttr(mesh.getNumDevices()));
}

//===- Ops -----------------------------------------------------------------------------===//

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

/// Theirs are replicated over axes over which open dimensions must not be divided further; these are closed here. Null
/// if there are none.
std::pair<ShardingAttr, ArrayAttr> closedApart(ShardingAttr sharding) {
  SmallVector<AxisRefAttr> replicated;
  SmallVector<Attribute> closed;
  for (AxisRefAttr axis : sharding.getReplicated())
    if (axis.isWhole())
      closed.push_back(axis.getName());
    else
      replicated.push_back(axis);
  if (closed.empty())
    return {sharding, ArrayAttr()};
  MLIRContext *context = sharding.getContext();
  return {ShardingAttr::get(context, sharding.getMesh(), sharding.getDims(), replicated, sharding.getUnreduced()),
          ArrayAttr::get(context, closed)};
}

/// The same as one sharding: closed axes that it does not name are among those over which it is replicated.
ShardingAttr closedTogether(ShardingAttr sharding, ArrayAttr closed) {
  if (!closed)
    return sharding;
  DenseSet<StringAttr> named;
  for (DimShardingAttr dim : sharding.getDims())
    for (AxisRefAttr axis : dim.getAxes())
      named.insert(axis.getName());
  for (ArrayRef<AxisRefAttr> axes : {sharding.getReplicated(), sharding.getUnreduced()})
    for (AxisRefAttr axis : axes)
      named.insert(axis.getName());
  SmallVector<AxisRefAttr> replicated(sharding.getReplicated());
  // In the order of the mesh, as everywhere.
  for (StringAttr axis : sharding.getMesh().getAxes())
    if (llvm::is_contained(closed, axis) && !named.contains(axis))
      replicated.push_back(AxisRefAttr::get(sharding.getContext(), axis, 0, 0));
  return ShardingAttr::get(sharding.getContext(), sharding.getMesh(), sharding.getDims(), replicated,
                           sharding.getUnreduced());
}

template <typename Theirs>
struct ImportConstraint : Import<ImportConstraint<Theirs>, Theirs> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    Value x = op->getOperand(0);
    FailureOr<ShardingAttr> sharding = shardingFrom(op, cast<Theirs>(op).getSharding(), x.getType());
    if (failed(sharding))
      return failure();
    // Scalars are not divided; bodies of reductions have them.
    if (!*sharding || !Algebra::typeOf(x).getRank()) {
      results.push_back(x);
      return success();
    }
    auto [stated, closed] = closedApart(*sharding);
    results.push_back(e.make<ReshardOp>(x, stated, closed, StringAttr()));
    return success();
  }
};

/// The mesh that all shardings are over, and these; null if there is none.
FailureOr<std::pair<MeshAttr, ArrayAttr>> shardingsFrom(Operation *op, sdy::SdyShardingsAttr stated, TypeRange types,
                                                        MeshAttr mesh) {
  if (stated.getShardings().size() != types.size())
    return op->emitError() << "manual_computation: there must be one sharding for each of " << types.size()
                           << " values, got: " << stated;
  SmallVector<Attribute> found;
  for (auto [each, type] : llvm::zip_equal(stated.getShardings(), types)) {
    FailureOr<ShardingAttr> sharding = shardingFrom(op, each, type);
    if (failed(sharding))
      return failure();
    if (!*sharding || (mesh && sharding->getMesh() != mesh))
      return op->emitError() << "manual_computation: shardings must be over one mesh, got: " << each;
    mesh = sharding->getMesh();
    found.push_back(*sharding);
  }
  return std::pair(mesh, ArrayAttr::get(op->getContext(), found));
}

struct ImportManual : Import<ImportManual, sdy::SdyManualComputationOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto manual = cast<sdy::SdyManualComputationOp>(op);
    if (failed(e.translate(manual.getBody())))
      return failure();
    auto in = shardingsFrom(op, manual.getInShardings(), op->getOperandTypes(), MeshAttr());
    if (failed(in))
      return failure();
    auto out = shardingsFrom(op, manual.getOutShardings(), op->getResultTypes(), in->first);
    if (failed(out))
      return failure();
    auto axes = llvm::map_to_vector(manual.getManualAxes().getAxes(), [](StringAttr axis) { return Attribute(axis); });
    if (!out->first || axes.empty()) {
      // Nothing is divided.
      if (TypeRange(manual.getBody().getArgumentTypes()) != op->getOperandTypes())
        return op->emitError() << "manual_computation: parts must be those of manual axes, got: none";
      llvm::append_range(results, inlineBody(e.builder, manual.getBody(), op->getOperands()));
      return success();
    }
    Body body(op->getLoc(), manual.getBody().getArgumentTypes());
    OpBuilder inside = body.builder();
    body.results = inlineBody(inside, manual.getBody(), body.arguments());
    func::FuncOp function = e.functionsOf().add(op->getLoc(), "parts", std::move(body));
    auto made = ShardMapOp::create(e.builder, e.loc, op->getResultTypes(), FlatSymbolRefAttr::get(function), out->first,
                                   e.builder.getArrayAttr(axes), in->second, out->second, /*checked=*/UnitAttr(),
                                   op->getOperands());
    llvm::append_range(results, made->getResults());
    return success();
  }
};

struct ExportReshard : Export<ExportReshard, ReshardOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto reshard = cast<ReshardOp>(op);
    auto sharding =
        shardingTo(op->getParentOfType<ModuleOp>(), closedTogether(reshard.getSharding(), reshard.getClosedAttr()));
    Value x = op->getOperand(0);
    results.push_back(e.theirs<sdy::SdyShardingConstraintOp>(x.getType(), x, sharding));
    return success();
  }
};

struct ExportShardMap : Export<ExportShardMap, ShardMapOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto map = cast<ShardMapOp>(op);
    auto module = op->getParentOfType<ModuleOp>();
    auto shardings = [&](ArrayAttr ours) {
      auto theirs = llvm::map_to_vector(ours.getAsRange<ShardingAttr>(),
                                        [&](ShardingAttr each) { return shardingTo(module, each); });
      return sdy::SdyShardingsAttr::get(op->getContext(), theirs);
    };
    auto axes = sdy::SdyAxesAttr::get(op->getContext(), llvm::to_vector(map.getAxes().getAsRange<StringAttr>()));
    auto made = sdy::SdyManualComputationOp::create(e.builder, e.loc, op->getResultTypes(), map.getArgs(),
                                                    shardings(map.getIn()), shardings(map.getOut()), axes);
    func::FuncOp function = e.functionsOf().lookup(map.getCalleeAttr());
    Block &block = made.getBody().emplaceBlock();
    for (Type type : function.getArgumentTypes())
      block.addArgument(type, e.loc);
    OpBuilder inside = OpBuilder::atBlockEnd(&block);
    Algebra::Values outs = inlineBody(inside, function.getBody(), block.getArguments());
    sdy::SdyReturnOp::create(inside, e.loc, outs);
    llvm::append_range(results, made->getResults());
    return success();
  }
};

} // namespace

void attachShardingCounterparts(MLIRContext *c) {
  sdy::SdyShardingConstraintOp::attachInterface<ImportConstraint<sdy::SdyShardingConstraintOp>>(*c);
  sdy::SdyReshardOp::attachInterface<ImportConstraint<sdy::SdyReshardOp>>(*c);
  sdy::SdyManualComputationOp::attachInterface<ImportManual>(*c);
  ReshardOp::attachInterface<ExportReshard>(*c);
  ShardMapOp::attachInterface<ExportShardMap>(*c);
}

} // namespace dovetail
