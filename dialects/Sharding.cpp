// Meshes and shardings: text, verification, shapes of parts.
#include "Dialect.h"
#include "ShardingText.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dovetail {

ParseResult parseMeshAxes(AsmParser &parser, MeshAttr &mesh) {
  SMLoc at = parser.getCurrentLocation();
  SmallVector<StringAttr> axes;
  SmallVector<int64_t> sizes;
  auto parseAxis = [&]() -> ParseResult {
    return failure(parser.parseAttribute(axes.emplace_back()) || parser.parseEqual() ||
                   parser.parseInteger(sizes.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return failure();
  mesh =
      MeshAttr::getChecked([&] { return parser.emitError(at); }, parser.getContext(), ArrayRef(axes), ArrayRef(sizes));
  return success(mesh != nullptr);
}

void printMeshAxes(AsmPrinter &printer, MeshAttr mesh) {
  printer << '[';
  llvm::interleaveComma(llvm::zip_equal(mesh.getAxes(), mesh.getSizes()), printer,
                        [&](auto axis) { printer << std::get<0>(axis) << " = " << std::get<1>(axis); });
  printer << ']';
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  MeshAttr mesh;
  return parser.parseLess() || parseMeshAxes(parser, mesh) || parser.parseGreater() ? MeshAttr() : mesh;
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printMeshAxes(printer, *this);
  printer << '>';
}

static FailureOr<AxisRefAttr> parseAxisRef(AsmParser &parser) {
  // An attribute would parse the colon as the beginning of a type.
  std::string name;
  int64_t major = 0, size = 0;
  if (parser.parseString(&name))
    return failure();
  if (succeeded(parser.parseOptionalColon()) &&
      (parser.parseLParen() || parser.parseInteger(major) || parser.parseRParen() || parser.parseInteger(size)))
    return failure();
  return AxisRefAttr::get(parser.getContext(), parser.getBuilder().getStringAttr(name), major, size);
}

static void printAxisRef(AsmPrinter &printer, AxisRefAttr axis) {
  printer << axis.getName();
  if (!axis.isWhole())
    printer << ":(" << axis.getMajor() << ')' << axis.getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<AxisRefAttr> axis = parseAxisRef(parser);
  return failed(axis) || parser.parseGreater() ? Attribute() : *axis;
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printAxisRef(printer, *this);
  printer << '>';
}

static FailureOr<DimShardingAttr> parseDim(AsmParser &parser) {
  SmallVector<AxisRefAttr> axes;
  bool isOpen = false;
  int64_t priority = 0;
  auto parseEntry = [&]() -> ParseResult {
    SMLoc at = parser.getCurrentLocation();
    if (isOpen)
      return parser.emitError(at, "'?' must come last");
    if (succeeded(parser.parseOptionalQuestion())) {
      isOpen = true;
      return success();
    }
    FailureOr<AxisRefAttr> axis = parseAxisRef(parser);
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseEntry))
    return failure();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword)) &&
      (!keyword.consume_front("p") || keyword.getAsInteger(10, priority)))
    return parser.emitError(parser.getCurrentLocation(), "expected a priority such as p1, got: ") << keyword;
  return DimShardingAttr::get(parser.getContext(), axes, isOpen, priority);
}

static void printDim(AsmPrinter &printer, DimShardingAttr dim) {
  printer << '{';
  llvm::interleaveComma(dim.getAxes(), printer, [&](AxisRefAttr axis) { printAxisRef(printer, axis); });
  if (dim.getOpen())
    printer << (dim.getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (dim.getPriority())
    printer << 'p' << dim.getPriority();
}

Attribute DimShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DimShardingAttr> dim = parseDim(parser);
  return failed(dim) || parser.parseGreater() ? Attribute() : *dim;
}

void DimShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDim(printer, *this);
  printer << '>';
}

ParseResult parseShardingAxes(AsmParser &parser, SmallVectorImpl<DimShardingAttr> &dims,
                              SmallVectorImpl<AxisRefAttr> &replicated, SmallVectorImpl<AxisRefAttr> &unreduced) {
  auto parseOneDim = [&]() -> ParseResult {
    FailureOr<DimShardingAttr> dim = parseDim(parser);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
    return success();
  };
  auto parseAxes = [&](SmallVectorImpl<AxisRefAttr> &axes) -> ParseResult {
    return failure(parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() {
      FailureOr<AxisRefAttr> axis = parseAxisRef(parser);
      if (failed(axis))
        return ParseResult(failure());
      axes.push_back(*axis);
      return ParseResult(success());
    }));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOneDim))
    return failure();
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc at = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    if (keyword != "replicated" && keyword != "unreduced")
      return parser.emitError(at, "expected 'replicated' or 'unreduced', got: ") << keyword;
    if (parseAxes(keyword == "replicated" ? replicated : unreduced))
      return failure();
  }
  return success();
}

