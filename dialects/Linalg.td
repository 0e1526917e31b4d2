// Factorizations of matrices and solutions of linear equations; leading dimensions are a batch of matrices.
#ifndef DOVETAIL_LINALG_TD
#define DOVETAIL_LINALG_TD

include "Dovetail.td"

def MatrixElement : AnyTypeOf<[F32, F64, Cplx], "f32, f64 or complex">;
def Matrices : Tensor<MatrixElement>;
def Indices : Tensor<I32>;

class MatrixOp<string mnemonic, list<Trait> traits = []>
    : InferredOp<mnemonic, traits # [HostFunction, DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>,
                                     DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let weakOperands = [];
}

//===- Factorizations --------------------------------------------------------===//

/// An op on m x n matrices, or m x m ones if `isSquare`. `shapes` is a list of pairs, one per result: its dimensions after
/// those of the batch (`k` is min(m, n), `e` is max(m - 1, 0)), and its element type.
class Factorization<string mnemonic, bit isSquare, string shapes, list<Trait> traits = []> : MatrixOp<mnemonic, traits> {
  let extraClassDeclaration = "static ::dovetail::MatrixShapes resultShapes(Adaptor adaptor);";
  let extraClassDefinition = [{
    ::dovetail::MatrixShapes $cppClass::resultShapes(Adaptor adaptor) {
      return }] # shapes # [{;
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::dovetail::inferMatrices(loc, getOperationName(), adaptor.getA(), }] # !if(isSquare, "true", "false") # [{,
                                       resultShapes(adaptor), types);
    }
    ::llvm::LogicalResult $cppClass::batch(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<int64_t> dims, ::llvm::SmallVectorImpl<::mlir::Value> &results,
        ::llvm::SmallVectorImpl<int64_t> &resultDims) {
      return ::dovetail::batchMatrices(e, *this, operands, dims, results, resultDims);
    }
    ::dovetail::FactorMap $cppClass::factorMap() { return ::dovetail::matricesFactorMap(*this, getA()); }
    ::mlir::Value $cppClass::resultSize(::dovetail::Emitter &e, ::mlir::ValueRange, unsigned result, int64_t dimension) {
      return ::dovetail::sizeOfMatrices(e, getA(), resultShapes(Adaptor(*this))[result], dimension);
    }
  }];
}

def CholeskyOp : Factorization<"cholesky", 1, [{{{"mm", MatrixShape::Same}}}],
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "the lower triangular L with a = L L^H, zero above the diagonal; only the lower triangle of `a` is read";
  let description = "The lower triangle is NaN where `a` is not positive definite.";
  let arguments = (ins Matrices:$a);
  let results = (outs Matrices:$l);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

def LuOp : Factorization<"lu", 0, [{{{"mn", MatrixShape::Same}, {"k", MatrixShape::Index}, {"m", MatrixShape::Index}}}],
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "a[permutation] = L U with partial pivoting";
  let description = [{
    `lu` holds U and, below the diagonal, L, whose diagonal is 1. Step i exchanged rows i and `pivots[i]`.
  }];
  let arguments = (ins Matrices:$a);
  let results = (outs Matrices:$lu, Indices:$pivots, Indices:$permutation);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

def DetOp : Factorization<"det", 1, [{{{"", MatrixShape::Same}}}],
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "the determinant";
  let arguments = (ins Matrices:$a);
  let results = (outs Matrices:$ans);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

def LuLogDetOp : InferredOp<"lu_log_det", [DeclareOpInterfaceMethods<BatchOpInterface>,
                                            DeclareOpInterfaceMethods<DimsOpInterface>,
                                            DeclareOpInterfaceMethods<JvpOpInterface>,
                                            DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "the logarithm of the determinant of U, by the factors of a; of its magnitude if it is real";
  let description = [{
    `lu` and `permutation` are the results of `lu` for `a`, whose tangent determines theirs. The imaginary part of a
    complex logarithm is the sum of the arguments on the diagonal of U.
  }];
  let arguments = (ins Matrices:$a, Matrices:$lu, Indices:$permutation);
  let results = (outs Matrices:$ans);
  let assemblyFormat = "$a `,` $lu `,` $permutation attr-dict `:` type($a) `,` type($lu) `,` type($permutation)";
  let weakOperands = [];
}

