// Pointwise ops: one line each, with the tangent formula of every operand; see PointwiseBase.td.
#ifndef DOVETAIL_POINTWISE_TD
#define DOVETAIL_POINTWISE_TD

include "PointwiseBase.td"

//===- Elementary functions -------------------------------------------------===//

let isCheap = 0 in {
def ExpOp : Unary<"exp", FloatOrCplx, "e.mul(t, ans)">;
def Exp2Op : Unary<"exp2", FloatOrCplx, "e.mul(t, e.scale(ans, M_LN2))">;
def Expm1Op : Unary<"expm1", FloatOrCplx, "e.mul(t, e.add(ans, 1.0))">;
def LogOp : Unary<"log", FloatOrCplx, "e.div(t, x)">;
def Log1pOp : Unary<"log1p", FloatOrCplx, "e.div(t, e.add(x, 1.0))">;
def SqrtOp : Unary<"sqrt", FloatOrCplx, "e.div(t, e.scale(ans, 2.0))">;
def RsqrtOp : Unary<"rsqrt", FloatOrCplx, "e.mul(t, e.scale(e.div(ans, x), -0.5))">;
def CbrtOp : Unary<"cbrt", Float, "e.div(t, e.scale(e.mul(ans, ans), 3.0))">;
def SinOp : Unary<"sin", FloatOrCplx, "e.mul(t, e.cos(x))">;
def CosOp : Unary<"cos", FloatOrCplx, "e.neg(e.mul(t, e.sin(x)))">;
def TanOp : Unary<"tan", FloatOrCplx, "e.mul(t, e.add(e.mul(ans, ans), 1.0))">;
def AsinOp : Unary<"asin", FloatOrCplx, "e.mul(t, e.rsqrt(e.oneMinusSquare(x)))">;
def AcosOp : Unary<"acos", FloatOrCplx, "e.neg(e.mul(t, e.rsqrt(e.oneMinusSquare(x))))">;
def AtanOp : Unary<"atan", FloatOrCplx, "e.div(t, e.add(e.mul(x, x), 1.0))">;
def SinhOp : Unary<"sinh", FloatOrCplx, "e.mul(t, e.cosh(x))">;
def CoshOp : Unary<"cosh", FloatOrCplx, "e.mul(t, e.sinh(x))">;
def TanhOp : Unary<"tanh", FloatOrCplx, "e.mul(t, e.oneMinusSquare(ans))">;
def AsinhOp : Unary<"asinh", FloatOrCplx, "e.mul(t, e.rsqrt(e.add(e.mul(x, x), 1.0)))">;
// Two factors under the root: the principal branches of sqrt(x - 1) and sqrt(x + 1) differ from that of sqrt(x * x - 1).
def AcoshOp : Unary<"acosh", FloatOrCplx, "e.mul(t, e.mul(e.rsqrt(e.add(x, -1.0)), e.rsqrt(e.add(x, 1.0))))">;
def AtanhOp : Unary<"atanh", FloatOrCplx, "e.div(t, e.oneMinusSquare(x))">;
def LogisticOp : Unary<"logistic", FloatOrCplx, "e.mul(t, e.mul(ans, e.sub(1.0, ans)))">;
def ErfOp : Unary<"erf", Float, "e.mul(t, e.scale(e.exp(e.neg(e.mul(x, x))), M_2_SQRTPI))", [ReplicatedAlone]>;
def ErfcOp : Unary<"erfc", Float, "e.mul(t, e.scale(e.exp(e.neg(e.mul(x, x))), -M_2_SQRTPI))">;

def PowOp : Binary<"pow", Number, "e.mul(t, e.powTangentOfBase(x, y))", "e.mul(t, e.mul(ans, e.logOrZero(x)))">;
def Atan2Op : Binary<"atan2", Float, "e.mul(t, e.div(y, e.add(e.mul(x, x), e.mul(y, y))))",
                     "e.neg(e.mul(t, e.div(x, e.add(e.mul(x, x), e.mul(y, y)))))">;
def HypotOp : Binary<"hypot", Float, "e.mul(t, legOf(e, x, y, ans))", "e.mul(t, legOf(e, y, x, ans))", [Commutative]> {
  let summary = "sqrt(x x + y y) without overflow";
}
def LogaddexpOp : Binary<"logaddexp", Float, "e.mul(t, shareOfSum(e, x, y))",
                         "e.mul(t, shareOfSum(e, y, x))", [Commutative]> {
  let summary = "log(exp(x) + exp(y)) without overflow";
}
def Logaddexp2Op : Binary<"logaddexp2", Float, "e.mul(t, shareOfSum(e, x, y, M_LN2))",
                          "e.mul(t, shareOfSum(e, y, x, M_LN2))", [Commutative]> {
  let summary = "log2(2^x + 2^y) without overflow";
}

} // isCheap = 0

