// Discrete Fourier transforms along one dimension.
#ifndef DOVETAIL_FFT_TD
#define DOVETAIL_FFT_TD

include "Dovetail.td"

/// The transform of a signal of `length` samples along `dimension`. The length is stated; a `?` there is that size.
class Fourier<string mnemonic, Type from, Type to, dag more = (ins)>
    : InferredOp<mnemonic, [DeclareOpInterfaceMethods<LinearOpInterface>, DeclareOpInterfaceMethods<BatchOpInterface>,
                            DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let arguments = !con((ins Tensor<from>:$x, I64Attr:$dimension, I64Attr:$length), more);
  let results = (outs Tensor<to>:$ans);
}

def FftOp : Fourier<"fft", Cplx, Cplx, (ins DefaultValuedAttr<BoolAttr, "false">:$inverse)> {
  let summary = "ans[k] = sum over j of x[j] exp(-2 pi i j k / length); `inverse` conjugates exp and divides by length";
  let assemblyFormat = "$x `,` $dimension `length` $length (`inverse` `=` $inverse^)? attr-dict `:` type($x)";
}

def RfftOp : Fourier<"rfft", AnyTypeOf<[F32, F64], "f32 or f64">, Cplx> {
  let summary = "the first length/2 + 1 elements of `fft` of a real signal, which determine the others";
  let assemblyFormat = "$x `,` $dimension `length` $length attr-dict `:` type($x)";
}

def IrfftOp : Fourier<"irfft", Cplx, AnyTypeOf<[F32, F64], "f32 or f64">> {
  let summary = "the inverse of `rfft`; the imaginary parts of elements 0 and, for even lengths, length/2 have no effect";
  let assemblyFormat = "$x `,` $dimension `length` $length attr-dict `:` type($x)";
}

#endif // DOVETAIL_FFT_TD