def GeqrfOp : Factorization<"geqrf", 0, "shapesOfGeqrf(isSet(adaptor.getPivotingAttr(), false))",
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "QR factorization by Householder reflections";
  let description = [{
    `qr` holds R and, below the diagonal, the vectors v, from their second element on, of the reflections
    1 - tau v v^H whose product is Q; the first element of each v is 1, and would be on the diagonal. With `pivoting`,
    `a[:, permutation]` is factorized, such that the magnitudes on R's diagonal do not increase.
  }];
  let arguments = (ins Matrices:$a, DefaultValuedAttr<BoolAttr, "false">:$pivoting);
  let results = (outs Matrices:$qr, Matrices:$taus, Variadic<Indices>:$permutation);
  let assemblyFormat = "$a (`pivoting` `=` $pivoting^)? attr-dict `:` type($a)";
}

def QrOp : Factorization<"qr", 0, "shapesOfQr(isSet(adaptor.getFullMatricesAttr(), false), isSet(adaptor.getPivotingAttr(), false))",
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "a = q r with orthonormal columns of q and upper triangular r";
  let description = [{
    q is m x k and r is k x n for k = min(m, n), or m x m and m x n if `full_matrices`. With `pivoting`,
    `a[:, permutation]` is factorized, such that the magnitudes on r's diagonal do not increase.
  }];
  let arguments = (ins Matrices:$a, DefaultValuedAttr<BoolAttr, "false">:$full_matrices,
                       DefaultValuedAttr<BoolAttr, "false">:$pivoting);
  let results = (outs Matrices:$q, Matrices:$r, Variadic<Indices>:$permutation);
  let assemblyFormat = [{
    $a (`full_matrices` `=` $full_matrices^)? (`pivoting` `=` $pivoting^)? attr-dict `:` type($a)
  }];
}

def EighOp : Factorization<"eigh", 1, "shapesOfEigh(isSet(adaptor.getVectorsAttr(), true))",
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "eigenvalues of a Hermitian matrix, in increasing order, and eigenvectors, the columns of v";
  let description = "Only the lower triangle of `a` is read, and only the real parts of its diagonal.";
  let arguments = (ins Matrices:$a, DefaultValuedAttr<BoolAttr, "true">:$vectors);
  let results = (outs Matrices:$w, Variadic<Matrices>:$v);
  let assemblyFormat = "$a (`vectors` `=` $vectors^)? attr-dict `:` type($a)";
  let hasCanonicalizer = 1;
}

def SvdOp : Factorization<"svd", 0, "shapesOfSvd(isSet(adaptor.getFullMatricesAttr(), false), isSet(adaptor.getVectorsAttr(), true))",
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "singular values, in decreasing order, and u and vh with a = u diag(s) vh";
  let description = [{
    u is m x k and vh is k x n for k = min(m, n), or m x m and n x n if `full_matrices`.
  }];
  let arguments = (ins Matrices:$a, DefaultValuedAttr<BoolAttr, "false">:$full_matrices,
                       DefaultValuedAttr<BoolAttr, "true">:$vectors);
  let results = (outs Matrices:$s, Variadic<Matrices>:$u_and_vh);
  let assemblyFormat = [{
    $a (`full_matrices` `=` $full_matrices^)? (`vectors` `=` $vectors^)? attr-dict `:` type($a)
  }];
  let hasCanonicalizer = 1;
}

def EigOp : Factorization<"eig", 1, "shapesOfEig(isSet(adaptor.getLeftAttr(), false), isSet(adaptor.getRightAttr(), true))",
    [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "eigenvalues, in no particular order, and left and right eigenvectors of a square matrix, all complex";
  let description = [{
    a vr = vr diag(w) and vl^H a = diag(w) vl^H. Each column of vl and vr has norm 1, and its element of largest
    magnitude is real, as in LAPACK's geev.
  }];
  let arguments = (ins Matrices:$a, DefaultValuedAttr<BoolAttr, "false">:$left,
                       DefaultValuedAttr<BoolAttr, "true">:$right);
  let results = (outs Matrices:$w, Variadic<Matrices>:$vl_and_vr);
  let assemblyFormat = "$a (`left` `=` $left^)? (`right` `=` $right^)? attr-dict `:` type($a)";
  let hasCanonicalizer = 1;
}

def SchurOp : Factorization<"schur", 1, "shapesOfSchur(isSet(adaptor.getVectorsAttr(), true))"> {
  let summary = "a = z t z^H with unitary z and upper triangular t";
  let description = [{
    For real `a`, all results are real, and a pair of conjugate eigenvalues is a 2 x 2 block on the diagonal of t, in the
    standard form of LAPACK's lanv2: equal diagonal elements, off-diagonal elements of opposite sign.
  }];
  let arguments = (ins Matrices:$a, DefaultValuedAttr<BoolAttr, "true">:$vectors);
  let results = (outs Matrices:$t, Variadic<Matrices>:$z);
  let assemblyFormat = "$a (`vectors` `=` $vectors^)? attr-dict `:` type($a)";
  let hasCanonicalizer = 1;
}