def IntegerPowOp : Pointwise<"integer_pow", (ins Tensor<Number>:$x, I64Attr:$exponent),
                             "$x `,` $exponent attr-dict `:` type($x)", ["x"],
                             ["e.mul(t, e.integerPowTangent(x, getExponent()))"], []> {
  let scalar = "::dovetail::scalar::integerPow(b, args[0], getExponent())";
  let hasFolder = 1;
}

//===- Arithmetic ----------------------------------------------------------===//

// The derivative of |z| is Re(conj(sign z) dz), and for real z that is dz or -dz.
def AbsOp : Unary<"abs", SignedNumber, "absTangent(e, t, x)"> {
  let resultElement = "::dovetail::realElement(element)";
}
// x/|x| of a complex number turns with its phase; the sign of a real number is constant.
def SignOp : Unary<"sign", Number, "e.signTangent(t, x, ans)">;
def NegOp : Unary<"neg", Number, "e.neg(t)"> { let linear = ["{0}"]; }
def AddOp : Binary<"add", Element, "t", "t", [Commutative, Counts]> {
  let linear = ["{0, 1}"];
  let hasFolder = 1;
}
def SubOp : Binary<"sub", Number, "t", "e.neg(t)", [Counts]> { let linear = ["{0, 1}"]; let hasFolder = 1; }
def MulOp : Binary<"mul", Element, "e.mul(t, y)", "e.mul(x, t)", [Commutative]> {
  let linear = ["{0}", "{1}"];
  let hasFolder = 1;
}
def DivOp : Binary<"div", Number, "e.div(t, y)", "e.neg(e.mul(t, e.div(ans, y)))"> {
  let linear = ["{0}"];
  let hasFolder = 1;
}
def RemOp : Binary<"rem", RealNumber, "t", "e.neg(e.mul(t, e.truncate(e.div(x, y))))">;
def FloorDivOp : Binary<"floor_div", RealNumber, "zero", "zero", [DecidesDimsAlone<1>]> {
  let summary = "greatest integer not above x / y, from the exact remainder; x / y where y is 0";
}
def FloorRemOp : Binary<"floor_rem", RealNumber, "t", "e.neg(e.mul(t, e.make<FloorDivOp>(x, y)))",
                        [DecidesDimsAlone<1>]> {
  let summary = "x - floor(x / y) y, which has the sign of y; where y is 0, NaN, or 0 for integers";
}
def MaxOp : Binary<"max", Ordered, "e.mul(t, e.shareOfMaximum(x, ans, y))", "e.mul(t, e.shareOfMaximum(y, ans, x))",
                   [Commutative]>;
def MinOp : Binary<"min", Ordered, "e.mul(t, e.shareOfMaximum(x, ans, y))", "e.mul(t, e.shareOfMaximum(y, ans, x))",
                   [Commutative]>;
def NextafterOp : Binary<"nextafter", Float, "t", "zero", [DecidesDimsAlone<1>]>;
def CopysignOp : Binary<"copysign", Float, "e.mul(absTangent(e, t, x), signBit(e, y))", "zero", [DecidesAlone<1>]> {
  let summary = "the magnitude of x with the sign of y";
}
def HeavisideOp : Binary<"heaviside", Float, "zero", "e.select(e.equal(x, e.full(x, 0)), t, zero)", [DecidesAlone<0>]> {
  let summary = "0 where x < 0, y where x = 0, 1 where x > 0";
}

def FloorOp : Unary<"floor", Float, "zero">;
def CeilOp : Unary<"ceil", Float, "zero">;
def TruncOp : Unary<"trunc", Float, "zero"> { let summary = "nearest integer towards 0"; }
def FractionOp : Unary<"fraction", Float, "t"> { let summary = "x - trunc(x), 0 for infinities, with the sign of x"; }
def RoundEvenOp : Unary<"round_even", Float, "zero"> { let summary = "nearest integer, ties to even"; }
def RoundAwayOp : Unary<"round_away", Float, "zero"> { let summary = "nearest integer, ties away from zero"; }

