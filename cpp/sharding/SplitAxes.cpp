// Splits axes of a mesh, for dimensions that are divided over less than a whole axis, and joins them again.
#include "SplitAxes.h"
#include "Passes.h"
#include "TypeRules.h"
#include "dialects/Collective.h"
#include "dialects/Custom.h"
#include "dialects/Shape.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include <numeric>
#include <set>

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SPLITAXESPASS
#define GEN_PASS_DEF_JOINAXESPASS
#include "cpp/sharding/Passes.h.inc"

namespace {

/// Between which parts an axis is cut: the product of the sizes before each cut.
using Cuts = std::set<int64_t>;

/// Cuts an axis of `size` that divides a dimension as a whole, where the dimension is split into `dims`: so that its
/// parts divide these one after the other. Nothing if they do not.
void addCuts(int64_t size, ArrayRef<int64_t> dims, Cuts &cuts) {
  Cuts found;
  int64_t left = size;
  for (int64_t dim : dims) {
    if (dim % left == 0) {
      cuts.merge(found);
      return;
    }
    if (left % dim)
      return;
    left /= dim;
    if (dim > 1)
      found.insert(size / left);
  }
}

/// The parts of each axis of a mesh among the axes of a mesh with the same devices.
SmallVector<Axes> partsOfAxes(MeshAttr whole, MeshAttr split) {
  SmallVector<Axes> parts;
  size_t next = 0;
  for (int64_t size : whole.getSizes()) {
    Axes own;
    do {
      size /= split.getSizes()[next];
      own.push_back(AxisRefAttr::get(whole.getContext(), split.getAxes()[next++], 0, 0));
    } while (size > 1 && next < split.getAxes().size());
    parts.push_back(std::move(own));
  }
  return parts;
}

/// Shardings over a mesh, and over one in which some of its axes are in parts.
class Splitting {
public:
  Splitting(MeshAttr whole, MeshAttr split) : whole(whole), split(split), parts(partsOfAxes(whole, split)) {}

  ShardingAttr splitUp(ShardingAttr sharding) const {
    return map(sharding, split, [&](ArrayRef<AxisRefAttr> axes) {
      Axes found;
      for (AxisRefAttr axis : axes)
        append(found, axis);
      return found;
    });
  }
  /// Over the whole axes whose parts are there, up to the first that is not; as the axes of `joined`.
  ShardingAttr wholeOnly(ShardingAttr sharding, bool joined) const {
    return map(sharding, joined ? whole : split, [&](ArrayRef<AxisRefAttr> axes) {
      Axes found;
      while (!axes.empty()) {
        const auto *own = llvm::find_if(parts, [&](const Axes &each) { return startsWith(axes, each); });
        if (own == parts.end())
          break;
        if (joined)
          found.push_back(AxisRefAttr::get(whole.getContext(), whole.getAxes()[own - parts.begin()], 0, 0));
        else
          llvm::append_range(found, *own);
        axes = axes.drop_front(own->size());
      }
      return found;
    });
  }

private:
  /// Appends the parts of an axis, or of a part of it.
  void append(Axes &found, AxisRefAttr axis) const {
    const auto *name = llvm::find(whole.getAxes(), axis.getName());
    if (name == whole.getAxes().end())
      return;
    const Axes &own = parts[name - whole.getAxes().begin()];
    int64_t before = 1, begin = axis.isWhole() ? 1 : axis.getMajor();
    int64_t end = axis.isWhole() ? whole.sizeOf(axis.getName()) : begin * axis.getSize();
    for (AxisRefAttr part : own) {
      if (before >= begin && before < end)
        found.push_back(part);
      before *= split.sizeOf(part.getName());
    }
  }

  static ShardingAttr map(ShardingAttr sharding, MeshAttr mesh, function_ref<Axes(ArrayRef<AxisRefAttr>)> axesOf) {
    MLIRContext *context = sharding.getContext();
    auto dims = llvm::map_to_vector(sharding.getDims(), [&](DimShardingAttr dim) {
      return DimShardingAttr::get(context, axesOf(dim.getAxes()), dim.getOpen(), dim.getPriority());
    });
    return ShardingAttr::get(context, mesh, dims, axesOf(sharding.getReplicated()), axesOf(sharding.getUnreduced()));
  }

  MeshAttr whole, split;
  SmallVector<Axes> parts;
};

/// Where the axes of a mesh are to be cut, given by the ops of a module and the shardings that it states.
class CutsOfModule {
public:
  CutsOfModule(ModuleOp module, MeshAttr mesh) : mesh(mesh), cuts(mesh.getAxes().size()) {
    if (module.walk([&](Operation *op) { return add(op) ? WalkResult::advance() : WalkResult::interrupt(); })
            .wasInterrupted())
      llvm::for_each(cuts, [](Cuts &own) { own.clear(); });
    for (auto [axis, own] : llvm::zip_equal(mesh.getAxes(), cuts))
      if (named.contains(axis) || !isUsed.contains(axis))
        own.clear();
  }

