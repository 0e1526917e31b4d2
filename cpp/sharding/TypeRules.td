// The interfaces of ops with rules of their own for shardings.
#ifndef DOVETAIL_TYPE_RULES_TD
#define DOVETAIL_TYPE_RULES_TD

include "dialects/Interfaces.td"

def TypeRuleOpInterface : Rule<"TypeRuleOpInterface"> {
  let description = [{
    Over explicit axes, the axes of operands decide those of results: those that one factor has everywhere are kept.
    An op may know more, and it has the words for axes that are ambiguous, which are JAX's.
  }];
  let methods = [
    InterfaceMethod<[{
      Decides the axes of the result, if factors do not: then false. Fails with an error if they are ambiguous.
    }], "::llvm::FailureOr<bool>", "decide", (ins "const ::dovetail::TypedOperands &":$operands,
                                                  "::dovetail::AxesOfEach &":$result), "", [{ return false; }]>,
    InterfaceMethod<[{
      Adds to the result the axes of an operand's dimension that is no factor of it, or that cannot be computed in
      parts. Fails with an error if they are ambiguous.
    }], "::llvm::LogicalResult", "carry",
      (ins "const ::dovetail::TypedOperands &":$operands, "unsigned":$operand, "unsigned":$dim,
           "::dovetail::AxesOfEach &":$result), "", [{ return ::dovetail::reportWhole(operands, operand); }]>,
    InterfaceMethod<"Reports that dimensions of two operands that run over one factor have different axes.",
      "::llvm::LogicalResult", "reportConflict",
      (ins "const ::dovetail::TypedOperands &":$operands, "unsigned":$first, "unsigned":$second, "bool":$isReduced), "",
      [{ return ::dovetail::reportUnequal(operands, first, second); }]>,
    InterfaceMethod<"Checks the axes of a factor that is reduced, if all operands agree on them.",
      "::llvm::LogicalResult", "checkReduced", (ins "const ::dovetail::TypedOperands &":$operands), "",
      [{ return ::llvm::success(); }]>,
    InterfaceMethod<"Checks operands of which some are terms of sums.",
      "::llvm::LogicalResult", "checkTerms", (ins "const ::dovetail::TypedOperands &":$operands), "",
      [{ return ::llvm::success(); }]>,
  ];
}

def RegroupingOpInterface : Rule<"RegroupingOpInterface"> {
  let description = [{
    An op of one array, whose result has its elements in their order under another shape. A dimension has one factor, but
    what is divided over several axes may be split between them, and merged again.
  }];
}

#endif // DOVETAIL_TYPE_RULES_TD