def ExponentOp : Unary<"exponent", Float, "zero"> {
  let summary = "the integer k with |x| = f 2^k for some f in [1/2, 1); 0 for zeros, infinities and NaN";
  let resultElement = "::mlir::IntegerType::get(element.getContext(), 32)";
}
def LdexpOp : Pointwise<"ldexp", (ins Tensor<Float>:$x, Tensor<I32>:$k),
                        "$x `,` $k attr-dict `:` type($x) `,` type($k)", ["x", "k"], ["e.make<LdexpOp>(t, k)", "zero"], []> {
  let summary = "x 2^k, rounded once";
  let weakOperands = ["x"];
  let linear = ["{0}"];
}
def ReducePrecisionOp : Pointwise<"reduce_precision", (ins Tensor<Float>:$x, I64Attr:$exponent_bits, I64Attr:$mantissa_bits),
                                  "$x `exponent` $exponent_bits `mantissa` $mantissa_bits attr-dict `:` type($x)", ["x"],
                                  ["e.make<ReducePrecisionOp>(t, getExponentBits(), getMantissaBits())"], []> {
  let summary = "the nearest number with that many bits, ties to even; overflow gives infinity, underflow zero";
  let linear = ["{0}"];
  let scalar = "::dovetail::scalar::reducePrecision(b, args[0], getExponentBits(), getMantissaBits())";
  let hasVerifier = 1;
}

//===- Complex parts ---------------------------------------------------------===//

// Transposes follow the convention that no transpose conjugates: with z = a + ib, the cotangent of real(z) is a complex
// cotangent with that real part, that of imag(z) has its negative as imaginary part.
def RealOp : Unary<"real", Cplx, "e.real(t)"> {
  let linear = ["{0}"];
  let cotangents = ["e.complex(t, zero)"];
  let resultElement = "::dovetail::realElement(element)";
}
def ImagOp : Unary<"imag", Cplx, "e.imag(t)"> {
  let linear = ["{0}"];
  let cotangents = ["e.complex(zero, e.neg(t))"];
  let resultElement = "::dovetail::realElement(element)";
}
def ConjOp : Unary<"conj", Cplx, "e.conj(t)"> { let linear = ["{0}"]; }
def ComplexOp : Binary<"complex", AnyTypeOf<[F32, F64], "f32 or f64">, "e.complex(t, zero)", "e.complex(zero, t)"> {
  let linear = ["{0, 1}"];
  let cotangents = ["e.real(t)", "e.neg(e.imag(t))"];
  let resultElement = "::mlir::ComplexType::get(element)";
}

//===- Bits and predicates -----------------------------------------------------===//

def NotOp : Unary<"not", IntOrBool, "zero"> { let scalar = "::dovetail::scalar::bitNot(b, args[0])"; }
def AndOp : Binary<"and", IntOrBool, "zero", "zero", [Commutative]> {
  let scalar = "::dovetail::scalar::bitAnd(b, args[0], args[1])";
}
def OrOp : Binary<"or", IntOrBool, "zero", "zero", [Commutative]> {
  let scalar = "::dovetail::scalar::bitOr(b, args[0], args[1])";
}
def XorOp : Binary<"xor", IntOrBool, "zero", "zero", [Commutative]> {
  let scalar = "::dovetail::scalar::bitXor(b, args[0], args[1])";
}
def ShiftLeftOp : Binary<"shift_left", Int, "zero", "zero">;
def ShiftRightArithmeticOp : Binary<"shift_right_arithmetic", Int, "zero", "zero">;
def ShiftRightLogicalOp : Binary<"shift_right_logical", Int, "zero", "zero">;
def PopulationCountOp : Unary<"population_count", Int, "zero">;
def CountLeadingZerosOp : Unary<"count_leading_zeros", Int, "zero">;
def IsFiniteOp : Unary<"is_finite", Float, "zero"> {
  let weakOperands = [];
  let resultElement = "::dovetail::boolElement(element)";
}

