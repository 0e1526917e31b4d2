// Shardings that programs state as tiles of numbered devices, in the older form `mhlo.sharding = "{devices=…}"`. The
// axes of their mesh have no names there: they are the coarsest by which all shardings of a program divide dimensions.
#include "Devices.h"
#include "Stablehlo.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include <map>
#include <set>

using namespace mlir;

namespace dovetail {

namespace {

constexpr StringLiteral kTiles = "mhlo.sharding";
constexpr int64_t kMostTiles = 1 << 16;

/// A part of the numbers of devices: `size` of them, `stride` apart.
struct Digit {
  int64_t size, stride;
};

/// The digits of each dimension, from major to minor. Those that are in none are replicated.
struct Tiles {
  SmallVector<SmallVector<Digit>> dims;
  int64_t devices = 0;
};

bool parseNumbers(StringRef &text, StringRef end, SmallVectorImpl<int64_t> &numbers) {
  do {
    int64_t number;
    if (text.consumeInteger(10, number) || number < 0 || number > kMostTiles)
      return false;
    numbers.push_back(number);
  } while (text.consume_front(","));
  return text.consume_front(end);
}

std::optional<int64_t> productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    if (size < 1 || (product *= size) > kMostTiles)
      return std::nullopt;
  return product;
}

/// The digits of `<=[2,4]T(1,0)`: numbers in order, in this shape, transposed.
bool parseTransposed(StringRef &text, SmallVectorImpl<Digit> &digits) {
  SmallVector<int64_t> shape, order;
  if (!parseNumbers(text, "]", shape) || !productOf(shape))
    return false;
  if (text.consume_front("T(")) {
    if (!parseNumbers(text, ")", order))
      return false;
  } else {
    order = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  }
  if (order.size() != shape.size() || !isPermutationVector(order))
    return false;
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  for (int64_t i : order)
    digits.push_back({shape[i], strides[i]});
  return true;
}

/// The digits of a list of all devices, if it is such numbers.
bool digitsOf(SmallVector<int64_t> list, SmallVectorImpl<Digit> &digits) {
  if (list.empty() || list[0] != 0)
    return false;
  while (list.size() > 1) {
    int64_t stride = list[1], size = 1;
    while (size < static_cast<int64_t>(list.size()) && list[size] == size * stride)
      ++size;
    SmallVector<int64_t> firsts;
    if (stride < 1 || list.size() % size)
      return false;
    for (size_t i = 0; i < list.size(); i += size) {
      for (int64_t j = 0; j < size; ++j)
        if (list[i + j] != list[i] + j * stride)
          return false;
      firsts.push_back(list[i]);
    }
    digits.push_back({size, stride});
    list = firsts;
  }
  std::reverse(digits.begin(), digits.end());
  return true;
}

/// Divides digits among tiles, each a number of devices.
bool divide(SmallVector<Digit> digits, ArrayRef<int64_t> tiles, SmallVectorImpl<SmallVector<Digit>> &dims) {
  dims.resize(tiles.size());
  for (size_t i = tiles.size(); i-- > 0;) {
    for (int64_t left = tiles[i]; left > 1;) {
      while (!digits.empty() && digits.back().size == 1)
        digits.pop_back();
      if (digits.empty())
        return false;
      Digit &last = digits.back();
      int64_t taken = std::min(left, last.size);
      if (left % taken || last.size % taken)
        return false;
      dims[i].insert(dims[i].begin(), {taken, last.stride});
      last = {last.size / taken, last.stride * taken};
      left /= taken;
    }
  }
  return true;
}

/// None for forms that say more than tiles, such as which devices are manual.
std::optional<Tiles> parseTiles(StringRef text, int64_t rank) {
  Tiles tiles;
  tiles.dims.resize(rank);
  if (text == "{replicated}")
    return tiles;
  SmallVector<int64_t> shape, list;
  SmallVector<Digit> digits;
  if (!text.consume_front("{devices=[") || !parseNumbers(text, "]", shape))
    return std::nullopt;
  if (text.consume_front("<=[")) {
    if (!parseTransposed(text, digits))
      return std::nullopt;
  } else if (!parseNumbers(text, "", list) || !digitsOf(list, digits)) {
    return std::nullopt;
  }
  bool isReplicated = text.consume_front(" last_tile_dim_replicate");
  std::optional<int64_t> count = productOf(shape);
  int64_t numbers = 1;
  for (Digit digit : digits)
    numbers *= digit.size;
  if (text != "}" || !count || numbers != *count || static_cast<int64_t>(shape.size()) != rank + isReplicated)
    return std::nullopt;
  tiles.devices = *count;
  if (!divide(digits, shape, tiles.dims))
    return std::nullopt;
  tiles.dims.resize(rank);
  return tiles;
}

/// All tiles that a program states, and the axes between whose strides its digits lie.
class Program {
public:
  explicit Program(ModuleOp module) : module(module) {
    forEach([&](Attribute text, Type type, function_ref<void(sdy::SdyShardingAttr)>) { add(text, type); });
  }

