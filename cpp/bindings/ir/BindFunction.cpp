// Python's classes of functions, of their bodies as data, and of what linearization makes of them.
#include "cpp/bindings/ir/BindFunction.h"
#include "cpp/bindings/ir/Context.h"
#include "cpp/bindings/ir/FlatBody.h"
#include "cpp/bindings/ir/Shardings.h"
#include "cpp/sharding/PartTypes.h"
#include "cpp/transforms/Checkify.h"
#include "cpp/transforms/Linearize.h"
#include "cpp/transforms/Perturbed.h"
#include "cpp/transforms/Vary.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

using Shared = std::shared_ptr<Module>;

Types describeTypes(TypeRange types) {
  Types described;
  for (Type type : types) {
    nb::list shape;
    for (int64_t size : sizesOf(type))
      shape.append(ShapedType::isDynamic(size) ? -1 : size);
    described.append(nb::make_tuple(nb::tuple(shape), elementOf(type)));
  }
  return described;
}

static std::vector<bool> toVector(const llvm::SmallBitVector &mask) {
  std::vector<bool> values;
  for (unsigned i = 0; i < mask.size(); ++i)
    values.push_back(mask.test(i));
  return values;
}

/// The two functions of a linearization. They are Python objects, and each has a reference of its own to the module's:
/// so the garbage collector sees them.
struct Linearized {
  nb::typed<nb::object, Function> known, linear;
  std::vector<bool> active, nonzero;
};

static Linearized taken(const Function &function, const char *refusal,
                        llvm::function_ref<FailureOr<Linearization>(func::FuncOp)> make) {
  Diagnostics diagnostics;
  FailureOr<Linearization> result = make(function.op());
  Shared module = function.module;
  module->symbols = std::make_unique<SymbolTable>(*module->op);
  if (failed(result))
    diagnostics.raise(refusal);
  nb::object owner = nb::find(module.get());
  return {nb::cast(Function(nb::cast<Shared>(owner), result->known)),
          nb::cast(Function(nb::cast<Shared>(owner), result->cotangent ? result->cotangent : result->tangent)),
          toVector(result->active), toVector(result->nonzero)};
}

static Linearized linearizeFunction(const Function &function, const std::vector<int64_t> &wrt, bool transposed,
                                    bool later) {
  return taken(function, "the function cannot be linearized", [&](func::FuncOp op) {
    return later ? requestLinearization(op, wrt, transposed) : linearize(op, wrt, transposed);
  });
}

static Linearized transposeFunction(const Function &function, const std::vector<int64_t> &linear) {
  return taken(function, "the function cannot be transposed",
               [&](func::FuncOp op) { return transposeLinear(op, linear); });
}

/// What a number of a failure stands for: kind, op, shape, location, table, count.
using Source = nb::typed<nb::tuple, nb::str, nb::str, nb::tuple, SourceLocation, int64_t, int64_t>;

static nb::typed<nb::tuple, Function, nb::typed<nb::list, Source>>
checkifyFunction(const Function &function, const std::vector<std::string> &kinds) {
  Diagnostics diagnostics;
  FailureOr<CheckedFunction> made = checkify(function.op(), kinds);
  Shared module = function.module;
  module->symbols = std::make_unique<SymbolTable>(*module->op);
  if (failed(made))
    diagnostics.raise("the function cannot have checks");
  nb::list sources;
  for (const FailureSource &source : made->sources) {
    nb::list shape;
    for (int64_t size : source.shape)
      shape.append(ShapedType::isDynamic(size) ? -1 : size);
    sources.append(nb::make_tuple(source.kind, source.op, nb::tuple(shape), sourceLocationOf(source.location),
                                  source.table, source.count));
  }
  nb::object owner = nb::find(module.get());
  return nb::make_tuple(nb::cast(Function(nb::cast<Shared>(owner), made->function)), sources);
}

