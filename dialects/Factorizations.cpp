// Cholesky, LU and QR factorizations and the determinant: rules.
#include "Create.h"
#include "Linalg.h"
#include "Matrices.h"
#include "Reduce.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

static Value solveTriangular(Matrices &e, Value a, Value b, bool isLeft, bool isLower, bool isAdjoint = false,
                             bool hasUnitDiagonal = false) {
  return e.make<TriangularSolveOp>(a, b, isLeft, isLower, isAdjoint, isAdjoint, hasUnitDiagonal);
}

//===- cholesky ------------------------------------------------------------------===//

/// dl = l phi(l^-1 da l^-H), where phi takes the lower triangle and half of the diagonal (Murray, "Differentiation of
/// the Cholesky decomposition", 2016, equations 7 to 9).
LogicalResult CholeskyOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents,
                              SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  Value l = e.make<CholeskyOp>(primals[0]);
  Value right = solveTriangular(e, l, e.hermitian(tangents[0]), false, true, true);
  Value whole = solveTriangular(e, l, right, true, true);
  Value phi = e.add(e.strictlyLower(whole), e.scale(e.part(whole, CompareDirection::EQ), 0.5));
  results.push_back(l);
  resultTangents.push_back(e.dot(l, phi));
  return success();
}

//===- lu ------------------------------------------------------------------------===//

/// With x = l^-1 p da u^-1, dl = l tril(x, -1) and du = triu(x) u (de Hoog, Anderssen and Lukas, "Differentiation of
/// matrix functionals using triangular factorization", 2011). Factors that are not square are completed by the
/// identity.
LogicalResult LuOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                        SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  auto factors = LuOp::create(e.builder, e.loc, primals[0]);
  Value lu = factors.getLu();
  Matrices::Size m = e.sizeAt(lu, 2), n = e.sizeAt(lu, 1);
  Value square = e.resized(lu, m, m), l = e.add(e.strictlyLower(square), e.identity(square));
  Value beyond = e.resized(e.zerosLike(lu), n, n, 1);
  Value u = e.add(e.upper(e.resized(lu, n, n)), e.part(beyond, CompareDirection::EQ));
  Value left = solveTriangular(e, l, e.rowsAt(tangents[0], factors.getPermutation()), true, true, false, true);
  Value x = solveTriangular(e, u, left, false, false);
  llvm::append_range(results, factors->getResults());
  resultTangents.append({e.add(e.dot(l, e.strictlyLower(x)), e.dot(e.upper(x), u)), zero, zero});
  return success();
}

//===- det -----------------------------------------------------------------------===//

namespace {

/// The determinant and the adjugate from the factors p a = l u.
struct Determinant {
  Matrices &e;
  Value lu, permutation, onDiagonal, isZero, whole;
  /// The determinant without the zeros on u's diagonal.
  Value partial;

  Determinant(Matrices &e, Value a) : e(e) {
    auto factors = LuOp::create(e.builder, e.loc, a);
    lu = factors.getLu();
    permutation = factors.getPermutation();
    onDiagonal = e.diagonal(lu);
    isZero = e.equal(onDiagonal, e.full(onDiagonal, 0));
    Value pivots = factors.getPivots(), one = e.full(onDiagonal, 1);
    int64_t last = Matrices::rankOf(pivots) - 1;
    Value places = e.make<IotaOp>(Matrices::typeOf(pivots), last, e.sizes(pivots));
    Value sign = e.make<ReduceProdOp>(e.select(e.equal(pivots, places), one, e.neg(one)), last);
    auto product = [&](Value x) { return e.mul(sign, e.make<ReduceProdOp>(x, last)); };
    whole = product(onDiagonal);
    partial = product(e.select(isZero, one, onDiagonal));
  }

