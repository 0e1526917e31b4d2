// The cheapest moves of an array's parts from one sharding to another.
#include "Moves.h"
#include "cpp/cost/Cost.h"
#include <map>
#include <queue>
#include <set>

using namespace mlir;

namespace dovetail {

static bool isUnused(AxisRefAttr axis, ArrayRef<Axes> dims) {
  return llvm::none_of(dims, [&](const Axes &used) { return llvm::is_contained(used, axis); });
}

static int64_t sizeWith(RankedTensorType type, MeshAttr mesh, int64_t dim, ArrayRef<AxisRefAttr> axes) {
  int64_t size = type.getDimSize(dim);
  return axes.empty() ? size : int64_t(llvm::divideCeil(size, mesh.sizeOf(axes)));
}

/// What a device receives that has `held` bytes, in a move over `count` devices.
static double received(MoveKind kind, double held, double count) {
  switch (kind) {
  case MoveKind::Slice:
    return 0;
  case MoveKind::Gather:
    return held * (count - 1);
  case MoveKind::Exchange:
    return held * (count - 1) / count;
  case MoveKind::Permute:
    return held;
  }
  llvm_unreachable("unknown kind of move");
}

/// The same as of a sharding, without making one.
static double bytesHeld(RankedTensorType type, MeshAttr mesh, ArrayRef<Axes> dims) {
  double bytes = bytesOf(type.getElementType());
  for (auto [d, axes] : llvm::enumerate(dims))
    bytes *= assumedSize(type.isDynamicDim(d) ? type.getDimSize(d) : sizeWith(type, mesh, d, axes));
  return bytes;
}

double bytesOf(RankedTensorType type, MeshAttr mesh, const Move &move) {
  double held = bytesHeld(type, mesh, move.before);
  int64_t count = mesh.sizeOf(move.axes);
  if (move.kind == MoveKind::Exchange && !type.isDynamicDim(move.to)) {
    // Padded, so that all devices get as much.
    int64_t size = sizeWith(type, mesh, move.to, move.before[move.to]);
    held *= double(llvm::divideCeil(size, count) * count) / size;
  }
  return received(move.kind, held, count);
}

//===- Without a search ------------------------------------------------------===//

/// First what makes arrays smaller, then exchanges, then what makes them larger.
static SmallVector<Move> directMoves(RankedTensorType type, ShardingAttr from, ShardingAttr to) {
  SmallVector<Move> moves;
  MeshAttr mesh = from.getMesh();
  AxesOfEach dims = axesOf(from), wanted = axesOf(to);
  int64_t rank = dims.size();
  auto isEvenly = [&](int64_t d, ArrayRef<AxisRefAttr> axes) { return isEven(mesh, type.getDimSize(d), axes); };
  // Unequal parts are not made of parts over fewer axes.
  auto kept = [&](int64_t d) {
    bool canKeep = dims[d] == wanted[d] || (isEvenly(d, dims[d]) && isEvenly(d, wanted[d]));
    return canKeep ? commonPrefix(dims[d], wanted[d]) : ArrayRef<AxisRefAttr>();
  };
  auto surplus = [&](int64_t d) { return ArrayRef(dims[d]).drop_front(kept(d).size()); };
  auto slice = [&](int64_t d) {
    Axes rest(ArrayRef(wanted[d]).drop_front(kept(d).size()));
    if (!surplus(d).empty() || rest.empty() ||
        !llvm::all_of(rest, [&](AxisRefAttr axis) { return isUnused(axis, dims); }))
      return;
    moves.push_back({MoveKind::Slice, dims, d, rest, sizeWith(type, mesh, d, wanted[d])});
    dims[d] = wanted[d];
  };
  for (int64_t d = 0; d < rank; ++d)
    slice(d);
  for (int64_t d = 0; d < rank; ++d)
    for (int64_t other = 0; other < rank; ++other) {
      Axes moved(surplus(d));
      if (d == other || moved.empty() || !surplus(other).empty())
        continue;
      ArrayRef<AxisRefAttr> missing = ArrayRef(wanted[other]).drop_front(dims[other].size());
      if (!startsWith(missing, moved) || (missing.size() > moved.size() && !isEvenly(other, wanted[other])))
        continue;
      ArrayRef<AxisRefAttr> rest = ArrayRef(dims[d]).drop_back(moved.size());
      moves.push_back({MoveKind::Exchange, dims, d, moved, sizeWith(type, mesh, d, rest), other});
      dims[d].pop_back_n(moved.size());
      llvm::append_range(dims[other], moved);
    }
  for (int64_t d = 0; d < rank; ++d)
    if (Axes gathered(surplus(d)); !gathered.empty()) {
      ArrayRef<AxisRefAttr> rest = ArrayRef(dims[d]).drop_back(gathered.size());
      moves.push_back({MoveKind::Gather, dims, d, gathered, sizeWith(type, mesh, d, rest)});
      dims[d].pop_back_n(gathered.size());
    }
  for (int64_t d = 0; d < rank; ++d)
    slice(d);
  return moves;
}

/// Whether no other moves are cheaper: a device receives nothing, or what it lacks once.
static bool areCheapest(ArrayRef<Move> moves) {
  auto *found = llvm::find_if(moves, [](const Move &move) { return move.kind != MoveKind::Slice; });
  return found == moves.end() || std::next(found) == moves.end();
}

//===- Search ----------------------------------------------------------------===//

/// Whether parts over `all` axes are made of those over their `rest`, or the reverse: in parts of unequal sizes, each
/// is as long as the first.
static bool isNested(MeshAttr mesh, int64_t size, ArrayRef<AxisRefAttr> rest, ArrayRef<AxisRefAttr> all) {
  int64_t few = mesh.sizeOf(rest), many = mesh.sizeOf(all);
  return few == 1 || int64_t(llvm::divideCeil(size, few)) == many / few * int64_t(llvm::divideCeil(size, many));
}

namespace {

/// Dijkstra's algorithm on the ways to divide an array over the axes that two shardings have.
class Search {
public:
  /// Moves of more than `mostBytes` are of no use.
  Search(RankedTensorType type, MeshAttr mesh, const AxesOfEach &from, const AxesOfEach &to, double mostBytes)
      : type(type), mesh(mesh), goal(to), mostBytes(mostBytes) {
    for (const AxesOfEach &dims : {from, to})
      for (const Axes &axes : dims)
        for (AxisRefAttr axis : axes)
          if (!llvm::is_contained(axesToUse, axis))
            axesToUse.push_back(axis);
    mostHeld = std::max(heldIn(from), heldIn(to));
    numbers[keyOf(from)] = 0;
    states.push_back({from});
    pending.push({{0, 0}, 0});
  }

