// Eigenvalues and singular values: rules. They are those of Giles, "An extended collection of matrix derivative results
// for forward and reverse mode algorithmic differentiation", 2008, sections 3.1 and 3.2. Reciprocal differences of
// equal values are taken as 0; differentiable results do not depend on them.
#include "Create.h"
#include "Linalg.h"
#include "Matrices.h"
#include "Reduce.h"

using namespace mlir;

namespace dovetail {

/// 1 / (w_j - w_i).
static Value inverseDifferences(Matrices &e, Value w, Value like) {
  return e.inverseOrZero(e.sub(e.asRows(w, like), e.asColumns(w, like)));
}

//===- Values alone --------------------------------------------------------------===//

static EighOp withoutVectors(PatternRewriter &b, EighOp op) { return EighOp::create(b, op.getLoc(), op.getA(), false); }
static SvdOp withoutVectors(PatternRewriter &b, SvdOp op) {
  return SvdOp::create(b, op.getLoc(), op.getA(), false, false);
}
static EigOp withoutVectors(PatternRewriter &b, EigOp op) {
  return EigOp::create(b, op.getLoc(), op.getA(), false, false);
}
static SchurOp withoutVectors(PatternRewriter &b, SchurOp op) {
  return SchurOp::create(b, op.getLoc(), op.getA(), false);
}

/// Without vectors, which nobody uses here, values take half of the time or less.
template <typename Op>
static LogicalResult dropVectors(Op op, PatternRewriter &rewriter) {
  auto vectors = op->getResults().drop_front();
  if (vectors.empty() || !llvm::all_of(vectors, [](Value x) { return x.use_empty(); }))
    return failure();
  rewriter.replaceAllUsesWith(op->getResult(0), withoutVectors(rewriter, op)->getResult(0));
  rewriter.eraseOp(op);
  return success();
}

void EighOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropVectors<EighOp>);
}
void SvdOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropVectors<SvdOp>);
}
void EigOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropVectors<EigOp>);
}
void SchurOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropVectors<SchurOp>);
}

//===- eigh ----------------------------------------------------------------------===//

LogicalResult EighOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                          SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  auto found = EighOp::create(e.builder, e.loc, primals[0], true);
  Value w = found.getW(), v = found.getV()[0];
  Value turned = e.dot(e.dot(e.adjoint(v), e.hermitian(tangents[0])), v);
  results.push_back(w);
  resultTangents.push_back(e.real(e.diagonal(turned)));
  if (!getVectors())
    return success();
  Value quotients = e.mul(e.alike(inverseDifferences(e, w, turned), turned), turned);
  results.push_back(v);
  resultTangents.push_back(e.dot(v, quotients));
  return success();
}

//===- svd -----------------------------------------------------------------------===//

namespace {

/// The tangents of the singular vectors of one side, of which `first` are those with singular values.
struct Side {
  Matrices &e;
  Value vectors, first, rest;

  /// For the full factor, if the sizes are known, the additional columns are separate.
  Side(Matrices &e, Value vectors, Matrices::Size count) : e(e), vectors(vectors), first(vectors) {
    RankedTensorType type = Matrices::typeOf(vectors);
    if (count.value || type.getShape().back() == count.fixed)
      return;
    first = e.resized(vectors, e.sizeAt(vectors, 2), count);
    rest = e.columnsFrom(vectors, count.fixed);
  }

  /// `within` is the tangent in the basis of `first`; `image` is da times the other side's vectors, or da^H; `inverse`
  /// has 1 / s in each column. Of the additional columns' tangent only the part that keeps all columns orthogonal is
  /// determined.
  Value tangent(Value within, Value image, Value inverse, bool isSquare) {
    Value result = e.dot(first, within);
    if (isSquare)
      return result;
    Value outside = e.mul(e.sub(image, e.dot(first, e.dot(e.adjoint(first), image))), inverse);
    result = e.add(result, outside);
    if (!rest)
      return result;
    Value turned = e.dot(e.adjoint(rest), outside);
    return e.besides(result, e.neg(e.dot(first, e.adjoint(turned))));
  }
};

} // namespace