  /// With 1 for the zeros on u's diagonal and s = u^-1 l^-1 p, it is `partial` times s if there is no such zero; times
  /// u^-1 e e^T s for one, at the position of the unit vector e; 0 for more.
  Value adjugate() {
    int64_t row = Matrices::rankOf(lu) - 2;
    Value marks = e.alike(isZero, lu), ones = e.identity(lu);
    Value u = e.add(e.upper(lu), e.mul(ones, e.asRows(marks, lu)));
    Value inverse = solveTriangular(e, lu, e.rowsAt(ones, permutation), true, true, false, true);
    inverse = solveTriangular(e, u, inverse, true, false);
    Value picked = e.reduceSum(e.mul(e.asColumns(marks, lu), inverse), {row});
    SmallVector<Value> dynamic = e.sizes(marks);
    Value column = e.reshape(marks, withDim(marks.getType(), row + 1, 1), dynamic);
    Value turned = e.reshape(solveTriangular(e, u, column, true, false), Matrices::typeOf(marks), dynamic);
    Value ofOne = e.mul(e.asColumns(turned, lu), e.asRows(picked, lu)), count = e.reduceSum(marks, {row});
    auto has = [&](double value) { return e.asMatrices(e.equal(count, e.full(count, value)), lu); };
    return e.mul(e.asMatrices(partial, lu), e.select(has(0), inverse, e.select(has(1), ofOne, zero)));
  }
};

} // namespace

/// d det(a) = tr(adj(a) da) (Jacobi's formula).
LogicalResult DetOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                         SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  Determinant det(e, primals[0]);
  int64_t rank = Matrices::rankOf(primals[0]);
  results.push_back(det.whole);
  Value terms = e.mul(e.transposed(det.adjugate()), tangents[0]);
  resultTangents.push_back(e.reduceSum(terms, {rank - 2, rank - 1}));
  return success();
}

//===- qr ------------------------------------------------------------------------===//

/// The tangent of the last columns of the whole q, which the first ones determine: with the vectors v of the
/// reflections, q1 = [1; 0] - v t v[:k]^H, so that z = v[k:] v[:k]^-1 = q1[k:] (q1[:k] - 1)^-1, and q2 = [0; 1] + (q1 -
/// [1; 0]) z^H. Then dq2 = dq1 z^H - (q1 + q2 z) (dq1[k:] - z dq1[:k])^H (as in arXiv 2409.13374, equation 32).
static Value tangentOfRest(Matrices &e, Value q, Value dq, int64_t m, int64_t n) {
  auto sized = [&](Value x, int64_t rows, int64_t columns) { return e.resized(x, {rows, {}}, {columns, {}}); };
  // Transposed, its columns are the rows from n on.
  auto rest = [&](Value x) { return e.columnsFrom(e.transposed(x), n); };
  Value q1 = sized(q, m, n), q2 = e.columnsFrom(q, n), square = sized(q, n, n);
  Value moved = e.sub(square, e.identity(square));
  auto factors = LuOp::create(e.builder, e.loc, moved);
  Value z =
      e.transposed(e.make<LuSolveOp>(moved, factors.getLu(), factors.getPermutation(), rest(q1), /*transpose_a=*/true));
  Value across = e.sub(e.transposed(rest(dq)), e.dot(z, sized(dq, n, n)));
  return e.sub(e.dot(dq, e.adjoint(z)), e.dot(e.add(q1, e.dot(q2, z)), e.adjoint(across)));
}

/// The tangents of q and of r, an m x k and a k x n matrix. With w = da r^-1 and c = q^H w, the skew-Hermitian x = q^H
/// dq has the lower triangle of c; dq = q x + w - q c and dr = q^H da - x r. Of a wide matrix the first columns
/// determine x (Walter and Lehmann, "On evaluating higher-order derivatives of the QR decomposition of tall matrices
/// with full column rank in forward and reverse mode algorithmic differentiation", 2009).
static std::pair<Value, Value> tangentsOfQr(Matrices &e, Value q, Value r, Value da, bool isTall) {
  Matrices::Size m = e.sizeAt(q, 2), k = e.sizeAt(q, 1);
  Value w = solveTriangular(e, e.resized(r, k, k), e.resized(da, m, k), false, false);
  Value c = e.dot(e.adjoint(q), w), below = e.strictlyLower(c);
  Value phases = e.part(e.alike(e.complex(zero, e.imag(c)), c), CompareDirection::EQ);
  Value x = e.add(e.sub(below, e.adjoint(below)), phases);
  Value dq = e.dot(q, x);
  if (isTall)
    dq = e.add(dq, e.sub(w, e.dot(q, c)));
  return {dq, e.upper(e.sub(e.dot(e.adjoint(q), da), e.dot(x, r)))};
}

