// Special functions: pointwise ops, one line each, with the tangent formula of every operand; see PointwiseBase.td.
#ifndef DOVETAIL_SPECIAL_TD
#define DOVETAIL_SPECIAL_TD

include "PointwiseBase.td"

/// An op of one float type that has a derivative with respect to the last operand only; any other is an error.
class InLast<string mnemonic, dag operands, string format, list<string> names, string tangent, list<Trait> traits = []>
    : Pointwise<mnemonic, operands, format # " attr-dict `:` type($" # names[!sub(!size(names), 1)] # ")", names,
                !listconcat(!foreach(i, !range(!sub(!size(names), 1)), "zero"), [tangent]),
                traits # [SameTypeOperands, DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let description = "Tangent with respect to the last operand: `" # tangent # "`; the others have none.";
}

let isCheap = 0 in {

//===- Gamma functions -------------------------------------------------------===//

def LgammaOp : Unary<"lgamma", Float, "e.mul(t, e.make<DigammaOp>(x))"> {
  let summary = "logarithm of |gamma(x)|; infinite at the poles";
}
def DigammaOp : Unary<"digamma", Float, "e.mul(t, e.make<PolygammaOp>(e.full(x, 1.0), x))"> {
  let summary = "derivative of lgamma; NaN at the poles";
}
def PolygammaOp : InLast<"polygamma", (ins Tensor<Float>:$n, Tensor<Float>:$x), "$n `,` $x", ["n", "x"],
                         "e.mul(t, e.make<PolygammaOp>(e.add(n, 1.0), x))"> {
  let summary = "derivative of order n of digamma";
}
def ZetaOp : InLast<"zeta", (ins Tensor<Float>:$s, Tensor<Float>:$q), "$s `,` $q", ["s", "q"],
                    "e.neg(e.mul(t, e.mul(s, e.make<ZetaOp>(e.add(s, 1.0), q))))", [DecidesAlone<0>]> {
  let summary = "Hurwitz zeta function: the sum of (q + k)^-s over k = 0, 1, ...";
}

//===- Incomplete gamma and beta functions ------------------------------------===//

class IncompleteGamma<string mnemonic, string da, string dx>
    : Pointwise<mnemonic, (ins Tensor<Float>:$a, Tensor<Float>:$x), "$a `,` $x attr-dict `:` type($x)", ["a", "x"],
                [da, dx], [SameTypeOperands, DecidesAlone<1>]>;

def IgammaOp : IncompleteGamma<"igamma",
                               "e.neg(e.mul(t, e.mul(gammaDensity(e, a, x), e.make<RandomGammaGradOp>(a, x))))",
                               "e.mul(t, gammaDensity(e, a, x))"> {
  let summary = "regularized lower incomplete gamma function";
}
def IgammacOp : IncompleteGamma<"igammac", "e.mul(t, e.mul(gammaDensity(e, a, x), e.make<RandomGammaGradOp>(a, x)))",
                                "e.neg(e.mul(t, gammaDensity(e, a, x)))"> {
  let summary = "regularized upper incomplete gamma function";
}
def RandomGammaGradOp : Pointwise<"random_gamma_grad", (ins Tensor<Float>:$a, Tensor<Float>:$x),
                                  "$a `,` $x attr-dict `:` type($x)", ["a", "x"], ["zero", "zero"],
                                  [SameTypeOperands, DecidesAlone<1>, DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "derivative with respect to a of the x at which igamma(a, x) has a fixed value";
  let description = "It has no tangent.";
}
def BetaincOp : InLast<"betainc", (ins Tensor<Float>:$a, Tensor<Float>:$b, Tensor<Float>:$x), "$a `,` $b `,` $x",
                       ["a", "b", "x"], "e.mul(t, betaDensity(e, a, b, x))"> {
  let summary = "regularized incomplete beta function";
}

//===- Other functions --------------------------------------------------------===//

def ErfInvOp : Unary<"erf_inv", Float, "e.mul(t, e.scale(e.exp(e.mul(ans, ans)), 1.0 / M_2_SQRTPI))"> {
  let summary = "inverse of erf";
}
def BesselI0eOp : Unary<"bessel_i0e", Float, "e.mul(t, e.sub(e.make<BesselI1eOp>(x), e.mul(e.sign(x), ans)))"> {
  let summary = "exp(-|x|) I0(x)";
}
def BesselI1eOp : Unary<"bessel_i1e", Float, "e.mul(t, derivativeOfI1e(e, x, ans))"> {
  let summary = "exp(-|x|) I1(x)";
}

} // isCheap = 0

#endif // DOVETAIL_SPECIAL_TD