def HessenbergOp : Factorization<"hessenberg", 1, [{{{"mm", MatrixShape::Same}, {"e", MatrixShape::Same}}}]> {
  let summary = "a = Q H Q^H with H zero below the first subdiagonal";
  let description = [{
    `h` holds H and, below the subdiagonal, the vectors v, from their second element on, of the reflections
    1 - tau v v^H whose product is Q (LAPACK's gehrd).
  }];
  let arguments = (ins Matrices:$a);
  let results = (outs Matrices:$h, Matrices:$taus);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

def TridiagonalOp : Factorization<"tridiagonal", 1, [{
    {{"mm", MatrixShape::Same}, {"m", MatrixShape::Real}, {"e", MatrixShape::Real}, {"e", MatrixShape::Same}}}]> {
  let summary = "a = Q T Q^H with tridiagonal real T, of a Hermitian matrix";
  let description = [{
    `d` is the diagonal of T and `off` its off-diagonal. `t` holds T and, below the subdiagonal, or above the
    superdiagonal if not `lower`, the vectors of the reflections whose product is Q (LAPACK's sytrd and hetrd). Only that
    triangle of `a` is read.
  }];
  let arguments = (ins Matrices:$a, DefaultValuedAttr<BoolAttr, "true">:$lower);
  let results = (outs Matrices:$t, Matrices:$d, Matrices:$off, Matrices:$taus);
  let assemblyFormat = "$a (`lower` `=` $lower^)? attr-dict `:` type($a)";
}

//===- Equations -------------------------------------------------------------===//

/// An op whose result is the unknown x of an equation that is linear in x and in the last operand, b.
class Equation<string mnemonic, list<Trait> traits = []>
    : MatrixOp<mnemonic, traits # [WholeAlone, DeclareOpInterfaceMethods<JvpOpInterface>,
                                   DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let results = (outs Matrices:$x);
}

def TriangularSolveOp : Equation<"triangular_solve"> {
  let summary = "x of op(a) x = b, or of x op(a) = b unless `left_side`, for triangular a";
  let description = [{
    Only the lower triangle of `a` is read, or only the upper one, and not its diagonal if `unit_diagonal`. op transposes
    if `transpose_a` and conjugates if `conjugate_a`.
  }];
  let arguments = (ins Matrices:$a, Matrices:$b, DefaultValuedAttr<BoolAttr, "false">:$left_side,
                       DefaultValuedAttr<BoolAttr, "false">:$lower, DefaultValuedAttr<BoolAttr, "false">:$transpose_a,
                       DefaultValuedAttr<BoolAttr, "false">:$conjugate_a,
                       DefaultValuedAttr<BoolAttr, "false">:$unit_diagonal);
  let assemblyFormat = [{
    $a `,` $b (`left_side` `=` $left_side^)? (`lower` `=` $lower^)? (`transpose_a` `=` $transpose_a^)?
    (`conjugate_a` `=` $conjugate_a^)? (`unit_diagonal` `=` $unit_diagonal^)? attr-dict `:` type($a) `,` type($b)
  }];
}

def LuSolveOp : Equation<"lu_solve"> {
  let summary = "x of a x = b, or of a^T x = b if `transpose_a`, by the factors of a";
  let description = [{
    `lu` and `permutation` are the results of `lu` for `a`, whose tangent determines theirs: they are reused by other
    solutions, and by those of the derivatives.
  }];
  let arguments = (ins Matrices:$a, Matrices:$lu, Indices:$permutation, Matrices:$b,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose_a);
  let assemblyFormat = [{
    $a `,` $lu `,` $permutation `,` $b (`transpose_a` `=` $transpose_a^)? attr-dict
    `:` type($a) `,` type($lu) `,` type($permutation) `,` type($b)
  }];
}

def TridiagonalSolveOp : Equation<"tridiagonal_solve", [AllTypesMatch<["dl", "d", "du"]>]> {
  let summary = "x of a x = b for tridiagonal a, with partial pivoting";
  let description = [{
    dl[i] = a[i, i - 1], d[i] = a[i, i], du[i] = a[i, i + 1]; dl[0] and du[m - 1] are not read. With `perturb_singular`,
    pivots close to 0 are increased slightly, as LAPACK's lagtf and lagts do for inverse iteration.
  }];
  let arguments = (ins Matrices:$dl, Matrices:$d, Matrices:$du, Matrices:$b,
                       DefaultValuedAttr<BoolAttr, "false">:$perturb_singular);
  let assemblyFormat = [{
    $dl `,` $d `,` $du `,` $b (`perturb_singular` `=` $perturb_singular^)? attr-dict `:` type($d) `,` type($b)
  }];
}

#endif // DOVETAIL_LINALG_TD