static std::vector<bool> findBatchedResults(const Function &function, const std::vector<int64_t> &dims, int64_t size,
                                            const std::string &axis) {
  Diagnostics diagnostics;
  BatchSize batch(size < 0 ? ShapedType::kDynamic : size);
  if (!axis.empty())
    batch.axis = StringAttr::get(&context(), axis);
  auto mask = batchedResults(function.op(), dims, batch);
  function.module->symbols = std::make_unique<SymbolTable>(*function.module->op);
  if (failed(mask))
    diagnostics.raise("the function cannot be batched");
  return toVector(*mask);
}

using AxisNames = std::vector<std::vector<std::string>>;

static StringAttr nameOf(const std::string &text) { return StringAttr::get(&context(), text); }

static SmallVector<SmallVector<StringAttr>> setsOf(const AxisNames &names) {
  return llvm::map_to_vector(names, [](const std::vector<std::string> &texts) {
    return SmallVector<StringAttr>(llvm::map_range(texts, nameOf));
  });
}

static std::vector<std::string> textsOf(ArrayRef<StringAttr> names) {
  std::vector<std::string> texts;
  for (StringAttr name : names)
    texts.push_back(name.str());
  return texts;
}

static PartType partTypeOf(const AxisNames &names) {
  auto sets = setsOf(names);
  return {sets[0], sets[1], sets[2]};
}

static std::vector<AxisNames> partTypesOf(const Function &function, const std::vector<std::string> &axes,
                                          const std::vector<AxisNames> &arguments, std::optional<unsigned> value) {
  Diagnostics diagnostics;
  SmallVector<Value> values =
      value ? SmallVector<Value>{function.value(*value)} : SmallVector<Value>(returned(function.op().getBody()));
  FailureOr<SmallVector<PartType>> found =
      partTypes(function.op(), llvm::map_to_vector(axes, nameOf), llvm::map_to_vector(arguments, partTypeOf), values);
  if (failed(found))
    diagnostics.raise("it is not known along which axes a value varies");
  std::vector<AxisNames> types;
  for (const PartType &type : *found)
    types.push_back({textsOf(type.varying), textsOf(type.unreduced), textsOf(type.reduced)});
  return types;
}

static nb::tuple varyFunction(const Function &function, const std::vector<std::string> &axes,
                              const AxisNames &arguments, const AxisNames &results) {
  Diagnostics diagnostics;
  FailureOr<VaryingFunction> made =
      vary(function.op(), llvm::map_to_vector(axes, nameOf), setsOf(arguments), setsOf(results));
  function.module->symbols = std::make_unique<SymbolTable>(*function.module->op);
  if (failed(made))
    diagnostics.raise("it is not known along which axes results vary");
  AxisNames varies;
  for (ArrayRef<StringAttr> names : made->results)
    varies.push_back(textsOf(names));
  nb::object owner = nb::find(function.module.get());
  return nb::make_tuple(Function(nb::cast<Shared>(owner), made->function), varies);
}

static bool reaches(Perturbation &self, const Function &function, unsigned value,
                    const std::vector<unsigned> &arguments) {
  return self.reaches(function.value(value),
                      llvm::map_to_vector(arguments, [&](unsigned number) { return function.value(number); }));
}

// A function has a reference to its module's Python object. What copies of it share is not counted for each.
static int traverseFunction(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  const Shared &module = nb::inst_ptr<Function>(self)->module;
  if (module.use_count() == 1)
    Py_VISIT(nb::find(module.get()).ptr());
  return 0;
}

// Its module drops objects that refer back.
static PyType_Slot functionSlots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverseFunction)}, {0, nullptr}};

