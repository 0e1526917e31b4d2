// Calls of the library: an executable for each of its functions, which takes its task as constants.
#include "BlasCall.h"
#include "LibraryCall.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Builders.h"
#include "dialects/HostFunction.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace dovetail {

std::optional<blas::Element> elementOf(Type type) {
  using E = blas::Element;
  auto complex = dyn_cast<ComplexType>(type);
  Type part = complex ? complex.getElementType() : type;
  if (part.isF32())
    return complex ? E::Complex64 : E::Float32;
  if (part.isF64())
    return complex ? E::Complex128 : E::Float64;
  return std::nullopt;
}

static int64_t threadsOf(ImplicitLocOpBuilder &b) {
  return threadsOf(b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>());
}

bool hasProducts(Type element) { return elementOf(element).has_value(); }

Value callProduct(ImplicitLocOpBuilder &b, const ProductCall &call, Value left, Value right, RankedTensorType result,
                  ValueRange sizes) {
  Executable executable;
  LibraryArray arrays[] = {{executable.addInput(left, dynamicSizes(b, left)), b.getI8Type()},
                           {executable.addInput(right, dynamicSizes(b, right)), b.getI8Type()},
                           {executable.addOutput(result, sizes), b.getI8Type()}};
  OpFoldResult element = b.getIndexAttr(int64_t(*elementOf(result.getElementType()))),
               layout = b.getIndexAttr(call.layout.bits()), groups = b.getIndexAttr(threadsOf(b));
  OpFoldResult numbers[blas::kNumNumbers] = {element, layout, call.batch, call.rows, call.columns, call.terms, groups};
  for (OpFoldResult number : numbers)
    executable.addConstant(getValueOrCreateConstantIndexOp(b, b.getLoc(), number));
  std::string name = (Twine(blas::kPrefix) + blas::kProduct).str();
  return callLibrary(b, executable, {name, blas::kProduct, blas::kNumNumbers, threadsOf(b)}, arrays).front();
}

Value callWindows(ImplicitLocOpBuilder &b, const WindowsCall &call, Value left, Value right, RankedTensorType result) {
  Executable executable;
  LibraryArray arrays[] = {{executable.addInput(left, {}), b.getI8Type()},
                           {executable.addInput(right, {}), b.getI8Type()},
                           {executable.addOutput(result, {}), b.getI8Type()}};
  int64_t element = int64_t(*elementOf(result.getElementType())), groups = threadsOf(b);
  const blas::Strides &l = call.left, &r = call.right;
  int64_t numbers[blas::kNumWindowsNumbers] = {element,   call.batch, call.rows, call.columns, call.terms,
                                               call.taps, l.row,      l.batch,   l.tap,        r.row,
                                               r.batch,   r.tap,      groups};
  for (int64_t number : numbers)
    executable.addConstant(arith::ConstantIndexOp::create(b, number));
  std::string name = (Twine(blas::kPrefix) + blas::kWindows).str();
  return callLibrary(b, executable, {name, blas::kWindows, blas::kNumWindowsNumbers, groups}, arrays).front();
}

std::optional<blas::Update> replacing(Type) { return blas::Update::Replace; }

std::optional<blas::Update> adding(Type element) {
  using U = blas::Update;
  if (auto complex = dyn_cast<ComplexType>(element))
    return adding(complex.getElementType());
  if (element.isF32() || element.isF64())
    return element.isF32() ? U::AddFloat32 : U::AddFloat64;
  if (element.isInteger(8) || element.isInteger(16))
    return element.isInteger(8) ? U::AddInt8 : U::AddInt16;
  if (element.isInteger(32) || element.isInteger(64))
    return element.isInteger(32) ? U::AddInt32 : U::AddInt64;
  return std::nullopt;
}

/// Adds the constants of a call of a function for rows, and calls it: all threads take part.
static Value callForRows(ImplicitLocOpBuilder &b, Executable &executable, StringRef function,
                         ArrayRef<LibraryArray> arrays, SmallVector<OpFoldResult> numbers) {
  int64_t groups = threadsOf(b);
  numbers.push_back(b.getIndexAttr(groups));
  for (OpFoldResult number : numbers)
    executable.addConstant(getValueOrCreateConstantIndexOp(b, b.getLoc(), number));
  std::string name = (Twine(blas::kPrefix) + function).str();
  return callLibrary(b, executable, {name, function, unsigned(numbers.size()), groups}, arrays).front();
}

