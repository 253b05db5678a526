//===- ckpt-run.cpp - Compiles and executes a training step ---------------===//

#include "Bundle.h"
#include "Execution.h"
#include "HostProgram.h"
#include "Progress.h"
#include "Report.h"
#include "ckpt/Pipelines/Registration.h"
#include "ckpt/Runtime/Emulated.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace ckpt;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static cl::OptionCategory category("ckpt-run options");
static cl::opt<std::string> modelPath(cl::Positional, cl::Required,
                                      cl::desc("MODEL.mlir"),
                                      cl::cat(category));
static cl::opt<std::string>
    entry("entry", cl::desc("Function to train; its first result is the loss"),
          cl::init("main"), cl::cat(category));
static cl::opt<std::string>
    wrt("wrt",
        cl::desc("Arguments to differentiate by, e.g. 0,2; none: the function "
                 "is a joint graph already (default: all of floats)"),
        cl::cat(category));
static cl::opt<std::string> plan(
    "plan",
    cl::desc("none, all, sqrt, interval=K, policy, auto, or another solver "
             "of the planner"),
    cl::init("none"), cl::cat(category));
static cl::opt<std::string>
    budget("budget",
           cl::desc("Bytes that the step may allocate: 6GiB, 900MB, "
                    "40% of store-everything, or min"),
           cl::cat(category));
static cl::opt<std::string>
    target("target",
           cl::desc("Hardware of the cost model: h200, h100, a100, l4"),
           cl::init("h100"), cl::cat(category));
static cl::opt<std::string>
    costProfile("cost-profile",
                cl::desc("JSON file of measured times, see ckpt-plan"),
                cl::cat(category));
static cl::opt<std::string> device("device",
                                   cl::desc("emulated, cuda, cuda:N, or auto"),
                                   cl::init("auto"), cl::cat(category));
static cl::opt<std::string> chip("chip",
                                 cl::desc("GPU architecture of the kernels"),
                                 cl::init("sm_80"), cl::cat(category));
static cl::opt<std::string> toolkit("cuda-toolkit",
                                    cl::desc("Folder of the CUDA toolkit"),
                                    cl::cat(category));
static cl::opt<std::string>
    argsDirectory("args",
                  cl::desc("Folder of arg0.npy, arg1.npy, ...; absent ones are "
                           "drawn: floats in [-0.5, 0.5), integers 0 or 1"),
                  cl::cat(category));
static cl::opt<std::string>
    resultsDirectory("results", cl::desc("Folder for result0.npy, ..."),
                     cl::cat(category));
static cl::opt<bool>
    check("check",
          cl::desc("Also store everything and demand bitwise equal results"),
          cl::cat(category));
static cl::opt<std::string> reportPath("report",
                                       cl::desc("Write a report to FILE.json"),
                                       cl::value_desc("FILE.json"),
                                       cl::cat(category));
static cl::opt<bool>
    compileOnly("compile-only",
                cl::desc("Plan, compile and report; do not execute"),
                cl::cat(category));
static cl::opt<std::string>
    bundle("bundle",
           cl::desc("Do not run: write the compiled step, its arguments and a "
                    "runner to DIR, for a machine without LLVM"),
           cl::value_desc("DIR"), cl::cat(category));
static cl::opt<KernelFormat>
    bundleFormat("bundle-format", cl::desc("Kernels in the bundle:"),
                 cl::values(clEnumValN(KernelFormat::fatbin, "fatbin",
                                       "machine code and PTX (needs ptxas)"),
                            clEnumValN(KernelFormat::cubin, "cubin",
                                       "machine code (needs ptxas)"),
                            clEnumValN(KernelFormat::ptx, "ptx", "PTX"),
                            clEnumValN(KernelFormat::bitcode, "bitcode",
                                       "for the emulated device")),
                 cl::init(KernelFormat::fatbin), cl::cat(category));
static cl::opt<uint64_t>
    seed("seed",
         cl::desc("Seed of drawn arguments, of the planner, and of the "
                  "emulated device's thread order"),
         cl::init(0), cl::cat(category));

static int fail(const llvm::Twine &message) {
  llvm::errs() << "ckpt-run: " << message << "\n";
  return 1;
}

static int fail(llvm::Error error) {
  return fail(llvm::toString(std::move(error)));
}

/// Reads `--wrt`; false and a message where it is malformed.
static bool parseWrt(std::optional<std::vector<int64_t>> &arguments) {
  if (wrt.getNumOccurrences() == 0)
    return true;
  arguments.emplace();
  if (wrt == "none")
    return true;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(wrt).split(parts, ',');
  for (llvm::StringRef part : parts) {
    int64_t index;
    if (part.getAsInteger(10, index)) {
      fail("--wrt: '" + part + "' is no argument number");
      return false;
    }
    arguments->push_back(index);
  }
  return true;
}