  void replace() {
    std::optional<MeshAttr> mesh = meshOf();
    if (!mesh)
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    std::string name = "tiles";
    while (module.lookupSymbol(name))
      name += "_";
    sdy::SdyMeshOp::create(builder, module.getLoc(), name, sdy::SdyMeshAttr::get(module.getContext(), *mesh, {}));
    auto symbol = FlatSymbolRefAttr::get(module.getContext(), name);
    forEach([&](Attribute text, Type type, function_ref<void(sdy::SdyShardingAttr)> set) {
      if (std::optional<Tiles> tiles = stated(text, type))
        set(shardingOf(*tiles, symbol));
    });
  }

private:
  std::optional<Tiles> stated(Attribute text, Type type) {
    auto string = dyn_cast_or_null<StringAttr>(text);
    auto array = dyn_cast<RankedTensorType>(type);
    return string && array ? parseTiles(string.getValue(), array.getRank()) : std::nullopt;
  }

  /// Calls `visit` with what is stated of each argument, result and value, and how to state it otherwise.
  void forEach(function_ref<void(Attribute, Type, function_ref<void(sdy::SdyShardingAttr)>)> visit) {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        visit(function.getArgAttr(i, kTiles), function.getArgumentTypes()[i],
              [&](sdy::SdyShardingAttr sharding) { function.setArgAttr(i, kTheirSharding, sharding); });
      for (unsigned i = 0; i < function.getNumResults(); ++i)
        visit(function.getResultAttr(i, kTiles), function.getResultTypes()[i],
              [&](sdy::SdyShardingAttr sharding) { function.setResultAttr(i, kTheirSharding, sharding); });
    }
    SmallVector<stablehlo::CustomCallOp> calls;
    module.walk([&](stablehlo::CustomCallOp call) {
      if (call.getCallTargetName() == "Sharding" && call->getNumOperands() == 1 && call->getNumResults() == 1)
        calls.push_back(call);
    });
    for (stablehlo::CustomCallOp call : calls)
      visit(call->getAttr(kTiles), call->getResult(0).getType(), [&](sdy::SdyShardingAttr sharding) {
        OpBuilder builder(call);
        Value x = call->getOperand(0);
        if (x.getType() != call->getResult(0).getType())
          return;
        call->getResult(0).replaceAllUsesWith(
            sdy::SdyShardingConstraintOp::create(builder, call->getLoc(), x.getType(), x, sharding));
        call->erase();
      });
  }

  void add(Attribute text, Type type) {
    std::optional<Tiles> tiles = stated(text, type);
    if (!tiles || !tiles->devices)
      return;
    isConsistent &= !devices || devices == tiles->devices;
    devices = tiles->devices;
    for (ArrayRef<Digit> digits : tiles->dims)
      for (Digit digit : digits)
        strides.insert({digit.stride, digit.stride * digit.size});
  }

  /// None if there are no axes of which all shardings are products.
  std::optional<MeshAttr> meshOf() {
    if (devices < 2 || !isConsistent)
      return std::nullopt;
    strides.insert({1, devices});
    SmallVector<StringAttr> names;
    SmallVector<int64_t> sizes;
    for (auto next = std::next(strides.begin()); next != strides.end(); ++next) {
      int64_t before = *std::prev(next);
      if (*next % before)
        return std::nullopt;
      sizes.insert(sizes.begin(), *next / before);
    }
    for (size_t i = 0; i < sizes.size(); ++i)
      names.push_back(StringAttr::get(module.getContext(), "axis_" + std::to_string(i)));
    int64_t axis = names.size();
    for (int64_t stride : strides)
      if (axis > 0)
        axisAt[stride] = names[--axis];
    return MeshAttr::get(module.getContext(), names, sizes);
  }

  sdy::SdyShardingAttr shardingOf(const Tiles &tiles, FlatSymbolRefAttr mesh) {
    MLIRContext *context = module.getContext();
    SmallVector<DimShardingAttr> dims;
    for (ArrayRef<Digit> digits : tiles.dims) {
      SmallVector<AxisRefAttr> axes;
      for (Digit digit : digits)
        for (auto [stride, name] : llvm::reverse(axisAt))
          if (stride >= digit.stride && stride < digit.stride * digit.size)
            axes.push_back(AxisRefAttr::get(context, name, 0, 0));
      dims.push_back(DimShardingAttr::get(context, axes, false, 0));
    }
    return sdy::SdyShardingAttr::get(context, mesh, dims, {}, {});
  }

  ModuleOp module;
  int64_t devices = 0;
  bool isConsistent = true;
  std::set<int64_t> strides;
  std::map<int64_t, StringAttr> axisAt;
};

} // namespace

void nameTiles(ModuleOp module) { Program(module).replace(); }

} // namespace dovetail