Value callScatter(ImplicitLocOpBuilder &b, blas::Update update, Value x, Value rows, Value updates,
                  OpFoldResult numRows, OpFoldResult bytes) {
  Executable executable;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Value> sizes = dynamicSizes(b, x);
  executable.addInput(x, sizes);
  LibraryArray arrays[] = {{executable.addInput(rows, dynamicSizes(b, rows)), b.getI32Type()},
                           {executable.addInput(updates, dynamicSizes(b, updates)), b.getI8Type()},
                           {executable.addOutput(type, sizes, /*tiedInput=*/0), b.getI8Type()}};
  SmallVector<OpFoldResult> row = sizesOf(b, updates);
  OpFoldResult numUpdates = std::exchange(row[0], b.getIndexAttr(bytesOfElement(type.getElementType())));
  return callForRows(b, executable, blas::kScatter, arrays,
                     {b.getIndexAttr(int64_t(update)), numUpdates, numRows, bytes, productOf(b, row)});
}

Value callGather(ImplicitLocOpBuilder &b, Value x, Value rows, OpFoldResult numRows, OpFoldResult bytes,
                 RankedTensorType result, ValueRange sizes) {
  Executable executable;
  LibraryArray arrays[] = {{executable.addInput(rows, dynamicSizes(b, rows)), b.getI32Type()},
                           {executable.addInput(x, dynamicSizes(b, x)), b.getI8Type()},
                           {executable.addOutput(result, sizes), b.getI8Type()}};
  OpFoldResult numResults = productOf(b, sizesOf(b, rows));
  return callForRows(b, executable, blas::kGather, arrays, {numResults, numRows, bytes});
}

SmallVector<Value> callMatrices(ImplicitLocOpBuilder &b, StringRef function, const MatricesCall &call,
                                ValueRange operands, ArrayRef<MatrixResult> results) {
  Executable executable;
  SmallVector<LibraryArray> arrays;
  for (Value operand : operands)
    arrays.push_back({executable.addInput(operand, dynamicSizes(b, operand)), b.getI8Type()});
  for (const MatrixResult &result : results)
    arrays.push_back({executable.addOutput(result.type, result.sizes), b.getI8Type()});
  int64_t groups = threadsOf(b);
  OpFoldResult element = b.getIndexAttr(int64_t(*elementOf(getElementTypeOrSelf(operands[0].getType()))));
  OpFoldResult numbers[blas::kNumMatricesNumbers] = {element,      b.getIndexAttr(call.flags), call.batch, call.rows,
                                                     call.columns, b.getIndexAttr(groups)};
  for (OpFoldResult number : numbers)
    executable.addConstant(getValueOrCreateConstantIndexOp(b, b.getLoc(), number));
  std::string name = (Twine(blas::kPrefix) + function).str();
  return callLibrary(b, executable, {name, function, blas::kNumMatricesNumbers, groups}, arrays);
}

SmallVector<Value> callColumns(ImplicitLocOpBuilder &b, int64_t kinds, const ColumnsOfMatrices &matrices, Value x,
                               Value center, RankedTensorType result) {
  Executable executable;
  SmallVector<LibraryArray> arrays = {{executable.addInput(x, {}), b.getI8Type()},
                                      {executable.addInput(center, {}), b.getI8Type()}};
  int64_t numResults = llvm::popcount(uint64_t(kinds));
  for (int64_t i = 0; i < numResults; ++i)
    arrays.push_back({executable.addOutput(result, {}), b.getI8Type()});
  int64_t numbers[blas::kNumColumnsNumbers] = {int64_t(*elementOf(result.getElementType())),
                                               kinds,
                                               matrices.outer,
                                               matrices.rows,
                                               matrices.columns,
                                               threadsOf(b)};
  for (int64_t number : numbers)
    executable.addConstant(arith::ConstantIndexOp::create(b, number));
  const char *function = blas::kColumns[numResults - 1];
  std::string name = (Twine(blas::kPrefix) + function).str();
  return callLibrary(b, executable, {name, function, blas::kNumColumnsNumbers}, arrays);
}