/// Reads `--plan` and the options beside it.
static bool parsePlan(PlanOptions &options) {
  auto [solver, interval] = llvm::StringRef(plan).split('=');
  options.solver = solver.str();
  options.budget = budget;
  options.target = target;
  options.costProfile = costProfile;
  options.seed = seed;
  if (solver != "interval" && interval.empty())
    return true;
  if (solver == "interval" && !interval.getAsInteger(10, options.interval) &&
      options.interval > 0)
    return true;
  fail("--plan: expected a solver's name or interval=K, not '" + plan + "'");
  return false;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static llvm::FailureOr<CompiledStep> compile(mlir::MLIRContext &context,
                                             const CompileOptions &options) {
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceFile<mlir::ModuleOp>(modelPath, sources, &context);
  if (!module)
    return mlir::failure();
  return compileStep(*module, options);
}

/// Compiles, and writes a bundle instead of running it.
static int makeBundle(mlir::MLIRContext &mlirContext, CompileOptions options,
                      const char *program) {
  options.kernels.format = bundleFormat;
  llvm::FailureOr<CompiledStep> step = compile(mlirContext, options);
  if (failed(step))
    return 1;
  // The host code is needed twice: in the bundle, and here for what it says of
  // the arguments.
  llvm::Expected<HostProgram> host = HostProgram::createFromCopy(*step->host);
  if (!host)
    return fail(host.takeError());
  auto arguments = loadArguments(host->getInfo(), argsDirectory, seed);
  if (!arguments)
    return fail(arguments.takeError());
  std::string path = llvm::sys::fs::getMainExecutable(
      program, reinterpret_cast<void *>(&makeBundle));
  if (llvm::Error error = writeBundle(bundle, *step, bundleFormat,
                                      host->getInfo(), *arguments, path))
    return fail(std::move(error));
  return 0;
}

/// Compiles and runs once.
static llvm::Expected<Execution> run(CkptContext *context, CompiledStep &step,
                                     const CkptStepInfo *&info,
                                     std::vector<HostProgram> &programs) {
  llvm::Expected<HostProgram> program =
      HostProgram::create(std::move(step.host), std::move(step.context));
  if (!program)
    return program.takeError();
  programs.push_back(std::move(*program));
  info = &programs.back().getInfo();
  auto arguments = loadArguments(*info, argsDirectory, seed);
  if (!arguments)
    return arguments.takeError();
  return execute(context, *info, step.image.bytes, *arguments);
}

/// Shows the report and writes it where it is asked for.
static int finish(const CompiledStep &step, const Report &report) {
  printReport(llvm::outs(), step, report);
  if (reportPath.empty())
    return 0;
  if (llvm::Error error = writeReport(reportPath, step, report))
    return fail(std::move(error));
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "ckpt-run: differentiates, plans, compiles and "
                              "executes a training step\n");

  CompileOptions options;
  options.entry = entry;
  options.kernels.chip = chip;
  options.kernels.toolkit = toolkit;
  Progress progress;
  options.onStage = [&](llvm::StringRef stage) { progress.begin(stage); };
  if (!parseWrt(options.wrt) || !parsePlan(options.plan))
    return 1;

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  registerCkptDialects(registry);
  mlir::MLIRContext mlirContext(registry);
  mlirContext.printOpOnDiagnostic(false);

  if (!bundle.empty())
    return makeBundle(mlirContext, options, argv[0]);

  ckptRegisterEmulatedDevice();
  llvm::Expected<DeviceContext> opened = openDevice(device, seed);
  if (!opened)
    return fail(opened.takeError());
  CkptContext *context = opened->get();
  options.kernels.format =
      ckptIsEmulated(context) ? KernelFormat::bitcode : KernelFormat::ptx;

  llvm::FailureOr<CompiledStep> step = compile(mlirContext, options);
  if (failed(step))
    return 1;
  Report report;
  report.model = llvm::sys::path::filename(modelPath).str();
  report.plan = plan;
  report.budget = budget;
  report.device = ckptDeviceName(context);
  if (compileOnly)
    return finish(*step, report);

  progress.begin("execute");
  std::vector<HostProgram> programs;
  const CkptStepInfo *info = nullptr;
  llvm::Expected<Execution> execution = run(context, *step, info, programs);
  if (!execution)
    return fail(execution.takeError());

  report.counters = execution->counters;
  report.executionSeconds = execution->seconds;

  int64_t difference = -1;
  if (check) {
    CompileOptions storeAll = options;
    storeAll.plan.solver = "none";
    storeAll.plan.budget.clear();
    llvm::FailureOr<CompiledStep> reference = compile(mlirContext, storeAll);
    if (failed(reference))
      return 1;
    const CkptStepInfo *referenceInfo = nullptr;
    llvm::Expected<Execution> expected =
        run(context, *reference, referenceInfo, programs);
    if (!expected)
      return fail(expected.takeError());
    difference = findDifference(execution->results, expected->results);
    report.bitwiseEqual = difference < 0;
  }

  if (!resultsDirectory.empty())
    if (llvm::Error error =
            saveBuffers(llvm::ArrayRef(info->results,
                                       static_cast<size_t>(info->numResults)),
                        execution->results, resultsDirectory, "result"))
      return fail(std::move(error));
  if (int status = finish(*step, report))
    return status;
  if (difference >= 0)
    return fail("result " + llvm::Twine(difference) +
                " differs from that of storing everything");
  return 0;
}
