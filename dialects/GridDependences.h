// Which windows of arrays the programs of a grid read and write, and whether they depend on each other by these.
#ifndef DOVETAIL_GRIDDEPENDENCES_H
#define DOVETAIL_GRIDDEPENDENCES_H

#include "Affine.h"
#include "Control.h"

namespace dovetail {

/// An op on windows of an array: it reads them, or writes to them.
struct Windows {
  mlir::Operation *op = nullptr;
  mlir::Value x, starts, written;
  llvm::ArrayRef<int64_t> dims, window;

  explicit operator bool() const { return op; }
  /// Emits the op on other windows along the same dimensions, which do not overlap.
  mlir::Value emit(Emitter &e, mlir::Value x, mlir::Value starts, mlir::Value written,
                   llvm::ArrayRef<int64_t> window) const;
};

/// The op as one on windows, or nothing.
Windows windowsOf(mlir::Operation &op);

/// An op that adds to a window of an array: as such, or by writing the sum with what is read there.
struct AddedWindow {
  Windows windows;
  mlir::Value added;
};

/// The window of a carry that an iteration adds to, if it does nothing else with the carry.
std::optional<AddedWindow> addedWindowOf(ScanOp loop, unsigned carry);

/// The first of a loop's carries that counts its iterations, and where it starts.
std::optional<std::pair<mlir::BlockArgument, int64_t>> counterOf(ScanOp loop);

/// The arrays that the programs of a grid pass on: carries of the loop, and what writes to windows makes of them.
class PassedArrays {
public:
  PassedArrays(ScanOp loop, mlir::BlockArgument counter) : loop(loop), counter(counter) {}

  /// Adds a carry. Returns false if programs depend on each other by it.
  bool add(unsigned carry);
  bool contains(mlir::Value value) const { return carryOf.contains(value); }

private:
  /// A window of an array, by its starts in terms of the symbols of the loop's body.
  struct Access {
    llvm::SmallVector<AffineIndex> starts;
    llvm::ArrayRef<int64_t> dims, window;
  };

  /// Follows what becomes of a version of a carry.
  bool follow(mlir::Value version, unsigned carry);
  bool followUse(mlir::OpOperand &use, unsigned carry);
  bool isVersion(mlir::Value value, unsigned carry) const;
  /// Replaces symbols of inner bodies by those of the loop's body, if they are functions of these.
  AffineIndex inLoop(const AffineIndex &index) const;
  bool isOfLoop(mlir::Value symbol) const { return symbol.getParentRegion()->getParentOp() == loop; }
  /// Whether no program touches a window of another: along some dimension, each has an interval of its own.
  bool areDisjoint() const;
  bool areDisjointAlong(int64_t dim) const;

  ScanOp loop;
  mlir::BlockArgument counter;
  llvm::DenseMap<mlir::Value, unsigned> carryOf;
  llvm::SmallVector<Access> accesses;
};

} // namespace dovetail

#endif // DOVETAIL_GRIDDEPENDENCES_H
