// Counterparts of calls of LAPACK.
#include "Lapack.h"
#include "dialects/Create.h"
#include "dialects/Linalg.h"
#include "dialects/Matrices.h"
#include "dialects/Pointwise.h"

using namespace mlir;

namespace dovetail {

Value choleskyOf(Importer &importer, Value a, bool isLower) {
  Matrices e(importer);
  return isLower ? e.make<CholeskyOp>(a) : e.adjoint(e.make<CholeskyOp>(e.adjoint(a)));
}

namespace {

using Results = SmallVectorImpl<Value>;

/// A call of a LAPACK function: letters among its attributes say which triangle, which side, and so on.
struct LapackCall {
  stablehlo::CustomCallOp op;

  bool is(StringRef attribute, char letter) const {
    auto config = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
    auto stated = config ? config.getAs<IntegerAttr>(attribute) : IntegerAttr();
    return stated && stated.getValue() == static_cast<uint64_t>(letter);
  }
  bool isSet(StringRef attribute) const {
    auto config = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
    auto stated = config ? config.getAs<BoolAttr>(attribute) : BoolAttr();
    return stated && stated.getValue();
  }
  /// The type of a result. Operands state the shapes of those with sizes that the program leaves open.
  RankedTensorType type(unsigned i) const {
    auto stated = cast<RankedTensorType>(op->getResult(i).getType());
    auto shapes = op->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands");
    return shapes ? Importer::typeFrom(op->getOperand(shapes.getValues<int64_t>()[i]), stated) : stated;
  }
};

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
  auto eigh = EighOp::create(e.builder, e.loc, call.is("uplo", 'L') ? a : Matrices(e).adjoint(a), hasVectors);
  results.append({hasVectors ? Value(eigh.getV()[0]) : Value(), eigh.getW()});
}

void gesdd(LapackCall call, Importer &e, Results &results) {
  bool isFull = call.is("mode", 'A'), hasVectors = !call.is("mode", 'N');
  auto svd = SvdOp::create(e.builder, e.loc, call.op->getOperand(0), isFull, hasVectors);
  results.append({Value(), svd.getS()});
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
    results.push_back(isComputed ? Value(eig.getVlAndVr()[next++]) : Value());
}

/// The first columns of the product of reflections.
void orgqr(LapackCall call, Importer &importer, Results &results) {
  Matrices e(importer);
  Value a = call.op->getOperand(0), taus = call.op->getOperand(1), eye = e.identity(a);
  Value v = e.resized(a, e.sizeAt(a, 2), e.sizeAt(taus, 1));
  v = e.add(e.strictlyLower(v), e.identity(v));
  results.push_back(e.sub(eye, e.dot(v, e.ofReflections(v, taus, eye))));
}

/// The product of a matrix with that of reflections, or with its adjoint.
void ormqr(LapackCall call, Importer &importer, Results &results) {
  Matrices e(importer);
  Value a = call.op->getOperand(0), taus = call.op->getOperand(1), c = call.op->getOperand(2);
  bool isLeft = call.isSet("left");
  Value v = e.resized(a, e.sizeAt(a, 2), e.sizeAt(taus, 1));
  v = e.add(e.strictlyLower(v), e.identity(v));
  // From the right, the adjoint of the product is one from the left.
  Value x = isLeft ? c : e.adjoint(c);
  x = e.sub(x, e.dot(v, e.ofReflections(v, taus, x, call.isSet("transpose") == isLeft)));
  results.push_back(isLeft ? x : e.adjoint(x));
}

void geqp3(LapackCall call, Importer &e, Results &results) {
  auto qr = GeqrfOp::create(e.builder, e.loc, call.op->getOperand(0), true);
  Value order = e.add(qr.getPermutation()[0], 1.0);
  results.append({qr.getQr(), e.convert(order, getElementTypeOrSelf(call.type(1))), qr.getTaus()});
}

void gehrd(LapackCall call, Importer &e, Results &results) {
  auto hessenberg = HessenbergOp::create(e.builder, e.loc, call.op->getOperand(0));
  results.append({hessenberg.getH(), hessenberg.getTaus()});
}

void sytrd(LapackCall call, Importer &e, Results &results) {
  auto made = TridiagonalOp::create(e.builder, e.loc, call.op->getOperand(0), call.is("uplo", 'L'));
  results.append({made.getT(), made.getD(), made.getOff(), made.getTaus()});
}

void gees(LapackCall call, Importer &e, Results &results) {
  bool hasVectors = call.is("mode", 'V');
  auto schur = SchurOp::create(e.builder, e.loc, call.op->getOperand(0), hasVectors);
  results.append({schur.getT(), hasVectors ? Value(schur.getZ()[0]) : Value()});
  // The eigenvalues, and how many of them were selected.
  results.append(std::max(call.op->getNumResults(), 3u) - 3, Value());
}

void gtsv(LapackCall call, Importer &e, Results &results) {
  auto x = call.op->getOperands();
  results.append(3, Value());
  results.push_back(e.make<TridiagonalSolveOp>(x[0], x[1], x[2], x[3], false));
}

void solvePerturbed(LapackCall call, Importer &e, Results &results) {
  auto x = call.op->getOperands();
  results.push_back(e.make<TridiagonalSolveOp>(x[0], x[1], x[2], x[3], true));
}

/// A function of LAPACK, and the batches that are its operands: of matrices ("m"), or of vectors ("v").
struct Lapack {
  /// Appends the results, null for what the counterpart does not compute.
  void (*import)(LapackCall call, Importer &e, Results &results) = nullptr;
  StringRef operands = "m";
};

Lapack lapackCalled(StringRef target) {
  if (target == "tridiagonal_solve_perturbed_ffi")
    return {solvePerturbed, "vvvm"};
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.empty())
    return {};
  return llvm::StringSwitch<Lapack>(target.drop_front())
      .Case("potrf", {potrf})
      .Case("getrf", {getrf})
      .Case("geqrf", {geqrf})
      .Case("geqp3", {geqp3, "mv"})
      .Case("gehrd", {gehrd})
      .Case("trsm", {trsm, "mm"})
      .Case("gtsv", {gtsv, "vvvm"})
      .Cases({"syevd", "heevd"}, {syevd})
      .Cases({"sytrd", "hetrd"}, {sytrd})
      .Cases({"gesdd", "gesvd"}, {gesdd})
      .Case("gees", {gees})
      .Case("geev", {geev})
      .Cases({"orgqr", "ungqr"}, {orgqr, "mv"})
      .Cases({"ormqr", "unmqr"}, {ormqr, "mvm"})
      .Default({});
}