Value callTranspose(ImplicitLocOpBuilder &b, const TransposeForLibrary &transpose, Value x, RankedTensorType result) {
  Executable executable;
  LibraryArray arrays[] = {{executable.addInput(x, {}), b.getI8Type()},
                           {executable.addOutput(result, {}), b.getI8Type()}};
  SmallVector<int64_t> numbers = {transpose.bytes};
  for (const blas::Moved &moved : {transpose.outer[0], transpose.outer[1], transpose.rows, transpose.columns})
    numbers.append({moved.size, moved.from, moved.to});
  numbers.push_back(threadsOf(b));
  for (int64_t number : numbers)
    executable.addConstant(arith::ConstantIndexOp::create(b, number));
  std::string name = (Twine(blas::kPrefix) + blas::kTranspose).str();
  return callLibrary(b, executable, {name, blas::kTranspose, blas::kNumTransposeNumbers}, arrays).front();
}

Value callChirp(ImplicitLocOpBuilder &b, FloatType element, int64_t flags, OpFoldResult rows, int64_t length, Value x,
                RankedTensorType result, ValueRange sizes) {
  Executable executable;
  LibraryArray arrays[] = {{executable.addInput(x, dynamicSizes(b, x)), b.getI8Type()},
                           {executable.addOutput(result, sizes), b.getI8Type()}};
  OpFoldResult numbers[blas::kNumChirpNumbers] = {b.getIndexAttr(int64_t(*elementOf(ComplexType::get(element)))),
                                                  b.getIndexAttr(flags), rows, b.getIndexAttr(length),
                                                  b.getIndexAttr(threadsOf(b))};
  for (OpFoldResult number : numbers)
    executable.addConstant(getValueOrCreateConstantIndexOp(b, b.getLoc(), number));
  std::string name = (Twine(blas::kPrefix) + blas::kChirp).str();
  return callLibrary(b, executable, {name, blas::kChirp, blas::kNumChirpNumbers}, arrays).front();
}

Value callSort(ImplicitLocOpBuilder &b, const RowSort &sort, Value rows) {
  Executable executable;
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<Value> dynamic = dynamicSizes(b, rows);
  SmallVector<OpFoldResult> sizes = sizesOf(b, rows);
  auto result = sort.givesPlaces ? RankedTensorType::get(type.getShape(), b.getI32Type()) : type;
  LibraryArray arrays[] = {{executable.addInput(rows, dynamic), b.getI8Type()},
                           {executable.addOutput(result, dynamic), b.getI8Type()}};
  OpFoldResult numbers[blas::kNumSortNumbers] = {b.getIndexAttr(int64_t(sort.element)),
                                                 b.getIndexAttr(bytesOfElement(type.getElementType())),
                                                 b.getIndexAttr(sort.givesPlaces),
                                                 b.getIndexAttr(sort.isDescending),
                                                 sizes[0],
                                                 sizes[1],
                                                 b.getIndexAttr(threadsOf(b))};
  for (OpFoldResult number : numbers)
    executable.addConstant(getValueOrCreateConstantIndexOp(b, b.getLoc(), number));
  std::string name = (Twine(blas::kPrefix) + blas::kSort).str();
  return callLibrary(b, executable, {name, blas::kSort, blas::kNumSortNumbers}, arrays).front();
}

Value callRunning(ImplicitLocOpBuilder &b, blas::RunningElement element, int64_t flags, Value x) {
  Executable executable;
  auto type = cast<RankedTensorType>(x.getType());
  LibraryArray arrays[] = {{executable.addInput(x, {}), b.getI8Type()},
                           {executable.addOutput(type, {}), b.getI8Type()}};
  int64_t length = type.getShape().back();
  int64_t numbers[blas::kNumRunningNumbers] = {int64_t(element), flags, type.getNumElements() / length, length,
                                               threadsOf(b)};
  for (int64_t number : numbers)
    executable.addConstant(arith::ConstantIndexOp::create(b, number));
  std::string name = (Twine(blas::kPrefix) + blas::kRunning).str();
  return callLibrary(b, executable, {name, blas::kRunning, blas::kNumRunningNumbers}, arrays).front();
}

} // namespace dovetail