  /// None if there are too many ways.
  std::optional<SmallVector<Move>> run();

private:
  static constexpr int64_t kMostVisited = 5000;
  /// A permutation lists its routes: programs do not grow with the number of devices.
  static constexpr int64_t kMostRoutes = 256;
  /// Bytes, then moves.
  using Cost = std::pair<double, int64_t>;
  struct State {
    AxesOfEach dims;
    Cost cost = {0, 0};
    size_t previous = 0;
    std::optional<Move> move = std::nullopt;
    bool isDone = false;
  };

  /// The bytes that a device has.
  double heldIn(ArrayRef<Axes> dims) const { return bytesHeld(type, mesh, dims); }
  SmallVector<int64_t> keyOf(ArrayRef<Axes> dims) const {
    SmallVector<int64_t> key;
    for (const Axes &axes : dims) {
      for (AxisRefAttr axis : axes)
        key.push_back(llvm::find(axesToUse, axis) - axesToUse.begin());
      key.push_back(-1);
    }
    return key;
  }

  void reach(size_t from, Move move, const AxesOfEach &dims);
  void visit(size_t state);
  /// Reaches the ways to divide a dimension over more axes than in a state.
  void slice(size_t state, int64_t dim, AxesOfEach &after);
  /// Reaches the ways to divide the dimensions from `dim` on into as many parts as in a state.
  void permute(size_t state, AxesOfEach &dims, int64_t dim);