/// What counterparts take for granted.
LogicalResult checkOptions(LapackCall call, const Lapack &function) {
  if (function.import == gees && call.is("sort", 'S'))
    return call.op->emitError() << "custom_call: gees must not sort eigenvalues, got: sort = 'S'";
  if (function.import != geqp3)
    return success();
  auto order = knownElements(call.op->getOperand(1));
  if (!order || !llvm::all_of(*order, [](int64_t place) { return place == 0; }))
    return call.op->emitError()
           << "custom_call: geqp3 must choose the order of all columns, got: columns that are first";
  return success();
}

/// Operands are batches of matrices and of vectors of known sizes, and after them the shapes of results.
LogicalResult checkLapack(LapackCall call, const Lapack &function) {
  Operation *op = call.op;
  unsigned arrays = function.operands.size();
  auto shapes = op->getAttrOfType<DenseIntElementsAttr>("indices_of_shape_operands");
  if (op->getNumOperands() != arrays + (shapes ? op->getNumResults() : 0))
    return op->emitError() << "custom_call: '" << call.op.getCallTargetName() << "' must have " << arrays
                           << " arrays, got: " << op->getNumOperands() << " operands";
  int64_t rank = Algebra::typeOf(op->getOperand(0)).getRank() + (function.operands.front() == 'v');
  for (auto [i, x] : llvm::enumerate(op->getOperands().take_front(arrays))) {
    auto type = Algebra::typeOf(x);
    if (rank < 2 || type.getRank() != (function.operands[i] == 'm' ? rank : rank - 1) || !type.hasStaticShape())
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
  return checkOptions(call, function);
}

} // namespace

std::optional<LogicalResult> importLapack(stablehlo::CustomCallOp op, Importer &e, Results &results) {
  LapackCall call{op};
  Lapack function = lapackCalled(op.getCallTargetName());
  if (!function.import)
    return std::nullopt;
  if (failed(checkLapack(call, function)))
    return failure();
  function.import(call, e, results);
  // The last result says that the function succeeded.
  bool hasInfo = results.size() < op->getNumResults();
  results.resize(std::max<size_t>(results.size(), op->getNumResults()));
  for (auto [i, result] : llvm::enumerate(results)) {
    if (result)
      continue;
    bool isInfo = hasInfo && i + 1 == results.size();
    if (!isInfo && !op->getResult(i).use_empty())
      return op->emitError() << "custom_call: result " << i << " of '" << op.getCallTargetName()
                             << "' holds intermediate values and must not be used, got: a use";
    result = e.zeros(call.type(i), {});
  }
  return success();
}

} // namespace dovetail