void bindFunction(nb::module_ &m) {
  nb::class_<Function>(m, "Function", "A function of a module, possibly under construction.",
                       nb::type_slots(functionSlots))
      .def(nb::init<Shared, const std::string &, bool, const SourceLocation &>(), "module"_a, "name"_a, "public"_a,
           "place"_a, "Add a function to a module, under that name or one like it.")
      .def_prop_ro(
          "module", [](const Function &function) { return function.module; }, "The module that it is in.")
      .def_prop_ro(
          "name", [](const Function &function) { return function.op().getSymName().str(); }, "The symbol's name.")
      .def_prop_ro(
          "inputs", [](const Function &function) { return describeTypes(function.op().getArgumentTypes()); },
          "Shape and element type of each argument; a size of -1 is dynamic.")
      .def_prop_ro(
          "outputs", [](const Function &function) { return describeTypes(function.op().getResultTypes()); },
          "Shape and element type of each result; a size of -1 is dynamic.")
      .def("argument", &Function::addArgument, "shape"_a, "element"_a, "place"_a,
           "Append an argument; returns the number of its value.")
      .def(
          "emit", &Function::emit, "name"_a, "operands"_a, "attributes"_a, "results"_a.none(), "place"_a,
          "Append an op; returns (number, shape, element type) of each result. Result types are inferred unless given.")
      .def("emit_size", &Function::emitSize, "name"_a, "operands"_a, "number"_a, "place"_a,
           "Append arithmetic on sizes: `constant` of a number, `dim` of that number, or an op of two sizes; returns "
           "the number of the value.")
      .def("size_source", &Function::sizeSource, "value"_a, "dimension"_a,
           "The source of a dynamic size of an op's result: (value, dimension), or a value as (value, -1); None if the "
           "op "
           "has no rule for it.")
      .def(
          "set_sharding",
          [](Function &function, unsigned value, const ShardingHandle &sharding) {
            function.setSharding(value, sharding.attribute);
          },
          "value"_a, "sharding"_a, "State the sharding in a value's type.")
      .def("infer_shardings", &Function::inferShardings, "results"_a,
           "Infer the shardings in the types of an op's results.")
      .def(
          "sharding",
          [](const Function &function, unsigned value) -> std::optional<ShardingAxes> {
            ShardingAttr sharding = function.sharding(value);
            return sharding ? std::optional(shardingAxes(sharding)) : std::nullopt;
          },
          "value"_a,
          "The axes in the sharding of a value's type: of each dimension, of sums that are left to do, of sums of "
          "cotangents that are; None if there are none.")
      .def("finish", &Function::finish, "results"_a, "Return these values.")
      .def("discharge", &Function::discharge,
           "Make a finished function one of values: it takes the arrays that its references hold, and returns those of "
           "references that it writes to after its results; then the echoes of those that backward rules use, which it "
           "takes as further arguments. Returns the positions of the arguments of both kinds; those of echoes with "
           "their depths, and whether backward rules read what these pass on.")
      .def("uses", &Function::uses, "argument"_a, "Whether the finished function uses that argument.")
      .def("arguments_of", &Function::argumentsOf, "target"_a,
           "The numbers of the arguments that a value depends on, or is.")
      .def("slice", &Function::slice, "targets"_a, "known"_a, "The instructions that compute values from known ones.")
      .def("splice", &Function::splice, "flat"_a, "arguments"_a,
           "Append the body of a function without calls; returns the numbers of its results.")
      .def(
          "rearrange", &Function::rearrange, "positions"_a, "types"_a,
          "Replace the arguments of a finished function by ones of `types`; argument i becomes that at `positions[i]`.")
      .def("linearize", &linearizeFunction, "wrt"_a, "transposed"_a, "later"_a = false,
           "Split into a function that computes residuals and a linear one, transposed if requested.")
      .def("transpose", &transposeFunction, "linear"_a,
           "Split into a function that computes residuals and the transpose in the `linear` arguments.")
      .def(
          "keep_residuals",
          [](const Function &function, unsigned primals, unsigned results) {
            keepResiduals(function.op(), primals, results);
          },
          "primals"_a, "results"_a,
          "Make a known function without calls one of its residuals alone, without effects of what depends on its "
          "first arguments.")
      .def("checkify", &checkifyFunction, "kinds"_a,
           "The function that first returns which failure of these kinds came first, a vector, and what the numbers of "
           "failures stand for: (kind, op, shape, place, table, count).")
      .def("vary", &varyFunction, "axes"_a, "arguments"_a, "results"_a,
           nb::sig("def vary(self, axes: Sequence[str], arguments: Sequence[Sequence[str]], "
                   "results: Sequence[Sequence[str]]) -> tuple[Function, list[list[str]]]"),
           "The function in which values that vary along manual axes are told apart from others, and the axes along "
           "which "
           "each result varies, given those of each argument and at least those of each result.")
      .def("part_types", &partTypesOf, "axes"_a, "arguments"_a, "value"_a.none(),
           nb::sig("def part_types(self, axes: Sequence[str], arguments: Sequence[Sequence[Sequence[str]]], "
                   "value: int | None) -> list[list[list[str]]]"),
           "Of a value, or of each result, the manual axes along which it varies, those over which it is a term of a "
           "sum, "
           "and those over which its cotangent is, given those of each argument.")
      .def("batched_results", &findBatchedResults, "dims"_a, "size"_a, "axis"_a,
           "For each result, true if it depends on the batch, given the batched dimension of each argument (-1: none) "
           "and the "
           "batch's size (-1: dynamic).");

  nb::class_<Perturbation>(m, "Perturbation", "Which values of one function may have a tangent that is not zero.")
      .def(nb::init<>())
      .def(
          "reaches", &reaches, "function"_a, "value"_a, "arguments"_a,
          "Whether a value may have one, if these of the arguments that it depends on, by their numbers, may. What was "
          "found is kept: about each argument, all questions must agree.");

  nb::class_<Linearized>(m, "Linearization", "A function split into a known and a linear part.")
      .def_ro("known", &Linearized::known, "Computes the results and the residuals.")
      .def_ro("linear", &Linearized::linear,
              "Maps residuals and tangents of the arguments to tangents of the active results, or residuals and "
              "cotangents of these to cotangents of the nonzero arguments.")
      .def_ro("active", &Linearized::active, "For each result, true if it depends on the arguments.")
      .def_ro("nonzero", &Linearized::nonzero, "For each argument, true if any result depends on it.");

  nb::class_<Instruction>(m, "Instruction", "An op of a body; values are numbers.")
      .def(nb::init<nb::str, Numbers, Numbers, Attributes, decltype(Instruction::shapes),
                    decltype(Instruction::elements), SourceLocation>(),
           "op"_a, "operands"_a, "results"_a, "attributes"_a, "shapes"_a, "elements"_a, "place"_a)
      .def_ro("op", &Instruction::op, "Its name.")
      .def_ro("operands", &Instruction::operands, "Numbers of the operands.")
      .def_ro("results", &Instruction::results, "Numbers of the results.")
      .def_ro("attributes", &Instruction::attributes, "Attributes by name; `regions` has the bodies of the op.")
      .def_ro("shapes", &Instruction::shapes, "The shape of each result; a size of -1 is dynamic.")
      .def_ro("elements", &Instruction::elements, "The name of the element type of each result.")
      .def_ro("place", &Instruction::location, "The location in the user's program: file, line, function.");

  nb::class_<FlatBody>(m, "FlatBody", "A body without calls, for the reference evaluator: values are numbers.")
      .def_ro("inputs", &FlatBody::inputs, "Numbers of the arguments.")
      .def_ro("input_types", &FlatBody::inputTypes, "Shape and element type of each argument; a size of -1 is dynamic.")
      .def_ro("instructions", &FlatBody::instructions, "The ops, in order.")
      .def_ro("outputs", &FlatBody::outputs, "Numbers of the results.")
      .def_ro("size", &FlatBody::size, "The number of values.");
}

} // namespace dovetail
