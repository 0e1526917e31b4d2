// Folds and rewrites ops, merges common subexpressions, removes dead ops.
#include "Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SIMPLIFYPASS
#include "cpp/transforms/Passes.h.inc"

namespace {
struct SimplifyPass : impl::SimplifyPassBase<SimplifyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet found(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(found);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(found, context);
    patterns = std::make_shared<FrozenRewritePatternSet>(std::move(found));
    return success();
  }

  void runOnOperation() override {
    rewrite();
    IRRewriter rewriter(&getContext());
    bool merged = false;
    eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(), getOperation(), &merged);
    if (merged)
      rewrite();
  }

  /// Configured as MLIR's own pass; as there, it is no failure if it does not end after some rounds.
  void rewrite() {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    (void)applyPatternsGreedily(getOperation(), *patterns, config);
  }

  /// Those of all dialects; shared by copies of the pass.
  std::shared_ptr<const FrozenRewritePatternSet> patterns;
};
} // namespace

} // namespace dovetail
