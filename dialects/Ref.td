// References: places that hold an array, which a program reads and writes until the pass `discharge` makes values of them.
#ifndef DOVETAIL_REF_TD
#define DOVETAIL_REF_TD

include "Dovetail.td"

def Dovetail_RefType : TypeDef<Dovetail_Dialect, "Ref"> {
  let mnemonic = "ref";
  let summary = "a place that holds an array of this shape and element type";
  let parameters = (ins "::mlir::RankedTensorType":$array);
  let hasCustomAssemblyFormat = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$array), [{
    return $_get(array.getContext(), array);
  }]>];
}

class RefOp<string mnemonic, list<Trait> traits = []>
    : DovetailOp<mnemonic, traits # [DeclareOpInterfaceMethods<RefOpInterface>]>;

/// An op whose result is the array that a reference holds.
class ReadOp<string mnemonic, list<MemoryEffect> effects>
    : RefOp<mnemonic, [DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Arg<Dovetail_RefType, "", effects>:$ref);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = "$ref attr-dict `:` type($ref)";
}

def NewRefOp : RefOp<"new_ref", [InferTypes]> {
  let summary = "a new reference that holds an array";
  let arguments = (ins AnyArray:$x);
  let results = (outs Res<Dovetail_RefType, "", [MemAlloc]>:$ref);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def RefGetOp : ReadOp<"ref_get", [MemRead]> {
  let summary = "the array that a reference holds";
  let description = "A part of it is what an op on arrays takes from the result, such as `slice` or `gather`.";
}

def RefSetOp : RefOp<"ref_set"> {
  let summary = "makes a reference hold another array";
  let description = [{
    A part is written by an op that updates what `ref_get` returned, such as `scatter` or `scatter_add`; it is updated in
    place where nothing else needs the array from before.
  }];
  let arguments = (ins Arg<Dovetail_RefType, "", [MemWrite]>:$ref, AnyArray:$x);
  let assemblyFormat = "$ref `,` $x attr-dict `:` type($ref) `,` type($x)";
  let hasVerifier = 1;
}

def FreezeOp : ReadOp<"freeze", [MemRead, MemFree]> {
  let summary = "the array that a reference holds at its end; it must not be used afterwards";
}

def EchoOpInterface : Rule<"EchoOpInterface"> {
  let description = "An op on the echoes of references (`ref_echo`) instead of on what they hold.";
  let methods = [
    InterfaceMethod<"Of which echo: the first is that of what the reference holds, the next one that of the first.", "unsigned",
                    "echoDepth">,
    InterfaceMethod<"Whether a backward rule reads what the references hold during the backward pass.", "bool",
                    "readsBackward", (ins), "", "return false;">,
  ];
}

def RefEchoOp : RefOp<"ref_echo", [DeclareOpInterfaceMethods<InferTypeOpInterface>,
                                   DeclareOpInterfaceMethods<EchoOpInterface, ["readsBackward"]>]> {
  let summary = "the echo of a reference: the array whose cotangent is what the reference holds during a backward pass";
  let description = [{
    Backward rules of functions may read and write references. They run in the reverse order of the functions, as
    cotangents are computed: what one rule leaves in the reference is the cotangent that the next one gets. The array itself
    means nothing. It is of float type: integers of up to 16 bits, and bools, have an echo of f32, those of 32 bits one of
    f64, and those of 64 bits one of complex<f64>, their upper and lower halves, which hold all of their values. `read` says
    that the rule reads what the reference holds.

    Where the derivative of a backward pass is taken, the first echo is something that the pass passes on, too. It is the
    cotangent, there, of an echo of its own, of depth 2; and so on.
  }];
  let arguments = (ins Arg<Dovetail_RefType, "", [MemRead]>:$ref, UnitAttr:$read, DefaultValuedAttr<I64Attr, "1">:$depth);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = "$ref (`read` $read^)? (`depth` $depth^)? attr-dict `:` type($ref)";
}

def RefSetEchoOp : RefOp<"ref_set_echo", [DeclareOpInterfaceMethods<EchoOpInterface>]> {
  let summary = "replaces the echo of a reference, by what an op with a backward rule returns for it";
  let arguments = (ins Arg<Dovetail_RefType, "", [MemWrite]>:$ref, AnyArray:$x, DefaultValuedAttr<I64Attr, "1">:$depth);
  let assemblyFormat = "$ref `,` $x (`depth` $depth^)? attr-dict `:` type($ref) `,` type($x)";
  let hasVerifier = 1;
}

def EchoEndOp : DovetailOp<"echo_end", [Pure, DeclareOpInterfaceMethods<JvpOpInterface>,
                                        DeclareOpInterfaceMethods<LinearOpInterface>,
                                        DeclareOpInterfaceMethods<BatchOpInterface>,
                                        DeclareOpInterfaceMethods<ResolveOpInterface>]> {
  let summary = "results of a function, at the end of a reference that it made";
  let description = [{
    A backward pass begins with what references hold at their end: that is the cotangent of `echo`, the first echo, if a
    result has a cotangent. The op is linear in the echo and in `xs`, which are the results.
  }];
  let arguments = (ins AnyArray:$held, AnyArray:$echo, Variadic<AnyArray>:$xs);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = "$held `of` $echo `,` $xs attr-dict `:` type($held) `,` type($echo) `,` type($xs) `->` type($outs)";
  let hasVerifier = 1;
}

#endif // DOVETAIL_REF_TD
