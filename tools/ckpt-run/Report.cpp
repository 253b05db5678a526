//===- Report.cpp - What a run shows --------------------------------------===//

#include "Report.h"

#include "ckpt/Support/Npy.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace ckpt;
using namespace llvm;

static double ratio(int64_t part, int64_t whole) {
  return whole == 0 ? 1.0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

static json::Object toJson(const CompiledStep &step, const Report &report) {
  const StepSummary &summary = step.summary;
  json::Object object{
      {"model", report.model},
      {"plan", report.plan},
      {"budget", report.budget},
      {"device", report.device},
      {"planned_peak_bytes", summary.peakBytes},
      {"arena_bytes", step.arenaBytes},
      {"fragmentation_bytes", step.arenaBytes - summary.peakBytes},
      {"store_all_peak_bytes", step.storeAllPeakBytes},
      {"argument_bytes", summary.argumentBytes},
      {"result_bytes", summary.resultBytes},
      {"ops", summary.ops},
      {"recomputed_ops", summary.recomputedOps},
      {"flops", summary.flops},
      {"recomputed_flops", summary.recomputedFlops},
      {"forward_flops", summary.forwardFlops},
      {"estimated_time_ratio", ratio(summary.time, summary.storeAllTime)},
      {"kernels", step.numKernels},
      {"launches", step.numLaunches},
  };
  if (report.counters) {
    object["measured_peak_bytes"] = report.counters->stepPeakBytes;
    object["launches"] = report.counters->launches;
    object["execution_seconds"] = report.executionSeconds;
  }
  if (report.bitwiseEqual)
    object["bitwise_equal_to_store_all"] = *report.bitwiseEqual;
  json::Object stages;
  for (const StageTime &stage : step.stages)
    stages[stage.stage] = stage.seconds;
  object["compile_seconds"] = std::move(stages);
  return object;
}

Error ckpt::writeReport(const std::string &path, const CompiledStep &step,
                        const Report &report) {
  std::string text;
  raw_string_ostream os(text);
  os << formatv("{0:2}", json::Value(toJson(step, report))) << "\n";
  if (path == "-") {
    outs() << text;
    return Error::success();
  }
  std::string error;
  if (!writeFileWhole(path, text.data(), text.size(), error))
    return createStringError(inconvertibleErrorCode(), error);
  return Error::success();
}

/// A number of bytes with a unit that keeps it readable.
static std::string bytesText(int64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  std::string text;
  raw_string_ostream os(text);
  os << format(unit == 0 ? "%.0f " : "%.1f ", value) << units[unit];
  return text;
}

void ckpt::printReport(raw_ostream &os, const CompiledStep &step,
                       const Report &report) {
  const StepSummary &summary = step.summary;
  auto row = [&](StringRef name, const Twine &value) {
    os << "  " << left_justify(name, 26) << value << "\n";
  };
  auto percent = [](double fraction) {
    std::string text;
    raw_string_ostream stream(text);
    stream << format("%.1f%%", 100 * fraction);
    return text;
  };
  double stageSeconds = 0;
  for (const StageTime &stage : step.stages)
    stageSeconds += stage.seconds;

  os << report.model << ": plan " << report.plan
     << (report.budget.empty() ? "" : ", budget " + report.budget)
     << ", device " << report.device << "\n";
  row("peak, planned",
      bytesText(summary.peakBytes) + " (" +
          percent(ratio(summary.peakBytes, step.storeAllPeakBytes)) +
          " of store-everything)");
  row("peak, measured", report.counters
                            ? bytesText(report.counters->stepPeakBytes)
                            : "not executed");
  if (step.arenaBytes != summary.peakBytes)
    row("lost between buffers", bytesText(step.arenaBytes - summary.peakBytes) +
                                    ": no packing without gaps was found");
  row("peak, store everything", bytesText(step.storeAllPeakBytes));
  row("arguments and results", bytesText(summary.argumentBytes) + " and " +
                                   bytesText(summary.resultBytes));
  row("ops recomputed", Twine(summary.recomputedOps) + " of " +
                            Twine(summary.ops - summary.recomputedOps));
  row("arithmetic added",
      percent(ratio(summary.recomputedFlops,
                    summary.flops - summary.recomputedFlops)) +
          " of the step, " +
          percent(ratio(summary.recomputedFlops, summary.forwardFlops)) +
          " of a forward pass");
  row("time, estimated", percent(ratio(summary.time, summary.storeAllTime)) +
                             " of store-everything");
  row("kernels and launches",
      Twine(step.numKernels) + " and " + Twine(step.numLaunches));
  if (report.bitwiseEqual)
    row("equal to store-everything",
        *report.bitwiseEqual ? "yes, bit for bit" : "NO");
  std::string seconds;
  raw_string_ostream stream(seconds);
  stream << format("%.2f s and %.2f s", stageSeconds, report.executionSeconds);
  row("compiled and ran in", seconds);
}
