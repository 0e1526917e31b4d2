// Where the temporaries of a dispatch lie.
#include "Temporaries.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Some of a function's ops, each of which comes before those in its regions, as numbers.
struct Range {
  int64_t first, last;
};

class Lives {
public:
  explicit Lives(func::FuncOp function) { number(function); }

  /// The ops during which a temporary may be needed; all of the function if a loop or a branch passes its memory on. A
  /// loop around the op that makes it has it anew in each iteration; a loop behind that needs it throughout.
  Range of(memref::AllocOp op) const {
    Range life = {count, 0};
    SmallVector<Value> views = {op.getResult()};
    while (!views.empty())
      for (Operation *user : views.pop_back_val().getUsers()) {
        Range use = ranges.lookup(op->getBlock()->findAncestorOpInBlock(*user));
        life = {std::min(life.first, use.first), std::max(life.last, use.last)};
        if (isa<ViewLikeOpInterface>(user))
          views.append(user->result_begin(), user->result_end());
        else if (user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() > 0 ||
                 llvm::any_of(user->getResultTypes(), llvm::IsaPred<MemRefType>))
          return {0, count};
      }
    return life;
  }

private:
  void number(Operation *op) {
    int64_t first = count++;
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        number(&inner);
    ranges[op] = {first, count - 1};
  }

  DenseMap<Operation *, Range> ranges;
  int64_t count = 0;
};

} // namespace

PackedTemporaries::PackedTemporaries(func::FuncOp function, ArrayRef<memref::AllocOp> ops, ArrayRef<int64_t> bytes)
    : offsets(ops.size()) {
  Lives lives(function);
  SmallVector<Range> life = llvm::map_to_vector(ops, [&](memref::AllocOp op) { return lives.of(op); });
  SmallVector<size_t> order = llvm::to_vector(llvm::seq(ops.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return life[a].first < life[b].first; });
  // Those that are alive, by their places.
  SmallVector<size_t> alive;
  for (size_t each : order) {
    llvm::erase_if(alive, [&](size_t other) { return life[other].last < life[each].first; });
    int64_t begin = 0;
    auto *next = alive.begin();
    for (; next != alive.end() && offsets[*next] < begin + bytes[each]; ++next)
      begin = offsets[*next] + bytes[*next];
    offsets[each] = begin;
    total = std::max(total, begin + bytes[each]);
    alive.insert(next, each);
  }
}

} // namespace dovetail
