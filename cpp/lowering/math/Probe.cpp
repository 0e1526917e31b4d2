// Prints a module that applies one scalar function to a tensor: dovetail-scalar-probe <function> <element type>.
#include "Scalar.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace dovetail;
using scalar::ScalarBuilder;

namespace {
struct Function {
  size_t arity;
  std::function<Value(ScalarBuilder &, ValueRange)> emit;
};
} // namespace

static Function unary(Value (*f)(ScalarBuilder &, Value)) {
  return {1, [f](ScalarBuilder &b, ValueRange args) { return f(b, args[0]); }};
}
static Function binary(Value (*f)(ScalarBuilder &, Value, Value)) {
  return {2, [f](ScalarBuilder &b, ValueRange args) { return f(b, args[0], args[1]); }};
}

static llvm::StringMap<Function> functions() {
  llvm::StringMap<Function> table;
#define DOVETAIL_FUNCTION(KIND, NAME) table[#NAME] = KIND(scalar::NAME);
#define DOVETAIL_UNARY(NAME) DOVETAIL_FUNCTION(unary, NAME)
#define DOVETAIL_BINARY(NAME) DOVETAIL_FUNCTION(binary, NAME)
  DOVETAIL_UNARY(exp)
  DOVETAIL_UNARY(exp2)
  DOVETAIL_UNARY(expm1)
  DOVETAIL_UNARY(log) DOVETAIL_UNARY(log1p) DOVETAIL_UNARY(logistic) DOVETAIL_UNARY(sqrt) DOVETAIL_UNARY(rsqrt)
      DOVETAIL_UNARY(cbrt) DOVETAIL_UNARY(sin) DOVETAIL_UNARY(cos) DOVETAIL_UNARY(tan) DOVETAIL_UNARY(asin)
          DOVETAIL_UNARY(acos) DOVETAIL_UNARY(atan) DOVETAIL_UNARY(sinh) DOVETAIL_UNARY(cosh) DOVETAIL_UNARY(tanh)
              DOVETAIL_UNARY(asinh) DOVETAIL_UNARY(acosh) DOVETAIL_UNARY(atanh) DOVETAIL_UNARY(erf) DOVETAIL_UNARY(erfc)
                  DOVETAIL_UNARY(floor) DOVETAIL_UNARY(ceil) DOVETAIL_UNARY(round_even) DOVETAIL_UNARY(round_away)
                      DOVETAIL_UNARY(sign) DOVETAIL_UNARY(abs) DOVETAIL_UNARY(is_finite)
                          DOVETAIL_UNARY(population_count) DOVETAIL_UNARY(count_leading_zeros) DOVETAIL_BINARY(pow)
                              DOVETAIL_BINARY(atan2) DOVETAIL_BINARY(nextafter) DOVETAIL_BINARY(max)
                                  DOVETAIL_BINARY(min) DOVETAIL_BINARY(div) DOVETAIL_BINARY(rem)
                                      DOVETAIL_BINARY(shift_left) DOVETAIL_BINARY(shift_right_logical)
                                          DOVETAIL_BINARY(shift_right_arithmetic)
#undef DOVETAIL_UNARY
#undef DOVETAIL_BINARY
#undef DOVETAIL_FUNCTION
                                              table["clamp"] = {3, [](ScalarBuilder &b, ValueRange args) {
                                                                  return scalar::clamp(b, args[0], args[1], args[2]);
                                                                }};
  return table;
}

/// Looks up `name`, or `integer_pow:<exponent>`.
static std::optional<Function> lookUp(llvm::StringRef name) {
  if (name.consume_front("integer_pow:")) {
    int64_t exponent;
    if (name.getAsInteger(10, exponent))
      return std::nullopt;
    return Function{1, [=](ScalarBuilder &b, ValueRange args) { return scalar::integerPow(b, args[0], exponent); }};
  }
  llvm::StringMap<Function> table = functions();
  auto entry = table.find(name);
  return entry == table.end() ? std::nullopt : std::optional(entry->second);
}

/// The type in which an element is computed: integers lose their sign, bools travel as bytes.
static Type signless(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth()) : type;
}

static ModuleOp buildModule(MLIRContext &context, const Function &function, Type elementType) {
  Location loc = UnknownLoc::get(&context);
  OpBuilder b(&context);
  ModuleOp module = ModuleOp::create(b, loc);
  b.setInsertionPointToStart(module.getBody());
  Type element = signless(elementType);
  auto tensorOf = [](Type type) { return RankedTensorType::get({ShapedType::kDynamic}, type); };
  SmallVector<Type> inputs(function.arity, tensorOf(element));
  auto func = func::FuncOp::create(b, loc, "main", b.getFunctionType(inputs, {}));
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);

  // The element type of the result is known once the scalar code exists.
  Block scratch;
  SmallVector<Location> locations(function.arity, loc);
  scratch.addArguments(SmallVector<Type>(function.arity, element), locations);
  OpBuilder scratchBuilder(&context);
  scratchBuilder.setInsertionPointToStart(&scratch);
  ScalarBuilder scalarBuilder(loc, scratchBuilder, elementType);
  Value value = function.emit(scalarBuilder, scratch.getArguments());
  Type resultElement = value.getType();

  bool isBool = resultElement.isInteger(1);
  Type stored = isBool ? Type(b.getI8Type()) : resultElement;
  Value size = tensor::DimOp::create(b, loc, entry->getArgument(0), 0);
  Value init = tensor::EmptyOp::create(b, loc, tensorOf(stored), ValueRange{size});
  SmallVector<AffineMap> maps(function.arity + 1, b.getMultiDimIdentityMap(1));
  auto generic =
      linalg::GenericOp::create(b, loc, tensorOf(stored), entry->getArguments(), init, maps,
                                {utils::IteratorType::parallel}, [&](OpBuilder &nested, Location, ValueRange args) {
                                  ScalarBuilder body(loc, nested, elementType);
                                  Value result = function.emit(body, args.drop_back());
                                  if (isBool)
                                    result = arith::ExtUIOp::create(body, stored, result);
                                  linalg::YieldOp::create(nested, loc, result);
                                });
  func::ReturnOp::create(b, loc, generic.getResults());
  func.setFunctionType(b.getFunctionType(inputs, generic.getResultTypes()));
  return module;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: dovetail-scalar-probe <function> <element type>\n";
    return 2;
  }
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, complex::ComplexDialect, func::FuncDialect, linalg::LinalgDialect,
                      math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  std::optional<Function> function = lookUp(argv[1]);
  if (!function) {
    llvm::errs() << "no function is called '" << argv[1] << "'\n";
    return 1;
  }
  Type type = parseType(argv[2], &context);
  if (!type)
    return 1;
  OwningOpRef<ModuleOp> module = buildModule(context, *function, type);
  if (failed(verify(*module)))
    return 1;
  module->print(llvm::outs());
}
