// The class of pointwise ops, from which families of them are made.
//
// In a formula `t` is the tangent, `x`, `y`, `z` are the operands, `ans` is the result, `e` emits ops and folds, and `zero`
// is the zero tangent. A formula is one expression, linear in `t`.
#ifndef DOVETAIL_POINTWISE_BASE_TD
#define DOVETAIL_POINTWISE_BASE_TD

include "Dovetail.td"

/// `cases` as the body of a switch on the operand's index.
class Cases<list<string> cases> {
  string text = !interleave(
    !foreach(i, !range(!size(cases)), "  case " # !cast<string>(i) # ": return " # cases[i] # ";"), "\n");
}

/// Binds operands to their names in formulas.
class Bind<list<string> names> {
  string text = !interleave(!foreach(i, !range(!size(names)),
    "  [[maybe_unused]] ::mlir::Value " # names[i] # " = operands[" # !cast<string>(i) # "];"), "\n");
}

class Pointwise<string mnemonic, dag operands, string format, list<string> names, list<string> tangents,
                list<Trait> traits>
    : DovetailOp<mnemonic, traits # [Pure, Elementwise, FoldsSplats, DeclareOpInterfaceMethods<InferTypeOpInterface>,
                                     DeclareOpInterfaceMethods<PointwiseOpInterface>,
                                     DeclareOpInterfaceMethods<CheapOpInterface, ["isCheap"]>]> {
  let arguments = operands;
  let results = (outs AnyArray:$ans);
  let assemblyFormat = format;

  /// The sets of operands in which the op is jointly linear, as C++ initializers.
  list<string> linear = [];
  /// Cotangent formulas, if they differ from the tangent formulas.
  list<string> cotangents = tangents;
  /// Element type of the result, in terms of that of operand `from`.
  string resultElement = "element";
  int from = 0;
  /// Whether an element takes only a few instructions.
  bit isCheap = 1;
  /// The scalar computation, in terms of `b` and `args`.
  string scalar = "::dovetail::scalar::" # mnemonic # "(b" #
    !interleave(!foreach(i, !range(!size(names)), ", args[" # !cast<string>(i) # "]"), "") # ")";

  let description = "Tangent: `" # !interleave(tangents, "` + `") # "`.";
  let extraClassDefinition = "::mlir::Value $cppClass::tangent(::dovetail::Emitter &e, unsigned i, ::mlir::Value t, "
    # "::mlir::ValueRange operands, ::mlir::Value ans) {\n" # Bind<names>.text # "\n  switch (i) {\n"
    # Cases<tangents>.text # "\n  }\n  llvm_unreachable(\"operand index out of range\");\n}\n"
    # "::mlir::Value $cppClass::cotangent(::dovetail::Emitter &e, unsigned i, ::mlir::Value t, "
    # "::mlir::ValueRange operands) {\n" # Bind<names>.text # "\n  [[maybe_unused]] ::mlir::Value ans;\n  switch (i) {\n"
    # Cases<cotangents>.text # "\n  }\n  llvm_unreachable(\"operand index out of range\");\n}\n"
    # "bool $cppClass::isCheap() { return " # !if(isCheap, "true", "false") # "; }\n"
    # "::dovetail::OperandSets $cppClass::linearSets() { return {" # !interleave(linear, ", ") # "}; }\n"
    # "::mlir::Value $cppClass::emitScalar(::dovetail::scalar::ScalarBuilder &b, ::mlir::ValueRange args) {\n  return "
    # scalar # ";\n}\n"
    # "::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc, "
    # "::mlir::ValueRange operands, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties, ::mlir::RegionRange, "
    # "::llvm::SmallVectorImpl<::mlir::Type> &types) {\n  return ::dovetail::inferPointwise(loc, getOperationName(), operands, "
    # !cast<string>(from) # ", [](::mlir::Type element) -> ::mlir::Type { return " # resultElement # "; }, types);\n}\n";
}

class Unary<string mnemonic, Type element, string dx, list<Trait> traits = []>
    : Pointwise<mnemonic, (ins Tensor<element>:$x), "$x attr-dict `:` type($x)", ["x"], [dx], traits>;
class Binary<string mnemonic, Type element, string dx, string dy, list<Trait> traits = []>
    : Pointwise<mnemonic, (ins Tensor<element>:$x, Tensor<element>:$y), "$x `,` $y attr-dict `:` type($x)", ["x", "y"],
                [dx, dy], traits # [SameTypeOperands]>;

#endif // DOVETAIL_POINTWISE_BASE_TD
