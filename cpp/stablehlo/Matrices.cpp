// Counterparts of Fourier transforms, ops on matrices, and calls of LAPACK.
#include "dialects/Matrices.h"
#include "Families.h"
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

Value adjointOf(Importer &e, Value x) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, Algebra::typeOf(x).getRank()));
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  return e.conj(e.transpose(x, order));
}

Value choleskyOf(Importer &e, Value a, bool isLower) {
  return isLower ? e.make<CholeskyOp>(a) : adjointOf(e, e.make<CholeskyOp>(adjointOf(e, a)));
}

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

//===- LAPACK ------------------------------------------------------------------------===//

/// A call of a LAPACK function: letters among its attributes say which triangle, which side, and so on.
struct LapackCall {
  stablehlo::CustomCallOp op;

  bool is(StringRef attribute, char letter) const {
    auto config = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
    auto stated = config ? config.getAs<IntegerAttr>(attribute) : IntegerAttr();
    return stated && stated.getValue() == static_cast<uint64_t>(letter);
  }
  /// The type of a result. Operands state the shapes of those with sizes that the program leaves open.
  RankedTensorType type(unsigned i) const {
    auto stated = cast<RankedTensorType>(op->getResult(i).getType());
    auto shapes = op->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands");
    return shapes ? Importer::typeFrom(op->getOperand(shapes.getValues<int64_t>()[i]), stated) : stated;
  }
};

/// The results that say that a function succeeded, and others that are not asked for.
void addZeros(LapackCall call, Importer &e, Results &results) {
  while (results.size() < call.op->getNumResults())
    results.push_back(e.zeros(call.type(results.size()), {}));
}

void potrf(LapackCall call, Importer &e, Results &results) {
  results.push_back(choleskyOf(e, call.op->getOperand(0), call.is("uplo", 'L')));
}

void getrf(LapackCall call, Importer &e, Results &results) {
  auto lu = LuOp::create(e.builder, e.loc, call.op->getOperand(0));
  // LAPACK counts from 1.
  Value pivots = lu.getPivots();
  results.append({lu.getLu(), e.add(pivots, 1.0)});
}

void geqrf(LapackCall call, Importer &e, Results &results) {
  auto qr = GeqrfOp::create(e.builder, e.loc, call.op->getOperand(0), false);
  results.append({qr.getQr(), qr.getTaus()});
}

void trsm(LapackCall call, Importer &e, Results &results) {
  bool isAdjoint = call.is("trans_x", 'C');
  results.push_back(e.make<TriangularSolveOp>(call.op->getOperand(0), call.op->getOperand(1), call.is("side", 'L'),
                                              call.is("uplo", 'L'), isAdjoint || call.is("trans_x", 'T'), isAdjoint,
                                              call.is("diag", 'U')));
}

void syevd(LapackCall call, Importer &e, Results &results) {
  Value a = call.op->getOperand(0);
  bool hasVectors = call.is("mode", 'V');
  auto eigh = EighOp::create(e.builder, e.loc, call.is("uplo", 'L') ? a : adjointOf(e, a), hasVectors);
  results.append({hasVectors ? eigh.getV()[0] : a, eigh.getW()});
}

void gesdd(LapackCall call, Importer &e, Results &results) {
  bool isFull = call.is("mode", 'A'), hasVectors = !call.is("mode", 'N');
  Value a = call.op->getOperand(0);
  auto svd = SvdOp::create(e.builder, e.loc, a, isFull, hasVectors);
  results.append({a, svd.getS()});
  llvm::append_range(results, svd.getUAndVh());
}

void geev(LapackCall call, Importer &e, Results &results) {
  bool hasLeft = call.is("compute_left", 'V'), hasRight = call.is("compute_right", 'V');
  auto eig = EigOp::create(e.builder, e.loc, call.op->getOperand(0), hasLeft, hasRight);
  Value w = eig.getW();
  if (isa<ComplexType>(call.type(0).getElementType()))
    results.push_back(w);
  else
    results.append({e.real(w), e.imag(w)});
  unsigned next = 0;
  for (bool isComputed : {hasLeft, hasRight})
    results.push_back(isComputed ? Value(eig.getVlAndVr()[next++]) : e.zeros(call.type(results.size()), {}));
}

/// The first columns of the product of reflections.
void orgqr(LapackCall call, Importer &importer, Results &results) {
  Matrices e(importer);
  Value a = call.op->getOperand(0), taus = call.op->getOperand(1), eye = e.identity(a);
  Value v = e.resized(a, e.sizeAt(a, 2), e.sizeAt(taus, 1));
  v = e.add(e.strictlyLower(v), e.identity(v));
  results.push_back(e.sub(eye, e.dot(v, e.ofReflections(v, taus, eye))));
}

/// A function of LAPACK, and the ranks of its operands: those of matrices, or one less, of vectors.
struct Lapack {
  void (*import)(LapackCall call, Importer &e, Results &results) = nullptr;
  unsigned matrices = 1, vectors = 0;
};

Lapack lapackCalled(StringRef target) {
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.empty())
    return {};
  return llvm::StringSwitch<Lapack>(target.drop_front())
      .Case("potrf", {potrf})
      .Case("getrf", {getrf})
      .Case("geqrf", {geqrf})
      .Case("trsm", {trsm, 2})
      .Cases({"syevd", "heevd"}, {syevd})
      .Case("gesdd", {gesdd})
      .Case("geev", {geev})
      .Cases({"orgqr", "ungqr"}, {orgqr, 1, 1})
      .Default({});
}

/// Operands are batches of matrices and of vectors of known sizes, and after them the shapes of results.
LogicalResult checkLapack(LapackCall call, const Lapack &function) {
  Operation *op = call.op;
  unsigned arrays = function.matrices + function.vectors;
  auto shapes = op->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands");
  if (op->getNumOperands() != arrays + (shapes ? op->getNumResults() : 0))
    return op->emitError() << "custom_call: '" << call.op.getCallTargetName() << "' must have " << arrays
                           << " arrays, got: " << op->getNumOperands() << " operands";
  int64_t rank = Algebra::typeOf(op->getOperand(0)).getRank();
  for (auto [i, x] : llvm::enumerate(op->getOperands().take_front(arrays))) {
    auto type = Algebra::typeOf(x);
    if (rank < 2 || type.getRank() != (i < function.matrices ? rank : rank - 1) || !type.hasStaticShape())
      return op->emitError() << "custom_call: '" << call.op.getCallTargetName()
                             << "' must have batches of matrices and vectors of known sizes, got: " << type;
  }
  if (shapes && (static_cast<unsigned>(shapes.getNumElements()) != op->getNumResults() ||
                 !shapes.getElementType().isInteger(64) || llvm::any_of(shapes.getValues<int64_t>(), [&](int64_t i) {
                   return i < arrays || i >= op->getNumOperands();
                 })))
    return op->emitError() << "custom_call: indices_of_shape_operands must be operands, one for each result, got: "
                           << shapes;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (!call.type(i).hasStaticShape())
      return op->emitError() << "custom_call: sizes must be known, got: " << call.type(i);
  return success();
}

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
    if (Lapack function = lapackCalled(target); function.import) {
      if (failed(checkLapack({call}, function)))
        return failure();
      function.import({call}, e, results);
      addZeros({call}, e, results);
      return success();
    }
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