def CompareDirection : I32Enum<"CompareDirection", "comparison", [
  I32EnumCase<"EQ", 0, "eq">, I32EnumCase<"NE", 1, "ne">, I32EnumCase<"LT", 2, "lt">, I32EnumCase<"LE", 3, "le">,
  I32EnumCase<"GT", 4, "gt">, I32EnumCase<"GE", 5, "ge">]> { let cppNamespace = "::dovetail"; }
def Direction : EnumAttr<Dovetail_Dialect, CompareDirection, "direction">;

def CompareOp : Pointwise<"compare", (ins Direction:$direction, AnyArray:$x, AnyArray:$y),
                          "`` $direction $x `,` $y attr-dict `:` type($x)", ["x", "y"], ["zero", "zero"],
                          [SameTypeOperands, Counts]> {
  let weakOperands = [];
  let resultElement = "::dovetail::boolElement(element)";
  let scalar = "::dovetail::emitCompare(b, getDirection(), args[0], args[1])";
}
def SelectOp : Pointwise<"select", (ins Tensor<Bool>:$p, AnyArray:$x, AnyArray:$y),
                         "$p `,` $x `,` $y attr-dict `:` type($p) `,` type($x)", ["p", "x", "y"],
                         ["zero", "e.select(p, t, zero)", "e.select(p, zero, t)"], [AllTypesMatch<["x", "y"]>, Counts]> {
  let linear = ["{1, 2}"];
  let weakOperands = ["x", "y"];
  let from = 1;
  let hasFolder = 1;
}
def ClampOp : Pointwise<"clamp", (ins Tensor<Ordered>:$lo, Tensor<Ordered>:$x, Tensor<Ordered>:$hi),
                        "$lo `,` $x `,` $hi attr-dict `:` type($x)", ["lo", "x", "hi"],
                        ["e.select(e.greater(lo, x), t, zero)",
                         "e.select(e.both(e.greater(x, lo), e.greater(hi, x)), t, zero)",
                         "e.select(e.greater(x, hi), t, zero)"], [SameTypeOperands, Counts]>;

//===- Conversions -----------------------------------------------------------===//

/// Pointwise, but with a stated rather than an inferred result element type.
class Conversion<string mnemonic, string dx, string ctx, string linearSets, list<Trait> traits = []>
    : DovetailOp<mnemonic, traits # [Pure, Elementwise, FoldsSplats, SameOperandsAndResultShape,
                                     DeclareOpInterfaceMethods<PointwiseOpInterface>]> {
  let arguments = (ins AnyArray:$x);
  let results = (outs AnyArray:$ans);
  let statesElement = 1;
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($ans)";
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::tangent(::dovetail::Emitter &e, unsigned, ::mlir::Value t, ::mlir::ValueRange, ::mlir::Value) {
      return }] # dx # [{;
    }
    ::mlir::Value $cppClass::cotangent(::dovetail::Emitter &e, unsigned, ::mlir::Value t, ::mlir::ValueRange) {
      return }] # ctx # [{;
    }
    ::dovetail::OperandSets $cppClass::linearSets() { return }] # linearSets # [{; }
    ::mlir::Value $cppClass::emitScalar(::dovetail::scalar::ScalarBuilder &b, ::mlir::ValueRange args) {
      return ::dovetail::scalar::}] # mnemonic # [{(b, args[0], ::mlir::getElementTypeOrSelf(getAns()));
    }
  }];
}

def ConvertOp : Conversion<"convert", "e.convert(t, ::mlir::getElementTypeOrSelf(getAns()))",
                           "e.convert(t, ::mlir::getElementTypeOrSelf(getX()))", "{{0}}", [Counts]> {
  let summary = "element type conversion: float to integer saturates, complex to real takes the real part";
  let hasFolder = 1;
}
def BitcastOp : Conversion<"bitcast", "zero", "zero", "{}"> {
  let summary = "the same bits as another element type of the same width";
  let weakOperands = [];
  let hasVerifier = 1;
}
// Rules of batches mark what no cotangent leaves, which in a transposed function can be a tangent.
def StopGradientOp : Unary<"stop_gradient", Element, "zero"> {
  let summary = "the operand, with tangent zero";
  let linear = ["{0}"];
  let cotangents = ["(::llvm::isa<::mlir::IntegerType>(::mlir::getElementTypeOrSelf(t)) ? t : ::mlir::Value(zero))"];
  let scalar = "args[0]";
}

#endif // DOVETAIL_POINTWISE_TD
