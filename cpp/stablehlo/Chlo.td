// Functions that are written in terms of `stablehlo` where a compiler has none of its own.
#ifndef DOVETAIL_STABLEHLO_CHLO_TD
#define DOVETAIL_STABLEHLO_CHLO_TD

include "Stablehlo.td"

class ChloUnary<string mnemonic> : ChloOp<mnemonic, [Pure]> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
class ChloBinary<string mnemonic> : ChloOp<mnemonic, [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}

def AcosOp : ChloUnary<"acos">;
def AcoshOp : ChloUnary<"acosh">;
def AsinOp : ChloUnary<"asin">;
def AsinhOp : ChloUnary<"asinh">;
def AtanOp : ChloUnary<"atan">;
def AtanhOp : ChloUnary<"atanh">;
def BesselI1eOp : ChloUnary<"bessel_i1e">;
def ConjOp : ChloUnary<"conj">;
def CoshOp : ChloUnary<"cosh">;
def DigammaOp : ChloUnary<"digamma">;
def ErfOp : ChloUnary<"erf">;
def ErfInvOp : ChloUnary<"erf_inv">;
def ErfcOp : ChloUnary<"erfc">;
def IsInfOp : ChloUnary<"is_inf">;
def IsNegInfOp : ChloUnary<"is_neg_inf">;
def IsPosInfOp : ChloUnary<"is_pos_inf">;
def LgammaOp : ChloUnary<"lgamma">;
def SinhOp : ChloUnary<"sinh">;
def SquareOp : ChloUnary<"square">;
def TanOp : ChloUnary<"tan">;
def NextAfterOp : ChloBinary<"next_after">;
def PolygammaOp : ChloBinary<"polygamma">;
def ZetaOp : ChloBinary<"zeta">;
def MulhiOp : ChloBinary<"mulhi">;
def TopKOp : ChloOp<"top_k", [Pure]> {
  let arguments = (ins AnyType:$operand, I64Attr:$k, DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs AnyType:$values, AnyType:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}
def ConstantOp : ChloOp<"constant", [Pure]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyType:$output);
}

#endif // DOVETAIL_STABLEHLO_CHLO_TD
