// The passes that lower the dialect.
#ifndef DOVETAIL_LOWERING_PASSES_TD
#define DOVETAIL_LOWERING_PASSES_TD

include "cpp/PassBase.td"

def MarkReadOncePass : ModulePass<"dovetail-mark-read-once"> {
  let summary = "values that one op reads, apart from reports of them, are marked";
  let description = [{
    A product that one sum reads rounds with it. A call for debugging that reads the product, too, would change that, but
    not where the product is computed again, without the call. Values with such readers, which have no results that others
    use, and with one other reader have the mark `dovetail.read_once`.
  }];
}

def SuspendLoopsPass : ModulePass<"dovetail-suspend-loops"> {
  let summary = "loops that call the host in few iterations are one dispatch until then";
  let description = [{
    A loop with a call of the host in a branch, such as one that reports an error or progress, would run on the host, with
    dispatches for the ops of each iteration. Where a dispatch is faster, the loop is divided: an inner loop without the
    call runs until an iteration comes to that branch; it drops what that iteration computed, and stops. An outer
    loop, on the host, then calls the whole iteration (`late_call`), and the inner one goes on. Calls happen in the
    same order and as often as before. The branch may be in loops and branches within the loop: all of them stop.

    What an iteration does after such a branch becomes a branch, too, which it takes unless it stops. The program is
    simplified afterwards.

    Only programs that run in the process that compiles them (`dovetail.host_functions`) have such calls.
  }];
}

def PlaceShortRowsPass : ModulePass<"dovetail-place-short-rows"> {
  let summary = "arrays of short rows have what was along the rows as their first dimension";
  let description = [{
    Rows of two to eight elements, such as the classes of many points, leave most of a vector empty. The dimension of such rows
    becomes the first one of all arrays that pointwise ops compute from each other, if no array is copied for that: the first
    ones are made in any order of dimensions (`PermuteOpInterface`), and only reductions (`ReduceOpInterface`) take the last
    ones. What these ops read or return, of an eighth of the elements at most, may be transposed. The program is simplified
    afterwards.
  }];
}

def DivideLoopsPass : ModulePass<"dovetail-divide-loops"> {
  let summary = "parts of loops over large arrays as workgroups of one dispatch";
  let description = [{
    A loop whose iterations are too long for one dispatch of one workgroup runs on the host, which starts the dispatches of each
    iteration. If all that the loop carries and stacks can be divided along one dimension each, such that an
    iteration computes a part from the same part of the others, the loop becomes one over the parts, with the mark
    `dovetail.workgroups`: each runs all iterations on its own. By the factor maps of the ops, no rule of an op is needed. The
    elementwise ops around the loop, divided in the same way, are part of it.

    What a kernel computes (`dovetail.kernel`) is divided in the same way, whether there is a loop in it or not, if its arrays can
    be divided along their leading dimensions; if there is a batch of few entries, each entry is divided. If not, it is one dispatch
    of one workgroup if that takes little time; otherwise its ops are inlined, and form dispatches of their own. On a GPU they are
    also inlined if the code generator makes one dispatch of them: elementwise ops, and at most one that reduces.

    A loop stays as it is if workgroups would repeat much work, or if its parts are not lowered to one dispatch.
  }];
}

def LowerPass : ModulePass<"dovetail-lower"> {
  let summary = "linalg, tensor, arith, math and complex instead of dovetail ops";
  let description = [{
    Pointwise ops become one `linalg.generic` with their scalar code, reductions one with a reduction loop; other ops
    lower by the code of their families. Integers become signless. The result suits every target, unless the module's
    attribute `dovetail.target` names one for which a family has a better lowering. With the module's attribute
    `dovetail.host_loops`, no loop becomes one dispatch; with `dovetail.host_functions`, ops that the evaluator computes
    well become calls of imported functions, whose declarations name them. For a CPU that multiplies and adds in one
    instruction, sums of products become such, and other products are rounded, whatever they are fused with later.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // DOVETAIL_LOWERING_PASSES_TD
