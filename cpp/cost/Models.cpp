// Cost models of ops for which the cost does not follow from the factor map.
#include "Cost.h"
#include "Traffic.h"
#include "dialects/Checkpoint.h"
#include "dialects/Control.h"
#include "dialects/Conv.h"
#include "dialects/Create.h"
#include "dialects/Cumulative.h"
#include "dialects/Fft.h"
#include "dialects/Grid.h"
#include "dialects/Index.h"
#include "dialects/Linalg.h"
#include "dialects/Random.h"
#include "dialects/Shape.h"
#include "dialects/Size.h"
#include "dialects/Sort.h"
#include "dialects/Window.h"
#include <cmath>

using namespace mlir;

namespace dovetail {
namespace {

using OfBody = llvm::function_ref<Cost(Region &)>;

template <typename Model, typename Op>
struct Stated : CostOpInterface::ExternalModel<Model, Op> {};

/// One arithmetic operation per element that is read or written.
Cost working(Operation *op, double flops) { return {flops, 0, bytesOf(op)}; }

int64_t sizeAt(Value value, int64_t dimension) {
  return std::max<int64_t>(1, assumedSize(cast<RankedTensorType>(value.getType()).getDimSize(dimension)));
}

double product(ArrayRef<int64_t> sizes) {
  double all = 1;
  for (int64_t size : sizes)
    all *= size;
  return all;
}

//===- Moving ----------------------------------------------------------------===//

/// Ops that only give a value another name, shape or type.
template <typename Op>
struct Free : Stated<Free<Op>, Op> {
  Cost cost(Operation *, OfBody) const { return {}; }
};

/// Ops that read only as much of an array as they write.
template <typename Op>
struct Part : Stated<Part<Op>, Op> {
  Cost cost(Operation *op, OfBody) const {
    double bytes = 2 * bytesOf(op->getResult(0));
    for (Value more : op->getOperands().drop_front())
      bytes += bytesOf(more);
    return {0, 0, bytes};
  }
};

/// Ops that modify an array in place.
template <typename Op>
struct Update : Stated<Update<Op>, Op> {
  Cost cost(Operation *op, OfBody) const {
    auto scatter = cast<Op>(op);
    double updates = elementsOf(scatter.getUpdates());
    return {std::is_same_v<Op, ScatterOp> ? 0 : updates, 0,
            2 * bytesOf(scatter.getUpdates()) + bytesOf(scatter.getIndices())};
  }
};

//===- Windows, transforms, order ----------------------------------------------===//

struct ConvCost : Stated<ConvCost, ConvOp> {
  Cost cost(Operation *op, OfBody) const {
    auto conv = cast<ConvOp>(op);
    double depth = 1;
    for (auto [dimension, label] : llvm::enumerate(conv.getRhsDims()))
      if (llvm::is_contained(conv.getWindows(), label) || !llvm::is_contained(conv.getAnsDims(), label))
        depth *= sizeAt(conv.getRhs(), dimension);
    return working(op, 2 * elementsOf(conv.getAns()) * depth);
  }
};

template <typename Op>
struct WindowCost : Stated<WindowCost<Op>, Op> {
  Cost cost(Operation *op, OfBody) const {
    return working(op, elementsOf(op->getResult(0)) * product(cast<Op>(op).getWindow()));
  }
};

/// One or several steps per element.
template <typename Op, int steps>
struct RunningCost : Stated<RunningCost<Op, steps>, Op> {
  Cost cost(Operation *op, OfBody) const { return working(op, steps * elementsOf(op->getResult(0))); }
};

struct LogSumExpCost : Stated<LogSumExpCost, CumlogsumexpOp> {
  Cost cost(Operation *op, OfBody) const {
    double elements = elementsOf(op->getResult(0));
    return {2 * elements, 2 * elements, bytesOf(op)};
  }
};

/// 5 n log2 n for a complex signal (Cooley and Tukey's algorithm), half as many for a real one.
template <typename Op>
struct FourierCost : Stated<FourierCost<Op>, Op> {
  Cost cost(Operation *op, OfBody) const {
    auto transform = cast<Op>(op);
    double length = std::max<int64_t>(1, transform.getLength());
    double rows = elementsOf(transform.getX()) / sizeAt(transform.getX(), transform.getDimension());
    return working(op, (std::is_same_v<Op, FftOp> ? 5 : 2.5) * rows * length * std::log2(length));
  }
};

/// n log2 n comparisons.
struct SortCost : Stated<SortCost, SortOp> {
  Cost cost(Operation *op, OfBody) const {
    auto sort = cast<SortOp>(op);
    double size = sizeAt(sort.getXs().front(), sort.getDimension());
    return working(op, elementsOf(sort.getXs().front()) * std::ceil(std::log2(size)));
  }
};

/// 20 rounds of an addition, a rotation of three instructions and an exclusive or, and 5 injections of the key.
using ThreefryCost = RunningCost<Threefry2x32Op, 20 * 5 + 5 * 3>;

//===- Matrices ----------------------------------------------------------------===//

/// For m x n matrices with k = min(m, n): `twelfths` / 12 of m n k, the leading term of the algorithm (Golub and Van
/// Loan, Matrix Computations, 4th edition).
template <typename Op, int twelfths>
struct MatrixCost : Stated<MatrixCost<Op, twelfths>, Op> {
  Cost cost(Operation *op, OfBody) const {
    Value a = op->getOperand(0);
    int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
    return working(op, elementsOf(a) * std::min(sizeAt(a, rank - 2), sizeAt(a, rank - 1)) * twelfths / 12.0);
  }
};

/// `steps` for each element of the right-hand sides, times the size of `a` if that is dense.
template <typename Op, int steps, bool isDense>
struct EquationCost : Stated<EquationCost<Op, steps, isDense>, Op> {
  Cost cost(Operation *op, OfBody) const {
    Value a = op->getOperand(0), b = op->getOperands().back();
    int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
    return working(op, steps * elementsOf(b) * (isDense ? sizeAt(a, rank - 1) : 1));
  }
};

/// A logarithm and an addition for each row.
struct LogDetCost : Stated<LogDetCost, LuLogDetOp> {
  Cost cost(Operation *op, OfBody) const {
    double rows = elementsOf(cast<LuLogDetOp>(op).getPermutation());
    return {rows, rows, rows * bytesOf(getElementTypeOrSelf(op->getResult(0)))};
  }
};

//===- Control flow ------------------------------------------------------------===//

struct ScanCost : Stated<ScanCost, ScanOp> {
  Cost cost(Operation *op, OfBody ofBody) const {
    auto scan = cast<ScanOp>(op);
    int64_t length = scan.getLength();
    // A length that is not known is a `?`.
    return ofBody(scan.getBody()) * (length < 0 ? kAssumedSize : length);
  }
};

struct WhileCost : Stated<WhileCost, WhileOp> {
  Cost cost(Operation *op, OfBody ofBody) const {
    auto loop = cast<WhileOp>(op);
    Cost step = ofBody(loop.getCond());
    return step += ofBody(loop.getBody());
  }
};

/// That of the most expensive branch, or of a kernel in its first form.
struct CaseCost : Stated<CaseCost, CaseOp> {
  Cost cost(Operation *op, OfBody ofBody) const {
    if (op->hasAttr(kKernel))
      return ofBody(op->getRegion(0));
    Cost most;
    for (Region &branch : op->getRegions())
      most = most.max(ofBody(branch));
    return most;
  }
};

template <template <typename> typename Model, typename... Ops>
void attachAll(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

template <typename Op, int steps>
void attachSteps(MLIRContext *context) {
  Op::template attachInterface<RunningCost<Op, steps>>(*context);
}

template <typename Op, int twelfths>
void attachMatrix(MLIRContext *context) {
  Op::template attachInterface<MatrixCost<Op, twelfths>>(*context);
}

template <typename Op, int steps, bool isDense>
void attachEquation(MLIRContext *context) {
  Op::template attachInterface<EquationCost<Op, steps, isDense>>(*context);
}

void attachMatrices(MLIRContext *context) {
  attachMatrix<CholeskyOp, 4>(context);
  attachMatrix<LuOp, 8>(context);
  attachMatrix<DetOp, 8>(context);
  attachMatrix<GeqrfOp, 16>(context);
  attachMatrix<QrOp, 32>(context);
  attachMatrix<HessenbergOp, 40>(context);
  attachMatrix<TridiagonalOp, 16>(context);
  attachMatrix<EighOp, 108>(context);
  attachMatrix<SvdOp, 252>(context);
  attachMatrix<EigOp, 300>(context);
  attachMatrix<SchurOp, 300>(context);
  attachEquation<TriangularSolveOp, 1, true>(context);
  attachEquation<LuSolveOp, 2, true>(context);
  LuLogDetOp::attachInterface<LogDetCost>(*context);
  attachEquation<TridiagonalSolveOp, 8, false>(context);
}

} // namespace

void registerCosts(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, DovetailDialect *) {
    attachTraffic(context);
    attachAll<Free, AssumeOp, ConstantOp, DimOp, IndexOp, NameOp, OptimizationBarrierOp, ReshapeOp, WithSizesOp>(
        context);
    attachAll<Part, GatherOp, SliceOp>(context);
    attachAll<Update, ScatterAddOp, ScatterMaxOp, ScatterMinOp, ScatterMulOp, ScatterOp>(context);
    attachAll<WindowCost, ReduceWindowMaxOp, ReduceWindowMinOp, ReduceWindowSumOp, WindowArgmaxOp, WindowArgminOp,
              WindowPutOp>(context);
    attachAll<FourierCost, FftOp, IrfftOp, RfftOp>(context);
    attachSteps<CummaxOp, 1>(context);
    attachSteps<CumminOp, 1>(context);
    attachSteps<CumprodOp, 1>(context);
    attachSteps<CumsumOp, 1>(context);
    attachSteps<LinearRecurrenceOp, 2>(context);
    CumlogsumexpOp::attachInterface<LogSumExpCost>(*context);
    ConvOp::attachInterface<ConvCost>(*context);
    SortOp::attachInterface<SortCost>(*context);
    Threefry2x32Op::attachInterface<ThreefryCost>(*context);
    attachMatrices(context);
    ScanOp::attachInterface<ScanCost>(*context);
    WhileOp::attachInterface<WhileCost>(*context);
    CaseOp::attachInterface<CaseCost>(*context);
  });
}

} // namespace dovetail
