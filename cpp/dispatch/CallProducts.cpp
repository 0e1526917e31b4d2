// Calls the library for large products in the code of a dispatch.
#include "CallProducts.h"
#include "BlasCall.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

namespace {

/// A matrix in memory by rows, one after the other.
bool isMatrix(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  return type && type.getRank() == 2 && type.hasStaticShape() && succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides[1] == 1 && strides[0] == type.getDimSize(1);
}

/// Whether the op adds up products of its two operands' elements.
bool isSumOfProducts(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || op.getNumLoops() != 3 ||
      op.getNumReductionLoops() != 1 || op.getBlock()->getOperations().size() != 3)
    return false;
  auto sum = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  Value x = op.getBlock()->getArgument(0), y = op.getBlock()->getArgument(1), before = op.getBlock()->getArgument(2);
  auto product = (sum.getLhs() == before ? sum.getRhs() : sum.getLhs()).getDefiningOp<arith::MulFOp>();
  bool isAdded = sum.getLhs() == before || sum.getRhs() == before;
  return product && isAdded &&
         ((product.getLhs() == x && product.getRhs() == y) || (product.getLhs() == y && product.getRhs() == x));
}

/// A product in memory.
struct Product {
  Value left, right, result;
  blas::Layout layout = {};
  int64_t rows, columns, terms;
  /// What makes zeros of the result, to which the product is added.
  Operation *zeros;
};

/// Whether the op only fills buffers, with zeros.
bool makesZeros(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  return op.getNumDpsInits() == 1 && op.getNumReductionLoops() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return operand == op.getDpsInits()[0]; }) &&
         matchPattern(block->getTerminator()->getOperand(0), m_PosZeroFloat());
}

/// What fills a buffer with zeros, before an op of its block.
Operation *zerosBefore(Operation *op, Value buffer) {
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    auto structured = dyn_cast<linalg::LinalgOp>(before);
    if (structured && structured.getDpsInits().back() == buffer)
      return makesZeros(structured) ? before : nullptr;
    if ((before->getNumRegions() > 0 && !structured) || llvm::is_contained(before->getOperands(), buffer))
      return nullptr;
  }
  return nullptr;
}

std::optional<Product> productOf(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || !llvm::all_of(op->getOperands(), isMatrix) || !isSumOfProducts(op))
    return std::nullopt;
  Product product;
  product.result = op.getDpsInits()[0];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  unsigned row = maps[2].getDimPosition(0), column = maps[2].getDimPosition(1), term = 3 - row - column;
  if (op.getIteratorTypesArray()[term] != utils::IteratorType::reduction)
    return std::nullopt;
  unsigned left = maps[0].isFunctionOfDim(row) ? 0 : 1, right = 1 - left;
  if (!maps[left].isFunctionOfDim(row) || maps[left].isFunctionOfDim(column) || maps[right].isFunctionOfDim(row) ||
      !maps[right].isFunctionOfDim(column))
    return std::nullopt;
  product.left = op.getDpsInputs()[left];
  product.right = op.getDpsInputs()[right];
  product.layout.isLeftTransposed = maps[left].getDimPosition(0) == term;
  product.layout.isRightTransposed = maps[right].getDimPosition(0) == column;
  auto sizes = op.getStaticLoopRanges();
  std::tie(product.rows, product.columns, product.terms) = std::tuple(sizes[row], sizes[column], sizes[term]);
  product.zeros = zerosBefore(op, product.result);
  return product.zeros ? std::optional(product) : std::nullopt;
}

/// The base of a buffer, and its distance from there in bytes. IREE's base of a view that does not begin where its
/// binding does would be that of the binding, and its offset 0.
void addPlace(ImplicitLocOpBuilder &b, Value buffer, SmallVectorImpl<Value> &arguments) {
  int64_t bytes = getElementTypeOrSelf(buffer).getIntOrFloatBitWidth() / 8;
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value offset = memref::ExtractStridedMetadataOp::create(b, buffer).getOffset();
  arguments.append({base, arith::MulIOp::create(b, offset, arith::ConstantIndexOp::create(b, bytes))});
}

} // namespace

void callProducts(func::FuncOp function) {
  auto module = cast<ModuleOp>(function->getParentOp());
  SmallVector<std::pair<linalg::GenericOp, Product>> products;
  function.walk([&](linalg::GenericOp op) {
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    if (!element.isF32() && !element.isF64())
      return;
    std::optional<Product> product = productOf(op);
    if (product && isProductForLibrary(element, 1, product->rows, product->columns, product->terms))
      products.push_back({op, *product});
  });
  if (products.empty())
    return;
  std::string name = (Twine(blas::kPrefix) + blas::kProduct).str();
  func::FuncOp import;
  for (auto &[op, product] : products) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<Value> arguments;
    for (Value buffer : {product.left, product.right, product.result})
      addPlace(b, buffer, arguments);
    int64_t element = int64_t(*elementOf(getElementTypeOrSelf(product.left.getType())));
    for (int64_t number : {element, product.layout.bits(), int64_t(1), product.rows, product.columns, product.terms,
                           /*groups=*/int64_t(1), /*group=*/int64_t(0)})
      arguments.push_back(arith::ConstantIndexOp::create(b, number));
    if (!import) {
      ImplicitLocOpBuilder end = ImplicitLocOpBuilder::atBlockEnd(op.getLoc(), module.getBody());
      import = func::FuncOp::create(end, name, end.getFunctionType(ValueRange(arguments).getTypes(), {}));
      import.setPrivate();
      import->setAttr("llvm.bareptr", end.getBoolAttr(true));
    }
    func::CallOp::create(b, import, arguments);
    product.zeros->erase();
    op.erase();
  }
}

} // namespace dovetail
