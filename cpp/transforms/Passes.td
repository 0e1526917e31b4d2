// Passes that transform functions and requests.
#ifndef DOVETAIL_TRANSFORMS_PASSES_TD
#define DOVETAIL_TRANSFORMS_PASSES_TD

include "cpp/PassBase.td"

/// A transform of one function, for use on its own; `expand` applies the same transforms where requests ask for them.
class FunctionPass<string flag> : ModulePass<flag> {
  list<Option> functionOption = [Option<"function", "function", "std::string", "\"main\"", "the function to transform">];
}

def JvpPass : FunctionPass<"dovetail-jvp"> {
  let summary = "forward-mode derivative of a function";
  let description = [{
    Adds `@f.jvp`: (primals, tangents of the arguments in `wrt`) to (results, tangents of the results that depend on
    them). The body is walked once. An op none of whose operands has a tangent is copied. Otherwise its rule returns the
    tangents of its results: the stated rule, the sum of the tangent formulas of a pointwise op, or the op itself on the
    tangents if it is linear. A missing tangent is zero, and nothing is emitted for it.
  }];
  let options = functionOption # [ListOption<"wrt", "wrt", "int64_t", "the arguments that get tangents">];
}

def SplitPass : FunctionPass<"dovetail-split"> {
  let summary = "partitions a function into the part that does not depend on some arguments, and the rest";
  let description = [{
    Adds `@f.known`: (known arguments) to (known results, residuals), and `@f.rest`: (residuals, unknown arguments) to
    (unknown results). Every op whose operands are known is known; an op with a body is first split itself. Residuals
    are the known values with the fewest bytes from which cheap ops can compute everything that the rest needs (a
    minimum cut); these ops, and those without operands, are repeated there. Applied to a jvp with unknown tangents,
    this is linearization.
  }];
  let options = functionOption # [ListOption<"unknown", "unknown", "int64_t", "the arguments that are unknown">];
}

def TransposePass : FunctionPass<"dovetail-transpose"> {
  let summary = "transpose of a function that is linear in some of its arguments";
  let description = [{
    Adds `@f.transpose`: (other arguments, sizes of the `?`s of the linear arguments, cotangents of the results) to
    (cotangents of the linear arguments). Ops that do not depend on the linear arguments are copied; the others are
    visited in reverse order, and each adds its share to the cotangents of its operands.
  }];
  let options = functionOption # [ListOption<"linear", "linear", "int64_t", "the arguments in which it is linear">];
}

def BatchPass : FunctionPass<"dovetail-batch"> {
  let summary = "a function over a batch";
  let description = [{
    Adds `@f.batch`, whose argument i carries the batch as dimension `dims[i]`, or none for -1. An op none of whose
    operands carries the batch is copied, unless it, its bodies or its callees name the axis of the batch. Otherwise its
    batching rule decides where its results carry the batch; for pointwise ops, all operands get it where the first one
    has it.
  }];
  let options = functionOption # [
    ListOption<"dims", "dims", "int64_t", "position of the batch in each argument">,
    Option<"size", "size", "int64_t", "-1", "size of the batch, -1 for '?'">,
    Option<"axis", "axis", "std::string", "", "name of the batch's axis, for collectives">,
    ListOption<"meshAxes", "mesh-axes", "std::string", "axes over which ops that state shardings divide the batch">];
}

def VaryPass : FunctionPass<"dovetail-vary"> {
  let summary = "a function of parts in which values that vary along manual axes are told apart from others";
  let description = [{
    Adds `@f.vary`, for arguments that vary along given axes. An op's results vary along the axes along which one of its
    operands varies; operands that are the same along one of these get a `vary`, so that their cotangents are summed. A
    reduction over a manual axis is `invariant`: its result does not vary. Carries of loops vary along the axes along
    which they do in any iteration. Callees are copied, once for each way in which their arguments vary.
  }];
  let options = functionOption # [
    ListOption<"axes", "axes", "std::string", "the manual axes">,
    ListOption<"arguments", "arguments", "std::string", "for each argument, axes joined by '+', or empty">];
}

def UnshardPass : ModulePass<"dovetail-unshard"> {
  let summary = "functions of parts of arrays become functions of whole arrays";
  let description = [{
    Gives a program on many devices its meaning on one: a function of parts is batched over the axes of the mesh, of which its
    collectives become ops along dimensions; what only says where arrays are is removed. Tests and the evaluator take
    partitioned programs by this meaning.
  }];
}

