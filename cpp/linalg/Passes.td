// Passes that decompose ops.
#ifndef DOVETAIL_LINALG_PASSES_TD
#define DOVETAIL_LINALG_PASSES_TD

include "cpp/PassBase.td"

def DecomposePass : ModulePass<"dovetail-decompose"> {
  let summary = "algorithms in other ops instead of ops on matrices";
  let description = [{
    Each op with an algorithm in other ops (`DecomposeOpInterface`) is replaced by it: loops whose bodies are matrix
    products, reductions and pointwise ops. The algorithm is emitted for one matrix, and then batched by the rules of
    its ops, all leading dimensions as one. The functions in `cpp/linalg` name the algorithms and their sources.
    Iterations to convergence are loops of bounded length, and are skipped for input that is not finite. The resulting
    module needs no library.

    For a CPU, so are large convolutions of arrays with zeros between their elements: a convolution for each residue of
    positions, without the zeros.

    With the module's attribute `dovetail.host_functions`, only ops on small matrices in loops and branches are
    decomposed: a loop that consists of plain ops can be one dispatch. For a CPU, batches of small matrices are left to
    the lowering, if an op states that it computes them in the lanes of vectors.

    With `ops`, the ops of these names are decomposed instead, whatever their lowering, for forms of programs that lack
    them: also pointwise ops, into their scalar code on whole arrays.
  }];
  let options = [ListOption<"ops", "ops", "std::string", "the names of ops to decompose, without that of the dialect">];
}

#endif // DOVETAIL_LINALG_PASSES_TD
