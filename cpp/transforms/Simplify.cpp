// Folds and rewrites ops, merges common subexpressions, removes dead ops.
#include "Passes.h"
#include "dialects/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa<DovetailDialect, arith::ArithDialect, func::FuncDialect>(op.getDialect()))
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

  /// Configured like MLIR's own pass; as there, reaching the limit of rounds is not a failure.
  void rewrite() {
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal().setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
    (void)applyPatternsGreedily(getOperation(), *patterns, config);
  }

  /// The patterns of ops that occur before lowering, since each run sorts all given patterns; shared by copies of the
  /// pass.
  std::shared_ptr<const FrozenRewritePatternSet> patterns;
};
} // namespace

} // namespace dovetail
