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

#endif // DOVETAIL_REF_TD
