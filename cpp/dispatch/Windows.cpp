// Windows of arrays that reach beyond their ends.
#include "Windows.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Builders.h"

using namespace mlir;

namespace dovetail {

static RankedTensorType typeOf(Value base) { return cast<RankedTensorType>(base.getType()); }

bool Window::isInside() const {
  return llvm::all_of(llvm::zip_equal(starts, sizes, typeOf(base).getShape()), [](auto each) {
    auto [start, size, length] = each;
    return start >= 0 && start + size <= length;
  });
}

/// Adds a border to those of an array; false if another one is there.
static bool add(SmallVectorImpl<Border> &borders, const Border &border) {
  Border joined = border;
  for (const Border &other : borders) {
    if (other.dim != border.dim || other.end < border.begin || border.end < other.begin)
      continue;
    if (other.distance == border.distance) {
      joined.begin = std::min(joined.begin, other.begin);
      joined.end = std::max(joined.end, other.end);
    } else if (other.end != border.begin && border.end != other.begin) {
      return false;
    }
  }
  llvm::erase_if(borders, [&](const Border &other) {
    return other.dim == joined.dim && other.begin >= joined.begin && other.end <= joined.end;
  });
  borders.push_back(joined);
  return true;
}

bool ExtendedArrays::include(const Window &window, ArrayRef<Border> borders) {
  if (window.isInside())
    return true;
  auto found = extensions.find(window.base);
  SmallVector<Border> all;
  if (found != extensions.end())
    all = found->second.borders;
  if (!llvm::all_of(borders, [&](const Border &border) { return add(all, border); }))
    return false;
  ArrayRef<int64_t> shape = typeOf(window.base).getShape();
  Extension &extension = extensions[window.base];
  extension.borders = std::move(all);
  extension.low.resize(shape.size(), 0);
  extension.high.resize(shape.size(), 0);
  for (auto [start, size, length, low, high] :
       llvm::zip_equal(window.starts, window.sizes, shape, extension.low, extension.high)) {
    low = std::max(low, -start);
    high = std::max(high, start + size - length);
  }
  return true;
}

SmallVector<int64_t> ExtendedArrays::shapeOf(Value base, const Extension &extension) {
  SmallVector<int64_t> shape(typeOf(base).getShape());
  for (auto [length, low, high] : llvm::zip_equal(shape, extension.low, extension.high))
    length += low + high;
  return shape;
}

int64_t ExtendedArrays::elements() const {
  int64_t count = 0;
  for (auto &[base, extension] : extensions)
    count += ShapedType::getNumElements(shapeOf(base, extension));
  return count;
}

Value ExtendedArrays::slice(ImplicitLocOpBuilder &b, const Window &window) {
  auto attrs = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(b.getContext(), values); };
  SmallVector<OpFoldResult> ones(window.starts.size(), b.getIndexAttr(1));
  RankedTensorType type = typeOf(window.base).clone(window.sizes);
  if (window.isInside()) {
    if (type == window.base.getType())
      return window.base;
    return tensor::ExtractSliceOp::create(b, type, window.base, attrs(window.starts), attrs(window.sizes), ones);
  }
  Extension &extension = extensions.find(window.base)->second;
  if (!extension.array) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(window.base);
    RankedTensorType base = typeOf(window.base);
    Value all = tensor::EmptyOp::create(b, shapeOf(window.base, extension), base.getElementType());
    // Otherwise, each part of the copy would compute the array again.
    Value source = window.base;
    if (source.getDefiningOp<linalg::LinalgOp>())
      source = computeBarrier(b, source);
    all = tensor::InsertSliceOp::create(b, source, all, attrs(extension.low), attrs(base.getShape()), ones);
    for (const Border &border : extension.borders) {
      SmallVector<int64_t> from(base.getRank(), 0), to = extension.low, sizes(base.getShape());
      from[border.dim] = border.begin + border.distance;
      to[border.dim] += border.begin;
      sizes[border.dim] = border.end - border.begin;
      Value part = tensor::ExtractSliceOp::create(b, base.clone(sizes), source, attrs(from), attrs(sizes), ones);
      all = tensor::InsertSliceOp::create(b, part, all, attrs(to), attrs(sizes), ones);
    }
    extension.array = all;
  }
  SmallVector<int64_t> starts;
  for (auto [start, low] : llvm::zip_equal(window.starts, extension.low))
    starts.push_back(start + low);
  return tensor::ExtractSliceOp::create(b, type, extension.array, attrs(starts), attrs(window.sizes), ones);
}

static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

bool rewriteBlocks(ModuleOp program, function_ref<bool(Block &)> rewrite) {
  SmallVector<Block *> blocks;
  for (func::FuncOp function : program.getOps<func::FuncOp>())
    function.walk([&](Block *block) { blocks.push_back(block); });
  bool isAny = false;
  for (Block *block : blocks) {
    if (!rewrite(*block))
      continue;
    eraseDead(*block);
    isAny = true;
  }
  return isAny;
}

} // namespace dovetail