void printShardingAxes(AsmPrinter &printer, ArrayRef<DimShardingAttr> dims, ArrayRef<AxisRefAttr> replicated,
                       ArrayRef<AxisRefAttr> unreduced) {
  printer << '[';
  llvm::interleaveComma(dims, printer, [&](DimShardingAttr dim) { printDim(printer, dim); });
  printer << ']';
  auto printAxes = [&](StringRef keyword, ArrayRef<AxisRefAttr> axes) {
    if (axes.empty())
      return;
    printer << ", " << keyword << " = {";
    llvm::interleaveComma(axes, printer, [&](AxisRefAttr axis) { printAxisRef(printer, axis); });
    printer << '}';
  };
  printAxes("replicated", replicated);
  printAxes("unreduced", unreduced);
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  MeshAttr mesh;
  SmallVector<DimShardingAttr> dims;
  SmallVector<AxisRefAttr> replicated, unreduced;
  if (parser.parseLess() || parser.parseAttribute(mesh) || parser.parseComma() ||
      parseShardingAxes(parser, dims, replicated, unreduced) || parser.parseGreater())
    return {};
  return ShardingAttr::getChecked([&] { return parser.emitError(start); }, parser.getContext(), mesh, ArrayRef(dims),
                                  ArrayRef(replicated), ArrayRef(unreduced));
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMesh() << ", ";
  printShardingAxes(printer, getDims(), getReplicated(), getUnreduced());
  printer << '>';
}

//===- Meshes --------------------------------------------------------------------------------===//

/// Sets of axes, of nested meshes too, are the bits of a number.
constexpr size_t kMostMeshAxes = 32;

LogicalResult MeshAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<StringAttr> axes,
                               ArrayRef<int64_t> sizes) {
  if (axes.size() != sizes.size())
    return emitError() << "mesh must have one size for each of " << axes.size() << " axes, got: " << sizes.size();
  if (axes.size() > kMostMeshAxes)
    return emitError() << "mesh must have at most " << kMostMeshAxes << " axes, got: " << axes.size();
  SmallPtrSet<Attribute, 4> seen;
  int64_t devices = 1;
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    if (!seen.insert(axis).second)
      return emitError() << "mesh axes must be distinct, got: " << axis << " twice";
    if (size < 1)
      return emitError() << "mesh sizes must be at least 1, got: " << size << " for " << axis;
    if (llvm::MulOverflow(devices, size, devices) || devices > std::numeric_limits<int32_t>::max())
      return emitError() << "mesh must have less than 2^31 devices, got: " << sizes;
  }
  return success();
}

int64_t MeshAttr::sizeOf(StringAttr axis) const {
  for (auto [name, size] : llvm::zip_equal(getAxes(), getSizes()))
    if (name == axis)
      return size;
  return 0;
}

int64_t MeshAttr::sizeOf(AxisRefAttr axis) const { return axis.isWhole() ? sizeOf(axis.getName()) : axis.getSize(); }

int64_t MeshAttr::sizeOf(ArrayRef<AxisRefAttr> axes) const {
  int64_t product = 1;
  for (AxisRefAttr axis : axes)
    product *= sizeOf(axis);
  return product;
}

int64_t MeshAttr::getNumDevices() const {
  int64_t product = 1;
  for (int64_t size : getSizes())
    product *= size;
  return product;
}

//===- Shardings -------------------------------------------------------------------------------===//

/// Returns true if two parts of one axis have devices in common; a whole axis overlaps all its parts.
static bool overlap(AxisRefAttr a, AxisRefAttr b) {
  if (a.getName() != b.getName())
    return false;
  if (a.isWhole() || b.isWhole())
    return true;
  return a.getMajor() < b.getMajor() * b.getSize() && b.getMajor() < a.getMajor() * a.getSize();
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError, MeshAttr mesh,
                                   ArrayRef<DimShardingAttr> dims, ArrayRef<AxisRefAttr> replicated,
                                   ArrayRef<AxisRefAttr> unreduced) {
  SmallVector<AxisRefAttr> all;
  for (DimShardingAttr dim : dims)
    llvm::append_range(all, dim.getAxes());
  llvm::append_range(all, replicated);
  llvm::append_range(all, unreduced);
  for (auto [i, axis] : llvm::enumerate(all)) {
    int64_t size = mesh.sizeOf(axis.getName());
    if (!size)
      return emitError() << "sharding must name axes of its mesh, " << mesh << ", got: " << axis.getName();
    if (!axis.isWhole() && (axis.getMajor() < 1 || axis.getSize() < 2 || size % (axis.getMajor() * axis.getSize())))
      return emitError() << "sub-axes must divide their axis, of size " << size << ", got: " << axis;
    for (AxisRefAttr other : ArrayRef(all).take_front(i))
      if (overlap(axis, other))
        return emitError() << "sharding must use each axis once, got: " << axis.getName() << " twice";
  }
  return success();
}

ShardingAttr ShardingAttr::replicated(MeshAttr mesh, int64_t rank) {
  MLIRContext *context = mesh.getContext();
  SmallVector<DimShardingAttr> dims(rank, DimShardingAttr::get(context, {}, false, 0));
  return get(context, mesh, dims, {}, {});
}

ShardingAttr ShardingAttr::withDim(int64_t position, DimShardingAttr dim) const {
  SmallVector<DimShardingAttr> dims(getDims());
  dims.insert(dims.begin() + position, dim);
  return get(getContext(), getMesh(), dims, getReplicated(), getUnreduced());
}

RankedTensorType ShardingAttr::localType(RankedTensorType type) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, getDims()))
    if (!ShapedType::isDynamic(size))
      size = llvm::divideCeil(size, getMesh().sizeOf(dim.getAxes()));
  return withShape(type, shape);
}

RankedTensorType ShardingAttr::globalType(RankedTensorType type) const {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, dim] : llvm::zip_equal(shape, getDims()))
    if (!ShapedType::isDynamic(size))
      size *= getMesh().sizeOf(dim.getAxes());
  return withShape(type, shape);
}

} // namespace dovetail