/// With p = u^H da v, ds is the real diagonal of p, and off it u^H du = f (p s + s p^H), v^H dv = f (s p + p^H s) for
/// f_ij = 1 / (s_j^2 - s_i^2) (Townsend, "Differentiating the singular value decomposition", 2016).
LogicalResult SvdOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                         SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  Value a = primals[0], da = tangents[0];
  auto found = SvdOp::create(e.builder, e.loc, a, getVectors() && getFullMatrices(), true);
  Matrices::Size m = e.sizeAt(a, 2), n = e.sizeAt(a, 1), k = e.lesser(m, n);
  bool isKnown = !m.value && !n.value;
  if (getVectors() && getFullMatrices() && !isKnown)
    return emitError() << "no jvp rule for 'dovetail.svd' with full matrices of unknown sizes";
  Value s = found.getS();
  Side left(e, found.getUAndVh()[0], k), right(e, e.adjoint(found.getUAndVh()[1]), k);
  Value imageOfRight = e.dot(da, right.first), p = e.dot(e.adjoint(left.first), imageOfRight);
  results.push_back(s);
  resultTangents.push_back(e.real(e.diagonal(p)));
  if (!getVectors())
    return success();
  Value rows = e.asColumns(s, p), columns = e.asRows(s, p);
  Value f = e.alike(e.inverseOrZero(e.mul(e.sub(columns, rows), e.add(columns, rows))), p);
  rows = e.alike(rows, p);
  columns = e.alike(columns, p);
  auto inverse = [&](Value like) { return e.alike(e.asRows(e.inverseOrZero(s), like), like); };
  Value scaled = e.mul(p, columns), turned = e.mul(rows, p);
  // A phase common to both sides is free; the difference of u and v is attributed to u.
  Value phases = e.mul(e.part(e.sub(p, e.adjoint(p)), CompareDirection::EQ), e.scale(inverse(p), 0.5));
  Value ofLeft = e.add(e.mul(f, e.add(scaled, e.adjoint(scaled))), phases);
  Value ofRight = e.mul(f, e.add(turned, e.adjoint(turned)));
  Value imageOfLeft = e.dot(e.adjoint(da), left.first);
  Value du = left.tangent(ofLeft, imageOfRight, inverse(imageOfRight), isKnown && m.fixed <= n.fixed);
  Value dv = right.tangent(ofRight, imageOfLeft, inverse(imageOfLeft), isKnown && n.fixed <= m.fixed);
  llvm::append_range(results, found.getUAndVh());
  resultTangents.append({du, e.adjoint(dv)});
  return success();
}

//===- eig -----------------------------------------------------------------------===//

/// The number of each element's row.
static Value rowNumbers(Matrices &e, Value x) {
  RankedTensorType type = withElement(x.getType(), e.builder.getI32Type());
  return e.make<IotaOp>(type, type.getRank() - 2, e.sizes(x));
}

/// The tangent of eigenvectors v of a for w, with p = v^-1 da v: v (f p) for f_ij = 1 / (w_j - w_i), plus the
/// correction that keeps the norms of the columns at 1 and their greatest elements real (Boeddeker et al., "On the
/// computation of complex-valued gradients with application to statistically optimum beamforming", 2017, section 4.2,
/// has the norms).
static Value tangentOfVectors(Matrices &e, Value w, Value v, Value p) {
  int64_t row = Matrices::rankOf(v) - 2;
  Value moved = e.dot(v, e.mul(inverseDifferences(e, w, p), p));
  Value along = e.real(e.reduceSum(e.mul(e.conj(v), moved), {row}));
  Value magnitude = e.make<AbsOp>(v);
  auto places = withElement(e.unbatched(v, row), e.builder.getI32Type());
  Value greatest = e.make<ArgmaxOp>(places, magnitude, row);
  Value isGreatest = e.equal(e.asRows(greatest, v), rowNumbers(e, v));
  Value turned = e.reduceSum(e.imag(e.select(isGreatest, moved, zero)), {row});
  Value size = e.reduceSum(e.real(e.select(isGreatest, v, zero)), {row});
  Value change = e.complex(e.neg(along), e.neg(e.div(turned, size)));
  return e.add(moved, e.mul(v, e.asRows(change, v)));
}

/// v^-1 x.
static Value inverseTimes(Matrices &e, Value v, Value x) {
  auto factors = LuOp::create(e.builder, e.loc, v);
  return e.make<LuSolveOp>(v, factors.getLu(), factors.getPermutation(), x, false);
}

LogicalResult EigOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                         SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  if (Matrices::typeOf(primals[0]).getShape().back() == 0) {
    llvm::append_range(results, EigOp::create(e.builder, e.loc, primals[0], getLeft(), getRight())->getResults());
    resultTangents.append(results.size(), zero);
    return success();
  }
  auto found = EigOp::create(e.builder, e.loc, primals[0], getLeft(), true);
  Value w = found.getW(), vr = found.getVlAndVr().back(), da = e.alike(tangents[0], vr);
  Value p = e.dot(inverseTimes(e, vr, da), vr);
  results.push_back(w);
  resultTangents.push_back(e.diagonal(p));
  if (getLeft()) {
    // Left eigenvectors are right ones of a^H for the conjugate eigenvalues.
    Value vl = found.getVlAndVr()[0], ofLeft = e.dot(inverseTimes(e, vl, e.adjoint(da)), vl);
    results.push_back(vl);
    resultTangents.push_back(tangentOfVectors(e, e.conj(w), vl, ofLeft));
  }
  if (getRight()) {
    results.push_back(vr);
    resultTangents.push_back(tangentOfVectors(e, w, vr, p));
  }
  return success();
}

} // namespace dovetail
