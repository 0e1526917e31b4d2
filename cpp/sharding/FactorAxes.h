// The axes that the arrays of an op want its factors to be divided over.
#ifndef DOVETAIL_SHARDING_FACTORAXES_H
#define DOVETAIL_SHARDING_FACTORAXES_H

#include "Shardings.h"

namespace dovetail {

/// The axes on which dimensions agree. Where they do not, none that follows decides.
struct Agreement {
  Axes axes;
  bool isKnown = false, isCut = false;

  /// Takes the axes of one more dimension into account, if it has some.
  void meet(llvm::ArrayRef<AxisRefAttr> others);
};

/// Whether results have factors that no operand has, along which elements are repeated.
bool isRepeating(const FactorMap &map);
/// Whether an op is divided along a factor; `isEager` if it is applied by itself.
bool isDividedBy(mlir::Operation *op, const FactorMap &map, int64_t factor, bool isEager);
/// Calls a function with each dimension of each array of an op, and its factor: first those of results.
void forEachFactor(mlir::Operation *op, const FactorMap &map,
                   llvm::function_ref<void(mlir::Value, int64_t dim, int64_t factor)> call);

class WantedAxes {
public:
  using AxesOfDim = llvm::function_ref<Axes(mlir::Value, int64_t dim)>;
  /// `axesOf` are those of a dimension as far as known, none of what does not decide.
  WantedAxes(MeshAttr mesh, mlir::Operation *op, const FactorMap &map, bool isEager, AxesOfDim axesOf);

  llvm::ArrayRef<AxisRefAttr> axes(int64_t factor) const { return wanted[factor]; }
  /// The factors, those first that get an axis which several want: of the operand that decides, then of the largest
  /// array that is divided so, then, if the op is pointwise, over most devices, then of the first array.
  llvm::ArrayRef<int64_t> byPrecedence() const { return order; }

private:
  void sort(MeshAttr mesh, mlir::Operation *op, const FactorMap &map, std::optional<unsigned> deciding,
            AxesOfDim axesOf);

  AxesOfEach wanted;
  llvm::SmallVector<int64_t> order;
};

} // namespace dovetail

#endif // DOVETAIL_SHARDING_FACTORAXES_H