def DischargePass : ModulePass<"dovetail-discharge"> {
  let summary = "references become the arrays that they hold";
  let description = [{
    Visits the ops of a function in order and keeps what each reference holds. An op on references is replaced by what it
    does to these arrays (`RefOpInterface`). An op with bodies that take a reference takes the array; if a body writes to
    it, the array is threaded through the bodies, from iteration to iteration of a loop and out of branches
    (`FlowOpInterface`, `ThreadOpInterface`). Calls on references are inlined. A function that takes references takes the
    arrays that they hold, and returns in addition those of the references that it writes to, in the order of its arguments.
    A reference that backward rules use has a second array, its echo (`ref_echo`), which is threaded in the same way: a
    function takes the echoes as its last arguments, and returns them as its last results.
    It is an error if a reference is used after its end, taken twice by one op, or returned.
  }];
}

def VectorizeGridsPass : ModulePass<"dovetail-vectorize-grids"> {
  let summary = "programs of a grid that do not depend on each other are computed at once";
  let description = [{
    A loop marked as the programs of a grid becomes ops on whole arrays if each program only reads arrays of before the
    loop, and reads and writes a window of its own of those that the loop carries. Windows next to each other are one
    window, of a slice of the array; an op on blocks along one of its factors is the same op on a larger factor; every
    other op is batched. What programs only add to a carry may be an op that reduces such a factor by sums, and what they
    only add to windows of one, which may overlap, is one scatter. What remains of a kernel is as if written with plain
    ops. What a loop does only in its first or last iteration is moved before or behind it where possible; a loop between
    others that stays is tried again without these iterations. Other loops stay as they are.

    What the programs of a grid compute in several stages, as a product and what is made of it, remains one op, a `case` of one
    branch with the mark `dovetail.kernel`, for dispatches to be formed by.
  }];
}

def ExpandPass : ModulePass<"dovetail-expand"> {
  let summary = "transform requests become calls of transformed functions";
  let description = [{
    Visits functions callees first, so that requests are expanded innermost first and every transform sees only calls. A
    transform is made once for each pair of function and request. Functions without callers are removed.
  }];
}

def InlinePass : ModulePass<"dovetail-inline"> {
  let summary = "calls are replaced by the bodies of their callees";
}

def SimplifyPass : ModulePass<"dovetail-simplify"> {
  let summary = "ops are folded and rewritten, common subexpressions merged, dead ones removed";
  let description = [{
    What `canonicalize`, `cse` and, where that has merged ops, `canonicalize` do, without what two passes more take on a
    small program.
  }];
}

def SplitStatesPass : ModulePass<"dovetail-split-states"> {
  let summary = "loops carry states of few components as an array for each component";
  let description = [{
    A state of two to eight components, such as the coordinates of many points, is taken apart, computed with, and joined
    again (`ComponentsOpInterface`) several times in an iteration. If a carry stays split through all pointwise ops of a
    loop's body, and reductions (`ReduceOpInterface`) combine all components, the loop carries a value for each component
    (`ThreadOpInterface`): nothing is joined, and all arrays are contiguous. The program is simplified afterwards.
  }];
}

def CheckFinitePass : ModulePass<"dovetail-check-finite"> {
  let summary = "an additional result that identifies the first op that produces a NaN or an infinity";
  let description = [{
    For modules whose attribute `dovetail.unwanted` lists `nan`, `inf` or both; others stay unchanged. The attribute is
    removed. The functions get an additional result, an `i32`: twice the number of the first op, in order of execution,
    that produced such a value, plus 1 if it is an infinity; the largest number if there is none. Ops are numbered in
    the order of the module's text before the pass, including those in bodies, whether or not they are checked.

    A pointwise op produces a value if none of its operands has it; other ops produce whatever their results contain,
    unless they only move elements, or are constants. Codes of ops that are pointwise on each other's results are
    combined elementwise, and reduced a few at a time, between two ops with bodies. The code found so far is threaded
    through bodies as an additional value (`ThreadOpInterface`). Predicates of loops are not checked: their values reach
    no result.
  }];
}

def CheckifyPass : FunctionPass<"dovetail-checkify"> {
  let summary = "a function that also returns which of its checks failed first";
  let description = [{
    Adds `@f.checked`, whose first result is a vector of `i32`: the number of the failure that comes first in order of
    execution, the largest number if there is none, and then words that describe it. `kinds` lists which failures count:
    `user` (the op `check`), `div` and `index` (`FailureOpInterface`) and `nan`: a pointwise op makes a NaN if none of
    its operands is one, other ops if a result is. Checks of other kinds are removed.

    The vector goes through bodies and calls as an additional value; a loop's predicate is computed in its body if it can
    fail. A function with rules is called as before, for its values and derivatives, and its version with checks besides,
    for the failures: `simplify` merges the two.
  }];
  let options = functionOption # [ListOption<"kinds", "kinds", "std::string", "the kinds of failures">];
}

def PrintFactorsPass : ModulePass<"dovetail-print-factors"> {
  let summary = "a remark with the factor map of each op that has one, for tests";
  let description = [{
    `([i,k],[k,j])->([i,j]) {reduced k}` is a matrix product; `_` is a dimension that is not a loop.
  }];
}

#endif // DOVETAIL_TRANSFORMS_PASSES_TD
