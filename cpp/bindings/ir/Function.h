// A module, and a function of it under construction; its values are known by number.
#ifndef DOVETAIL_BINDINGS_IR_FUNCTION_H
#define DOVETAIL_BINDINGS_IR_FUNCTION_H

#include "dialects/Dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <optional>

namespace dovetail {

struct Module {
  mlir::OwningOpRef<mlir::ModuleOp> op;
  std::unique_ptr<mlir::SymbolTable> symbols;
  /// Objects that the compiler may use as long as the module, or one derived from it, exists.
  std::vector<nanobind::object> kept;

  /// Also keeps the objects of another module, whose ops are added.
  void keepWhatIsKeptBy(const Module &other) {
    for (const nanobind::object &object : other.kept)
      if (llvm::none_of(kept, [&](const nanobind::object &known) { return known.is(object); }))
        kept.push_back(object);
  }

  explicit Module(mlir::OwningOpRef<mlir::ModuleOp> module, std::vector<nanobind::object> kept = {})
      : op(std::move(module)), symbols(std::make_unique<mlir::SymbolTable>(*op)), kept(std::move(kept)) {}
};

/// A location in the user's program: file, line, name of the function.
using SourceLocation = std::tuple<std::string, unsigned, std::string>;

// Plain values of Python, with their types.
using Shape = nanobind::typed<nanobind::tuple, int64_t, nanobind::ellipsis>;
using Numbers = nanobind::typed<nanobind::tuple, unsigned, nanobind::ellipsis>;
/// A shape and the name of an element type.
using Types = nanobind::typed<nanobind::list, nanobind::typed<nanobind::tuple, Shape, nanobind::str>>;
/// The same, given, or None.
using GivenTypes =
    nanobind::typed<nanobind::object,
                    nanobind::typed<nanobind::sequence, nanobind::typed<nanobind::tuple, Shape, nanobind::str>>>;
/// A value and its dimension, or -1; or None.
using SizeSource =
    nanobind::typed<nanobind::object, std::optional<nanobind::typed<nanobind::tuple, unsigned, int64_t>>>;
using Attributes = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;
/// Bytes, the name of an element type, and a shape.
using EncodedArray = nanobind::typed<nanobind::tuple, nanobind::bytes, nanobind::str, Shape>;
/// The value number, the shape and the name of the element type of each result.
using Emitted = nanobind::typed<nanobind::list, nanobind::typed<nanobind::tuple, unsigned, Shape, nanobind::str>>;

/// One op of a body, as data.
struct Instruction {
  nanobind::str op;
  Numbers operands, results;
  Attributes attributes;
  nanobind::typed<nanobind::tuple, Shape, nanobind::ellipsis> shapes;
  nanobind::typed<nanobind::tuple, nanobind::str, nanobind::ellipsis> elements;
  SourceLocation location;
};

using Instructions = nanobind::typed<nanobind::list, Instruction>;

class Function {
public:
  /// A new function, private unless `isPublic`; its name is made unique.
  Function(std::shared_ptr<Module> module, const std::string &name, bool isPublic, const SourceLocation &location);
  /// A function that exists.
  Function(std::shared_ptr<Module> module, mlir::func::FuncOp function)
      : module(std::move(module)), function(function) {}

  mlir::func::FuncOp op() const { return function; }
  mlir::Value value(unsigned number) const { return values[number]; }
  std::shared_ptr<Module> module;

  /// Adds an argument; returns the number of its value.
  unsigned addArgument(const std::vector<int64_t> &shape, const std::string &element, const SourceLocation &location);
  /// Appends an op and returns, per result, (number, shape, element name). Result types are inferred unless given as
  /// (shape, element name) pairs. The attribute `regions` is a tuple of functions, whose bodies become the op's.
  Emitted emit(const std::string &name, const std::vector<unsigned> &operands, Attributes attributes,
               GivenTypes results, const SourceLocation &location);
  /// Appends arithmetic on sizes, or finds the value that it folds to: `constant` of `number`, `dim` with that number,
  /// or an op of two sizes. Returns the number of the value.
  unsigned emitSize(const std::string &name, const std::vector<unsigned> &operands, int64_t number,
                    const SourceLocation &location);
  /// The source of a `?` in an op's result: a dimension of another value, as (value, dimension), or a value, with
  /// dimension -1. None if the op has no rule for it.
  SizeSource sizeSource(unsigned value, int64_t dimension);
  /// Appends the body of a function without calls; returns the numbers of its results.
  std::vector<unsigned> splice(const Function &flat, const std::vector<unsigned> &arguments);
  /// Gives a finished function arguments of `types`; that at `positions[i]` is the present argument i.
  void rearrange(const std::vector<unsigned> &positions,
                 const std::vector<std::pair<std::vector<int64_t>, std::string>> &types);
  /// Makes a finished function one of values (`Discharge.h`); returns the numbers of the arguments whose arrays it
  /// returns after its results, and the echoes that it takes and returns last.
  using OfReferences = std::pair<std::vector<unsigned>, std::vector<std::tuple<unsigned, unsigned, bool>>>;
  OfReferences discharge();
  /// Returns true if a finished function uses an argument.
  bool uses(unsigned argument) { return !function.getArgument(argument).use_empty(); }
  /// Ends the function.
  void finish(const std::vector<unsigned> &results);
  /// The numbers of the arguments that a value depends on, or is.
  std::vector<unsigned> argumentsOf(unsigned target);
  /// The instructions that compute the values `targets` from those in `known`, in order.
  Instructions slice(const std::vector<unsigned> &targets, const std::vector<unsigned> &known);

  /// Shardings that are parts of the types of values: null for one without axes. They are inferred from those of the
  /// operands, for the op with these results.
  void setSharding(unsigned value, ShardingAttr sharding) { shardings[values[value]] = sharding; }
  ShardingAttr sharding(unsigned value) const { return shardings.lookup(values[value]); }
  void inferShardings(const std::vector<unsigned> &results);

private:
  unsigned number(mlir::Value value);

  mlir::func::FuncOp function;
  std::vector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Value, ShardingAttr> shardings;
};

Instruction describe(mlir::Operation *op, llvm::function_ref<unsigned(mlir::Value)> number);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_FUNCTION_H