  RankedTensorType type;
  MeshAttr mesh;
  AxesOfEach goal;
  Axes axesToUse;
  double mostBytes, mostHeld = 0;
  std::vector<State> states;
  std::map<SmallVector<int64_t>, size_t> numbers;
  /// What was reached, the cheapest first; some at a cost that was found to be too high since.
  using Reached = std::pair<Cost, size_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> pending;
  /// The numbers of parts of each dimension from which permutations have been tried: later ones would cost more.
  std::set<SmallVector<int64_t>> permuted;
};

} // namespace

void Search::reach(size_t from, Move move, const AxesOfEach &dims) {
  double held = heldIn(dims);
  // Parts that are larger than at both ends take memory, and usually time.
  if (held > mostHeld)
    return;
  Cost cost = states[from].cost;
  cost.first += bytesOf(type, mesh, move);
  ++cost.second;
  // A device must still receive what it lacks.
  if (cost.first + std::max(0.0, heldIn(goal) - held) > mostBytes)
    return;
  auto [entry, isNew] = numbers.try_emplace(keyOf(dims), states.size());
  if (isNew)
    states.push_back({dims});
  State &found = states[entry->second];
  if (!isNew && (found.isDone || !found.move || found.cost <= cost))
    return;
  found.cost = cost;
  found.previous = from;
  found.move = std::move(move);
  pending.push({cost, entry->second});
}

void Search::permute(size_t state, AxesOfEach &dims, int64_t dim) {
  AxesOfEach before = states[state].dims;
  if (dim == static_cast<int64_t>(before.size()))
    return reach(state, {MoveKind::Permute, before, -1, {}, 0, -1, dims}, dims);
  int64_t wanted = mesh.sizeOf(before[dim]), count = mesh.sizeOf(dims[dim]);
  if (count == wanted)
    return permute(state, dims, dim + 1);
  for (AxisRefAttr axis : axesToUse)
    if (int64_t size = mesh.sizeOf(axis); size > 1 && wanted % (count * size) == 0 && isUnused(axis, dims)) {
      dims[dim].push_back(axis);
      permute(state, dims, dim);
      dims[dim].pop_back();
    }
}

void Search::slice(size_t state, int64_t dim, AxesOfEach &after) {
  AxesOfEach dims = states[state].dims;
  for (AxisRefAttr axis : axesToUse) {
    if (!isUnused(axis, after))
      continue;
    after[dim].push_back(axis);
    int64_t size = type.getDimSize(dim);
    bool canReach = isNested(mesh, size, dims[dim], after[dim]);
    if (canReach) {
      Axes added(ArrayRef(after[dim]).drop_front(dims[dim].size()));
      reach(state, {MoveKind::Slice, dims, dim, added, sizeWith(type, mesh, dim, after[dim])}, after);
    }
    // Otherwise one axis after the other does as well.
    if (!canReach || !isEven(mesh, size, axesToUse))
      slice(state, dim, after);
    after[dim].pop_back();
  }
}

void Search::visit(size_t state) {
  AxesOfEach dims = states[state].dims;
  for (auto [d, axes] : llvm::enumerate(dims)) {
    AxesOfEach more = dims;
    slice(state, d, more);
    for (size_t count = 1; count <= axes.size(); ++count) {
      Axes moved(ArrayRef(axes).take_back(count));
      AxesOfEach without = dims;
      without[d].pop_back_n(count);
      if (!isNested(mesh, type.getDimSize(d), without[d], axes))
        continue;
      int64_t size = sizeWith(type, mesh, d, without[d]);
      reach(state, {MoveKind::Gather, dims, int64_t(d), moved, size}, without);
      for (size_t other = 0; other < dims.size(); ++other) {
        if (other == d)
          continue;
        AxesOfEach after = without;
        llvm::append_range(after[other], moved);
        if (isNested(mesh, type.getDimSize(other), dims[other], after[other]))
          reach(state, {MoveKind::Exchange, dims, int64_t(d), moved, size, int64_t(other)}, after);
      }
    }
  }
  SmallVector<int64_t> counts = llvm::map_to_vector(dims, [&](const Axes &axes) { return mesh.sizeOf(axes); });
  if (mesh.sizeOf(axesToUse) > kMostRoutes || !permuted.insert(counts).second)
    return;
  AxesOfEach after(dims.size());
  permute(state, after, 0);
}

/// Slices of a dimension after each other are one.
static SmallVector<Move> joined(ArrayRef<Move> moves) {
  SmallVector<Move> result;
  for (const Move &move : moves)
    if (!result.empty() && move.kind == MoveKind::Slice && result.back().kind == MoveKind::Slice &&
        result.back().dim == move.dim) {
      llvm::append_range(result.back().axes, move.axes);
      result.back().size = move.size;
    } else {
      result.push_back(move);
    }
  return result;
}

std::optional<SmallVector<Move>> Search::run() {
  for (int64_t visited = 0; visited < kMostVisited && !pending.empty();) {
    auto [cost, next] = pending.top();
    pending.pop();
    if (states[next].isDone)
      continue;
    if (states[next].dims == goal) {
      SmallVector<Move> moves;
      for (size_t i = next; states[i].move; i = states[i].previous)
        moves.push_back(*states[i].move);
      return joined(llvm::to_vector(llvm::reverse(moves)));
    }
    states[next].isDone = true;
    visit(next);
    ++visited;
  }
  return std::nullopt;
}

SmallVector<Move> movesBetween(RankedTensorType type, ShardingAttr from, ShardingAttr to) {
  SmallVector<Move> moves = directMoves(type, from, to);
  MeshAttr mesh = from.getMesh();
  if (areCheapest(moves) || !type.hasStaticShape())
    return moves;
  double bytes = 0;
  for (const Move &move : moves)
    bytes += bytesOf(type, mesh, move);
  return Search(type, mesh, axesOf(from), axesOf(to), bytes).run().value_or(moves);
}

//===- Permutations ----------------------------------------------------------===//

Routes routesOf(MeshAttr mesh, const Move &move) {
  Routes routes;
  for (const AxesOfEach &dims : {move.before, move.after})
    for (const Axes &axes : dims)
      for (AxisRefAttr axis : axes)
        if (!llvm::is_contained(routes.axes, axis))
          routes.axes.push_back(axis);
  SmallVector<int64_t> sizes = sizesOf(mesh, routes.axes);
  // The number of the part that a device has along each dimension.
  auto partOf = [&](int64_t device, const AxesOfEach &dims) {
    DenseMap<AxisRefAttr, int64_t> indices;
    for (size_t i = sizes.size(); i-- > 0; device /= sizes[i])
      indices[routes.axes[i]] = device % sizes[i];
    return llvm::map_to_vector(dims, [&](const Axes &axes) {
      int64_t part = 0;
      for (AxisRefAttr axis : axes)
        part = part * mesh.sizeOf(axis) + indices[axis];
      return part;
    });
  };
  // As many devices want a part as have it; those that do both keep it.
  std::map<SmallVector<int64_t>, std::pair<SmallVector<int64_t>, SmallVector<int64_t>>> devices;
  for (int64_t device = 0, count = mesh.sizeOf(routes.axes); device < count; ++device) {
    SmallVector<int64_t> has = partOf(device, move.before), wants = partOf(device, move.after);
    if (has == wants) {
      routes.sources.push_back(device);
      routes.targets.push_back(device);
      continue;
    }
    devices[has].first.push_back(device);
    devices[wants].second.push_back(device);
  }
  for (auto &[part, both] : devices) {
    llvm::append_range(routes.sources, both.first);
    llvm::append_range(routes.targets, both.second);
  }
  return routes;
}

} // namespace dovetail