  /// The mesh with the parts as axes.
  MeshAttr split() const {
    SmallVector<StringAttr> axes;
    SmallVector<int64_t> sizes;
    for (auto [axis, size, own] : llvm::zip_equal(mesh.getAxes(), mesh.getSizes(), cuts)) {
      int64_t before = 1;
      SmallVector<int64_t> parts;
      for (int64_t cut : own)
        if (cut > before && cut < size && cut % before == 0 && size % cut == 0) {
          parts.push_back(cut / before);
          before = cut;
        }
      parts.push_back(size / before);
      for (auto [number, part] : llvm::enumerate(parts)) {
        axes.push_back(parts.size() == 1 ? axis : unused((axis.getValue() + ":" + Twine(number)).str()));
        sizes.push_back(part);
      }
    }
    return MeshAttr::get(mesh.getContext(), axes, sizes);
  }

private:
  /// A name that no axis has.
  StringAttr unused(std::string name) const {
    while (llvm::any_of(mesh.getAxes(), [&](StringAttr axis) { return axis.getValue() == name; }))
      name += "'";
    return StringAttr::get(mesh.getContext(), name);
  }

  /// False if no axis may be cut.
  bool add(Operation *op) {
    // What names axes of the mesh in code of its own.
    if (isa<PartitionOpInterface>(op))
      return false;
    if (auto global = dyn_cast<GlobalOpInterface>(op)) {
      if (global.partsFunction())
        return false;
      name(global.closedAxes());
    }
    if (auto collective = dyn_cast<NamedAxesOpInterface>(op))
      name(collective.getAxes());
    op->getAttrDictionary().walk([&](ShardingAttr sharding) { add(sharding); });
    if (isa<RegroupingOpInterface>(op)) {
      auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
      auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (from && to && from.hasStaticShape() && to.hasStaticShape())
        add(from.getShape(), to.getShape());
    }
    return true;
  }

  void name(ArrayAttr axes) {
    if (axes)
      for (auto axis : axes.getAsRange<StringAttr>())
        named.insert(axis);
  }

  void add(ShardingAttr sharding) {
    if (sharding.getMesh() != mesh)
      return;
    for (DimShardingAttr dim : sharding.getDims())
      for (AxisRefAttr axis : dim.getAxes()) {
        isUsed.insert(axis.getName());
        const auto *found = llvm::find(mesh.getAxes(), axis.getName());
        if (!axis.isWhole() && found != mesh.getAxes().end())
          cuts[found - mesh.getAxes().begin()].insert({axis.getMajor(), axis.getMajor() * axis.getSize()});
      }
  }

  void add(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
    for (const DimGroup &group : dimGroups(from, to))
      for (auto [size, own] : llvm::zip_equal(mesh.getSizes(), cuts)) {
        addCuts(size, from.slice(group.from, group.fromEnd - group.from), own);
        addCuts(size, to.slice(group.to, group.toEnd - group.to), own);
      }
  }

  MeshAttr mesh;
  /// Of each axis.
  SmallVector<Cuts> cuts;
  /// Axes that ops name, and those that shardings do.
  DenseSet<StringAttr> named, isUsed;
};

struct SplitAxesPass : impl::SplitAxesPassBase<SplitAxesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto mesh = module->getAttrOfType<MeshAttr>(kPartition);
    MeshAttr split = mesh ? CutsOfModule(module, mesh).split() : mesh;
    if (split == mesh)
      return markAllAnalysesPreserved();
    Splitting splitting(mesh, split);
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ShardingAttr sharding) -> std::optional<std::pair<Attribute, WalkResult>> {
      bool isOver = sharding.getMesh() == mesh;
      return std::pair<Attribute, WalkResult>(isOver ? splitting.splitUp(sharding) : sharding, WalkResult::skip());
    });
    replacer.addReplacement([&](MeshAttr each) -> Attribute { return each == mesh ? split : each; });
    replacer.recursivelyReplaceElementsIn(module);
    module->setAttr(kWholeMesh, mesh);
  }
};

struct JoinAxesPass : impl::JoinAxesPassBase<JoinAxesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto whole = module->getAttrOfType<MeshAttr>(kWholeMesh);
    if (!whole)
      return markAllAnalysesPreserved();
    module->removeAttr(kWholeMesh);
    auto split = module->getAttrOfType<MeshAttr>(kMesh);
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!split || !main)
      return;
    Splitting splitting(whole, split);
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (auto sharding = main.getArgAttrOfType<ShardingAttr>(i, kSharding))
        main.setArgAttr(i, kSharding, splitting.wholeOnly(sharding, /*joined=*/true));
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (auto sharding = main.getResultAttrOfType<ShardingAttr>(i, kSharding))
        main.setResultAttr(i, kSharding, splitting.wholeOnly(sharding, /*joined=*/true));
  }
};

} // namespace

void keepWholeAxes(func::FuncOp main, MeshAttr whole) {
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto sharding = main.getArgAttrOfType<ShardingAttr>(i, kSharding))
      main.setArgAttr(i, kSharding, Splitting(whole, sharding.getMesh()).wholeOnly(sharding, /*joined=*/false));
  for (OpOperand &returned : main.front().getTerminator()->getOpOperands()) {
    unsigned number = returned.getOperandNumber();
    auto sharding = main.getResultAttrOfType<ShardingAttr>(number, kSharding);
    if (auto result = dyn_cast<OpResult>(returned.get()); result && !sharding)
      if (auto found = result.getOwner()->getAttrOfType<ArrayAttr>(kShardings))
        sharding = dyn_cast<ShardingAttr>(found[result.getResultNumber()]);
    if (!sharding)
      continue;
    ShardingAttr kept = Splitting(whole, sharding.getMesh()).wholeOnly(sharding, /*joined=*/false);
    if (kept != sharding)
      main.setResultAttr(number, kSharding, kept);
  }
}

} // namespace dovetail
