// Counterparts of Fourier transforms, ops on matrices, and custom calls.
#include "Families.h"
#include "ForeignCalls.h"
#include "Lapack.h"
#include "Reductions.h"
#include "dialects/Create.h"
#include "dialects/Dot.h"
#include "dialects/Fft.h"
#include "dialects/Linalg.h"
#include "dialects/Pointwise.h"

using namespace mlir;

namespace dovetail {

namespace {

template <typename Model, typename Op>
using Import = FromStablehloOpInterface::ExternalModel<Model, Op>;
template <typename Model, typename Op>
using Export = ToStablehloOpInterface::ExternalModel<Model, Op>;
using Results = SmallVectorImpl<Value>;

//===- Fourier transforms ------------------------------------------------------------===//

struct ImportFft : Import<ImportFft, stablehlo::FftOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto fft = cast<stablehlo::FftOp>(op);
    ArrayRef<int64_t> lengths = fft.getFftLength();
    Value x = fft.getOperand();
    int64_t last = Algebra::typeOf(x).getRank() - 1, first = last + 1 - lengths.size();
    auto complex = [&](int64_t count, bool isInverse) {
      for (int64_t i = count - 1; i >= 0; --i)
        x = e.make<FftOp>(x, first + i, lengths[i], isInverse);
    };
    int64_t count = lengths.size();
    switch (fft.getFftType()) {
    case stablehlo::FftKind::FFT:
      complex(count, false);
      break;
    case stablehlo::FftKind::IFFT:
      complex(count, true);
      break;
    case stablehlo::FftKind::RFFT:
      x = e.make<RfftOp>(x, last, lengths.back());
      complex(count - 1, false);
      break;
    case stablehlo::FftKind::IRFFT:
      complex(count - 1, true);
      x = e.make<IrfftOp>(x, last, lengths.back());
      break;
    }
    results.push_back(x);
    return success();
  }
};

//===- Matrices ----------------------------------------------------------------------===//

struct ImportCholesky : Import<ImportCholesky, stablehlo::CholeskyOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    results.push_back(choleskyOf(e, op->getOperand(0), cast<stablehlo::CholeskyOp>(op).getLower()));
    return success();
  }
};

struct ImportTriangularSolve : Import<ImportTriangularSolve, stablehlo::TriangularSolveOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto solve = cast<stablehlo::TriangularSolveOp>(op);
    auto transposition = solve.getTransposeA();
    bool isAdjoint = transposition == stablehlo::Transposition::ADJOINT;
    bool isTransposed = isAdjoint || transposition == stablehlo::Transposition::TRANSPOSE;
    results.push_back(e.make<TriangularSolveOp>(solve.getA(), solve.getB(), solve.getLeftSide(), solve.getLower(),
                                                isTransposed, isAdjoint, solve.getUnitDiagonal()));
    return success();
  }
};

//===- Custom calls ------------------------------------------------------------------===//

/// A condition on sizes, of which the others are parts of the message. It is checked where the sizes are known.
LogicalResult checkAsserted(stablehlo::CustomCallOp op) {
  if (!op->getNumOperands())
    return op->emitError() << "shape_assertion: there must be a condition, got: none";
  if (knownElement(op->getOperand(0), 0).value_or(1))
    return success();
  auto stated = op->getAttrOfType<StringAttr>("error_message");
  std::string message = stated ? stated.str() : "sizes of arguments are not those of the program";
  for (auto [i, size] : llvm::enumerate(op->getOperands().drop_front())) {
    std::string place = "{" + std::to_string(i) + "}";
    auto known = knownElement(size, 0);
    for (size_t at; known && (at = message.find(place)) != std::string::npos;)
      message.replace(at, place.size(), std::to_string(*known));
  }
  return op->emitError() << message;
}

struct ImportCustomCall : Import<ImportCustomCall, stablehlo::CustomCallOp> {
  LogicalResult importTo(Operation *op, Importer &e, Results &results) const {
    auto call = cast<stablehlo::CustomCallOp>(op);
    StringRef target = call.getCallTargetName();
    if (std::optional<LogicalResult> imported = importLapack(call, e, results))
      return *imported;
    if (target == "stablehlo.dynamic_reduce_window")
      return importDynamicWindows(call, e, results);
    // These say where an array is.
    if (target == "Sharding" || target == "annotate_device_placement") {
      llvm::append_range(results, op->getOperands());
      return success();
    }
    // Functions that are ops of `chlo` today, as exporters call them.
    StringRef name = target;
    if (name.consume_front("mhlo.") && op->getNumResults() == 1 && importNamed(("chlo." + name).str(), op, e, results))
      return success();
    if (target == "shape_assertion")
      return checkAsserted(call);
    if (std::optional<LogicalResult> imported = importForeign(call, e, results))
      return *imported;
    return op->emitError() << "custom_call: a function must have a counterpart, got: '" << target << "'";
  }
};

//===- To StableHLO ----------------------------------------------------------------===//

/// StableHLO transforms the last dimension.
template <typename Ours>
struct ExportFft : Export<ExportFft<Ours>, Ours> {
  static stablehlo::FftKind kindOf(FftOp op) {
    return op.getInverse() ? stablehlo::FftKind::IFFT : stablehlo::FftKind::FFT;
  }
  static stablehlo::FftKind kindOf(RfftOp) { return stablehlo::FftKind::RFFT; }
  static stablehlo::FftKind kindOf(IrfftOp) { return stablehlo::FftKind::IRFFT; }

  LogicalResult exportTo(Operation *op, Exporter &e, Results &results) const {
    auto fft = cast<Ours>(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t dim = fft.getDimension(), last = type.getRank() - 1, length = fft.getLength();
    SmallVector<int64_t> shape(type.getShape());
    int64_t size = shape[dim];
    shape.erase(shape.begin() + dim);
    shape.push_back(size);
    Value moved = e.moveDim(fft.getX(), dim, last);
    Value found = e.theirs<stablehlo::FftOp>(type.clone(shape), moved, kindOf(fft), ArrayRef<int64_t>(length));
    results.push_back(e.moveDim(found, last, dim));
    return success();
  }
};

} // namespace

void attachMatrixCounterparts(MLIRContext *c) {
  FftOp::attachInterface<ExportFft<FftOp>>(*c);
  RfftOp::attachInterface<ExportFft<RfftOp>>(*c);
  IrfftOp::attachInterface<ExportFft<IrfftOp>>(*c);
  stablehlo::FftOp::attachInterface<ImportFft>(*c);
  stablehlo::CholeskyOp::attachInterface<ImportCholesky>(*c);
  stablehlo::TriangularSolveOp::attachInterface<ImportTriangularSolve>(*c);
  stablehlo::CustomCallOp::attachInterface<ImportCustomCall>(*c);
}

} // namespace dovetail