LogicalResult QrOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents, SmallVectorImpl<Value> &results,
                        SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  Value a = primals[0], da = tangents[0];
  auto factors = QrOp::create(e.builder, e.loc, a, getFullMatrices(), getPivoting());
  llvm::append_range(results, factors->getResults());
  Matrices::Size m = e.sizeAt(a, 2), n = e.sizeAt(a, 1), k = e.lesser(m, n);
  bool isTall = m.value || n.value || m.fixed > n.fixed, hasRest = isTall && getFullMatrices();
  if (hasRest && (m.value || n.value))
    return emitError() << "no jvp rule for 'dovetail.qr' with full matrices of unknown sizes";
  if (getPivoting())
    da = e.columnsAt(da, factors.getPermutation()[0]);
  Value q = e.resized(factors.getQ(), m, k), r = e.resized(factors.getR(), k, n);
  auto [dq, dr] = tangentsOfQr(e, q, r, da, isTall);
  if (hasRest) {
    dq = e.besides(dq, tangentOfRest(e, factors.getQ(), dq, m.fixed, n.fixed));
    dr = e.resized(dr, m, n);
  }
  resultTangents.append({dq, dr});
  if (getPivoting())
    resultTangents.push_back(zero);
  return success();
}

/// The first columns of the product of the reflections are q = [1; 0] - v u, where u is upper triangular and has taus
/// on its diagonal: v and u are the factors of [1; 0] - q without pivoting (Ballard, Demmel, Grigori, Jacquelin, Knight
/// and Nguyen, "Reconstructing Householder vectors from tall-skinny QR", 2015), and have their tangents.
LogicalResult GeqrfOp::jvp(Emitter &plain, ValueRange primals, ArrayRef<Value> tangents,
                           SmallVectorImpl<Value> &results, SmallVectorImpl<Value> &resultTangents) {
  Matrices e(plain);
  Value a = primals[0], da = tangents[0];
  auto factors = GeqrfOp::create(e.builder, e.loc, a, getPivoting());
  llvm::append_range(results, factors->getResults());
  Value packed = factors.getQr(), taus = factors.getTaus();
  Matrices::Size m = e.sizeAt(a, 2), n = e.sizeAt(a, 1), k = e.lesser(m, n);
  bool isTall = m.value || n.value || m.fixed > n.fixed;
  if (getPivoting())
    da = e.columnsAt(da, factors.getPermutation()[0]);
  Value v = e.resized(packed, m, k), first = e.identity(v);
  v = e.add(e.strictlyLower(v), first);
  Value u = e.ofReflections(v, taus, first), square = e.resized(v, k, k);
  auto [dq, dr] = tangentsOfQr(e, e.sub(first, e.dot(v, u)), e.upper(e.resized(packed, k, n)), da, isTall);

  // A reflection that changes nothing has tau 0. The last one of a square matrix does, and has no elements below.
  Value isZero = e.alike(e.equal(taus, e.full(taus, 0)), u);
  Value regular = e.add(u, e.mul(e.identity(u), e.asColumns(isZero, u)));
  Value moved = e.neg(dq), whole = solveTriangular(e, square, e.resized(moved, k, k), true, true, false, true);
  Value x = e.strictlyLower(solveTriangular(e, regular, whole, false, false));
  Value du = e.upper(e.sub(whole, e.dot(x, u)));
  Value dv = e.strictlyLower(solveTriangular(e, regular, e.sub(moved, e.dot(v, du)), false, false));
  resultTangents.append({e.add(e.resized(dr, m, n), e.resized(dv, m, n)), e.diagonal(du)});
  if (getPivoting())
    resultTangents.push_back(zero);
  return success();
}

} // namespace dovetail
