// The MLIR context of the process, and diagnostics as exceptions.
#include "Context.h"
#include "ProgramRules.h"
#include "cpp/pipeline/Dialects.h"
#include "dialects/Dialect.h"

using namespace mlir;

namespace dovetail {

MLIRContext &context() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerAllDialects(registry);
    auto *created = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    created->loadDialect<DovetailDialect, arith::ArithDialect, func::FuncDialect>();
    setProgram(*created, askPython);
    return created;
  }();
  return *context;
}

/// The innermost place in a file that a location names.
static FileLineColLoc findFile(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

Diagnostics::Diagnostics()
    : handler(&context(), [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        if (message.empty())
          if (FileLineColLoc place = findFile(diagnostic.getLocation())) {
            file = place.getFilename().str();
            line = place.getLine();
          }
        message += (message.empty() ? "" : "\n") + diagnostic.str();
        return success();
      }) {}

static std::exception_ptr kept;

void Diagnostics::keep(std::exception_ptr exception) { kept = std::move(exception); }

void Diagnostics::raise(const std::string &otherwise) {
  if (kept)
    std::rethrow_exception(std::exchange(kept, nullptr));
  throw CompilerError(message.empty() ? otherwise : message, file, line);
}

namespace {
struct NamedType {
  const char *name;
  Type type;
};
} // namespace

static ArrayRef<NamedType> namedTypes() {
  static const std::vector<NamedType> types = [] {
    Builder b(&context());
    auto integer = [&](unsigned width, bool isUnsigned) -> Type {
      return IntegerType::get(&context(), width, isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
    };
    MLIRContext *c = &context();
    return std::vector<NamedType>{
        {"bool", integer(1, false)},
        {"int2", integer(2, false)},
        {"int4", integer(4, false)},
        {"int8", integer(8, false)},
        {"int16", integer(16, false)},
        {"int32", integer(32, false)},
        {"int64", integer(64, false)},
        {"uint2", integer(2, true)},
        {"uint4", integer(4, true)},
        {"uint8", integer(8, true)},
        {"uint16", integer(16, true)},
        {"uint32", integer(32, true)},
        {"uint64", integer(64, true)},
        {"float4_e2m1fn", Float4E2M1FNType::get(c)},
        {"float6_e2m3fn", Float6E2M3FNType::get(c)},
        {"float6_e3m2fn", Float6E3M2FNType::get(c)},
        {"float8_e3m4", Float8E3M4Type::get(c)},
        {"float8_e4m3", Float8E4M3Type::get(c)},
        {"float8_e4m3b11fnuz", Float8E4M3B11FNUZType::get(c)},
        {"float8_e8m0fnu", Float8E8M0FNUType::get(c)},
        {"float8_e4m3fn", Float8E4M3FNType::get(c)},
        {"float8_e5m2", Float8E5M2Type::get(c)},
        {"float8_e4m3fnuz", Float8E4M3FNUZType::get(c)},
        {"float8_e5m2fnuz", Float8E5M2FNUZType::get(c)},
        {"bfloat16", BFloat16Type::get(c)},
        {"float16", Float16Type::get(c)},
        {"float32", Float32Type::get(c)},
        {"float64", Float64Type::get(c)},
        {"complex64", ComplexType::get(Float32Type::get(c))},
        {"complex128", ComplexType::get(Float64Type::get(c))},
        {"index", IndexType::get(c)},
    };
  }();
  return types;
}

Type elementType(const std::string &name) {
  for (const NamedType &entry : namedTypes())
    if (name == entry.name)
      return entry.type;
  throw CompilerError("element type must be one of bool, int, uint, float and complex types, got: " + name, "", 0);
}

std::string elementName(Type type) {
  for (const NamedType &entry : namedTypes())
    if (type == entry.type)
      return entry.name;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string elementOf(Type type) {
  if (auto ref = dyn_cast<RefType>(type))
    return kRef.str() + elementName(ref.getArray().getElementType());
  return elementName(getElementTypeOrSelf(type));
}

ArrayRef<int64_t> sizesOf(Type type) {
  if (auto ref = dyn_cast<RefType>(type))
    type = ref.getArray();
  auto array = dyn_cast<RankedTensorType>(type);
  return array ? array.getShape() : ArrayRef<int64_t>();
}

Type arrayType(const std::vector<int64_t> &shape, const std::string &element) {
  if (StringRef name = element; name.consume_front(kRef))
    return RefType::get(cast<RankedTensorType>(arrayType(shape, name.str())));
  Type type = elementType(element);
  if (isa<IndexType>(type))
    return type;
  SmallVector<int64_t> sizes;
  for (int64_t size : shape)
    sizes.push_back(size < 0 ? ShapedType::kDynamic : size);
  return RankedTensorType::get(sizes, type);
}

} // namespace dovetail
