//===- GradientCheck.cpp - Executes functions and their gradients ---------===//

#include "GradientCheck.h"

#include "ckpt/Pipelines/Registration.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/TargetSelect.h"

#include <cmath>

using namespace ckpt::test;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static int64_t countElements(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Tensor ckpt::test::spread(std::vector<int64_t> shape, double low, double high) {
  Tensor tensor{shape, {}};
  // Fractional parts of multiples of the golden ratio: spread, and no two
  // equal.
  for (int64_t i = 0, e = countElements(shape); i != e; ++i) {
    double fraction = std::fmod(0.381966 + 0.6180339887 * i, 1.0);
    tensor.data.push_back(low + fraction * (high - low));
  }
  return tensor;
}

Tensor ckpt::test::list(std::vector<double> data) {
  return {{static_cast<int64_t>(data.size())}, std::move(data)};
}

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string ckpt::test::writeElementwise(const std::string &expression,
                                         size_t arity, size_t size, Form form) {
  std::string tensor = "tensor<" + std::to_string(size) + "xf64>";
  std::string parameters, operands, types, scalars;
  for (size_t i = 0; i != arity; ++i) {
    std::string number = std::to_string(i), comma = i ? ", " : "";
    parameters += comma + "%t" + number + ": " + tensor;
    operands += comma + "%t" + number;
    types += comma + tensor;
    scalars += "%x" + number + ": f64, ";
  }
  if (form == Form::Tensor) {
    std::string body = replaceAll(expression, "%x", "%t");
    body = replaceAll(body, " T", " " + tensor);
    body = replaceAll(body, " B", " tensor<" + std::to_string(size) + "xi1>");
    body = replaceAll(body, " I", " tensor<" + std::to_string(size) + "xi32>");
    return "func.func private @f(" + parameters + ") -> " + tensor + " {\n" +
           body + "\n  return %y : " + tensor + "\n}\n";
  }
  std::string body = replaceAll(expression, " T", " f64");
  body = replaceAll(body, " B", " i1");
  body = replaceAll(body, " I", " i32");
  std::string maps;
  for (size_t i = 0; i != arity + 1; ++i)
    maps += (i ? ", " : "") + std::string("affine_map<(i) -> (i)>");
  return "func.func private @f(" + parameters + ") -> " + tensor +
         " {\n  %e = tensor.empty() : " + tensor +
         "\n  %r = linalg.generic {indexing_maps = [" + maps +
         "], iterator_types = [\"parallel\"]}\n    ins(" + operands + " : " +
         types + ") outs(%e : " + tensor + ") {\n  ^bb0(" + scalars +
         "%out: f64):\n" + body + "\n    linalg.yield %y : f64\n  } -> " +
         tensor + "\n  return %r : " + tensor + "\n}\n";
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static constexpr const char *differentiation =
    "builtin.module(ckpt-differentiate,inline,symbol-dce)";
static constexpr const char *lowering =
    "builtin.module(convert-elementwise-to-linalg,canonicalize,"
    "func.func(llvm-request-c-wrappers),"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{modify-public-functions=true},"
    "convert-linalg-to-loops,lower-affine,"
    "convert-scf-to-cf,expand-strided-metadata,lower-affine,"
    "math-expand-ops{ops=clampf,fpowi,sincos},"
    "arith-expand{include-bf16=true},convert-math-to-llvm,"
    "convert-math-to-libm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
    "reconcile-unrealized-casts)";

static mlir::MLIRContext &getContext() {
  static mlir::MLIRContext *context = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    mlir::registerAllPasses();
    ckpt::registerCkptPasses();
    mlir::DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    mlir::registerAllToLLVMIRTranslations(registry);
    ckpt::registerCkptDialects(registry);
    return new mlir::MLIRContext(registry,
                                 mlir::MLIRContext::Threading::DISABLED);
  }();
  return *context;
}

static llvm::LogicalResult runPasses(mlir::ModuleOp module,
                                     const char *pipeline) {
  auto parsed = mlir::parsePassPipeline(pipeline);
  if (failed(parsed))
    return mlir::failure();
  mlir::PassManager manager(&getContext());
  static_cast<mlir::OpPassManager &>(manager) = *parsed;
  return manager.run(module);
}

/// Rewrites ops such as linalg.softmax, which upstream has no other lowering
/// for.
static llvm::LogicalResult decomposeAggregates(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::linalg::AggregatedOpInterface> ops;
  module.walk(
      [&](mlir::linalg::AggregatedOpInterface op) { ops.push_back(op); });
  mlir::IRRewriter rewriter(&getContext());
  for (mlir::linalg::AggregatedOpInterface op : ops) {
    rewriter.setInsertionPoint(op);
    auto results = op.decomposeOperation(rewriter);
    if (failed(results))
      return mlir::failure();
    rewriter.replaceOp(op, *results);
  }
  return mlir::success();
}

static std::string print(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string joinTypes(llvm::ArrayRef<mlir::Type> types) {
  std::vector<std::string> texts;
  for (mlir::Type type : types)
    texts.push_back(print(type));
  return llvm::join(texts, ", ");
}

/// The text of `@loss`, the weighted sum of `@f`'s results of f64, and of
/// `@step`, its gradients.
static std::string writeStep(mlir::FunctionType type,
                             const std::vector<double> &weights) {
  std::string parameters, operands, wrt;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    std::string comma = i ? ", " : "";
    parameters += comma + "%a" + std::to_string(i) + ": " + print(input);
    operands += comma + "%a" + std::to_string(i);
    wrt += comma + std::to_string(i);
  }
  std::string inputs = joinTypes(type.getInputs());
  std::string text =
      "func.func @loss(" + parameters +
      ") -> tensor<f64> {\n  %zero = arith.constant 0.0 : f64\n"
      "  %empty = tensor.empty() : tensor<f64>\n"
      "  %s0 = linalg.fill ins(%zero : f64) outs(%empty : tensor<f64>) -> "
      "tensor<f64>\n  %r:" +
      std::to_string(type.getNumResults()) + " = call @f(" + operands +
      ") : (" + inputs + ") -> (" + joinTypes(type.getResults()) + ")\n";
  int sums = 0;
  size_t next = 0;
  for (auto [i, result] : llvm::enumerate(type.getResults())) {
    auto tensor = llvm::cast<mlir::RankedTensorType>(result);
    if (!tensor.getElementType().isF64())
      continue;
    std::vector<double> elements;
    for (int64_t e = 0; e != tensor.getNumElements(); ++e)
      elements.push_back(weights[next++ % weights.size()]);
    std::string rank = std::to_string(tensor.getRank());
    std::string identity, iterators, name = std::to_string(i);
    for (int64_t d = 0; d != tensor.getRank(); ++d) {
      identity += (d ? ", d" : "d") + std::to_string(d);
      iterators += d ? ", \"reduction\"" : "\"reduction\"";
    }
    std::string bytes = llvm::toHex(llvm::StringRef(
        reinterpret_cast<const char *>(elements.data()), elements.size() * 8));
    std::string map = "affine_map<(" + identity + ") -> (" + identity + ")>";
    text += "  %w" + name + " = arith.constant dense<\"0x" + bytes +
            "\"> : " + print(tensor) + "\n  %s" + std::to_string(sums + 1) +
            " = linalg.generic {indexing_maps = [" + map + ", " + map +
            ", affine_map<(" + identity + ") -> ()>], iterator_types = [" +
            iterators + "]}\n    ins(%r#" + name + ", %w" + name + " : " +
            print(tensor) + ", " + print(tensor) + ") outs(%s" +
            std::to_string(sums) +
            " : tensor<f64>) {\n  ^bb0(%y: f64, %w: f64, %s: f64):\n"
            "    %p = arith.mulf %y, %w : f64\n"
            "    %n = arith.addf %s, %p : f64\n    linalg.yield %n : f64\n"
            "  } -> tensor<f64>\n";
    ++sums;
  }
  text += "  return %s" + std::to_string(sums) + " : tensor<f64>\n}\n";

  size_t count = type.getNumInputs() + 1;
  std::vector<std::string> values;
  for (size_t i = 0; i != count; ++i)
    values.push_back("%r#" + std::to_string(i));
  text += "func.func @step(" + parameters + ") -> (tensor<f64>, " + inputs +
          ") {\n  %r:" + std::to_string(count) +
          " = ckpt.value_and_grad @loss(" + operands + ") wrt [" + wrt +
          "] : (" + inputs + ") -> (tensor<f64>, " + inputs + ")\n  return " +
          llvm::join(values, ", ") + " : tensor<f64>, " + inputs + "\n}\n";
  return text;
}

namespace {

/// A compiled pair of `@loss` and `@step`.
class Program {
public:
  static std::unique_ptr<Program> compile(const std::string &text,
                                          const std::vector<double> &weights) {
    auto parse = [](const std::string &source) {
      return mlir::parseSourceString<mlir::ModuleOp>(
          source, mlir::ParserConfig(&getContext()));
    };
    mlir::OwningOpRef<mlir::ModuleOp> module = parse(text);
    if (!module)
      return nullptr;
    auto function = module->lookupSymbol<mlir::func::FuncOp>("f");
    module = parse(text + writeStep(function.getFunctionType(), weights));
    if (!module)
      return nullptr;

    if (failed(runPasses(*module, differentiation)) ||
        failed(decomposeAggregates(*module)) ||
        failed(runPasses(*module, lowering)))
      return nullptr;
    mlir::ExecutionEngineOptions options;
    llvm::StringRef libraries[] = {CKPT_RUNNER_UTILS}; // memrefCopy
    options.sharedLibPaths = libraries;
    auto engine = mlir::ExecutionEngine::create(*module, options);
    if (!engine) {
      llvm::consumeError(engine.takeError());
      return nullptr;
    }
    auto program = std::make_unique<Program>();
    program->engine = std::move(*engine);
    return program;
  }

  /// Calls `name` with `inputs`, a copy, since it may overwrite them; `outputs`
  /// have the right shapes.
  bool call(const std::string &name, std::vector<Tensor> inputs,
            std::vector<Tensor> &outputs) {
    std::vector<std::vector<int64_t>> descriptors;
    auto describe = [&](const Tensor &tensor) {
      auto data = reinterpret_cast<int64_t>(tensor.data.data());
      std::vector<int64_t> words{data, data, 0};
      words.insert(words.end(), tensor.shape.begin(), tensor.shape.end());
      for (size_t d = 0; d != tensor.shape.size(); ++d)
        words.push_back(
            countElements({tensor.shape.begin() + d + 1, tensor.shape.end()}));
      descriptors.push_back(std::move(words));
    };
    for (const Tensor &tensor : inputs)
      describe(tensor);
    for (const Tensor &tensor : outputs)
      describe(tensor);
    std::vector<void *> pointers;
    for (std::vector<int64_t> &words : descriptors)
      pointers.push_back(words.data());
    std::vector<void *> arguments;
    for (void *&pointer : pointers)
      arguments.push_back(&pointer);
    llvm::Error error = engine->invokePacked("_mlir_ciface_" + name, arguments);
    bool good = !error;
    llvm::consumeError(std::move(error));
    return good;
  }

private:
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::vector<Tensor> runStep(Program &program,
                                   const std::vector<Tensor> &arguments) {
  std::vector<Tensor> results{{{}, {0.0}}};
  results.insert(results.end(), arguments.begin(), arguments.end());
  EXPECT_TRUE(program.call("step", arguments, results));
  results.erase(results.begin());
  return results;
}

std::vector<Tensor>
ckpt::test::computeGradients(const std::string &text,
                             const std::vector<Tensor> &arguments,
                             const std::vector<double> &weights) {
  std::unique_ptr<Program> program = Program::compile(text, weights);
  EXPECT_TRUE(program) << text;
  return program ? runStep(*program, arguments) : std::vector<Tensor>();
}

void ckpt::test::checkGradients(const std::string &text,
                                const std::vector<Tensor> &arguments,
                                double tolerance) {
  std::vector<double> weights = spread({97}, 0.5, 1.5).data;
  std::unique_ptr<Program> program = Program::compile(text, weights);
  ASSERT_TRUE(program) << text;
  std::vector<Tensor> gradients = runStep(*program, arguments);

  auto evaluate = [&](const std::vector<Tensor> &at) {
    std::vector<Tensor> loss{{{}, {0.0}}};
    EXPECT_TRUE(program->call("loss", at, loss));
    return loss.front().data.front();
  };
  for (size_t i = 0; i != arguments.size(); ++i) {
    for (size_t j = 0; j != arguments[i].data.size(); ++j) {
      double value = arguments[i].data[j];
      double step = 1e-5 * std::max(1.0, std::fabs(value));
      std::vector<Tensor> moved = arguments;
      moved[i].data[j] = value + step;
      double above = evaluate(moved);
      moved[i].data[j] = value - step;
      double below = evaluate(moved);
      double expected = (above - below) / (2 * step);
      double got = gradients[i].data[j];
      EXPECT_LE(std::fabs(got - expected),
                tolerance * std::max(1.0, std::fabs(expected)))
          << "argument " << i << ", element " << j << ": the gradient is "
          << got << ", finite differences give " << expected << "\n"
          << text;
    }
  }
}

void ckpt::test::expectGradients(
    const std::string &text, const std::vector<Tensor> &arguments,
    const std::vector<std::vector<double>> &expected) {
  std::vector<Tensor> gradients = computeGradients(text, arguments, {1.0});
  ASSERT_EQ(gradients.size(), expected.size());
  for (size_t i = 0; i != expected.size(); ++i) {
    ASSERT_EQ(gradients[i].data.size(), expected[i].size());
    for (size_t j = 0; j != expected[i].size(); ++j)
      EXPECT_NEAR(gradients[i].data[j], expected[i][j], 1e-12)
          << "argument " << i << ", element " << j << "\n"
          << text;
  }
}
