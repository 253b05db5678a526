//===- Format.cpp - The report for people and programs --------------------===//

#include "Bundle.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace ckpt;
using namespace ckpt::bundle;

__attribute__((format(printf, 2, 3))) static void
append(std::string &text, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  text += line;
}

/// The comparison that used most of its tolerance, or null.
static const Comparison *worst(const Report &report) {
  const Comparison *result = nullptr;
  for (const Comparison &c : report.comparisons)
    if (!result || c.shareOfTolerance() > result->shareOfTolerance())
      result = &c;
  return result;
}

std::string bundle::formatTable(const Report &report) {
  std::string text;
  append(text, "device             %s%s\n", report.device.c_str(),
         report.emulated ? " (on the CPU)" : "");
  append(text, "peak bytes         %" PRId64 "\n", report.peakBytes);
  append(text, "arena bytes        %" PRId64 "\n", report.arenaBytes);
  append(text, "argument bytes     %" PRId64 "\n", report.argumentBytes);
  append(text, "result bytes       %" PRId64 "\n", report.resultBytes);
  append(text, "launches           %" PRId64 "\n", report.launches);
  if (!report.seconds.empty())
    append(text, "step time          %.6f s (median of %zu; %.6f to %.6f)\n",
           report.medianSeconds(), report.seconds.size(),
           report.seconds.front(), report.seconds.back());
  append(text, "results hash       %016" PRIx64 "%s\n", report.resultsHash,
         report.repeatable ? "" : " (runs differ)");
  for (const Comparison &c : report.comparisons)
    if (!c.passed())
      append(text, "result %-3d         %s error %.3e, allowed %.3e\n",
             c.result, c.tolerance.relative ? "relative" : "absolute", c.error,
             c.tolerance.bound);
  if (const Comparison *c = worst(report))
    append(text,
           "checked            %zu results; worst is %d, error %.3e of %.3e\n",
           report.comparisons.size(), c->result, c->error, c->tolerance.bound);
  append(text, "%s\n", report.passed() ? "passed" : "FAILED");
  return text;
}

/// A JSON string.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result + "\"";
}

std::string bundle::formatJson(const Report &report) {
  const Comparison *hardest = worst(report);
  std::string text = "{\"device\": " + quoted(report.device);
  append(text, ", \"emulated\": %s", report.emulated ? "true" : "false");
  append(text, ", \"measured_peak_bytes\": %" PRId64, report.peakBytes);
  append(text, ", \"arena_bytes\": %" PRId64, report.arenaBytes);
  append(text, ", \"argument_bytes\": %" PRId64, report.argumentBytes);
  append(text, ", \"result_bytes\": %" PRId64, report.resultBytes);
  append(text, ", \"launches\": %" PRId64, report.launches);
  append(text, ", \"runs\": %zu", report.seconds.size());
  append(text, ", \"median_seconds\": %.9f", report.medianSeconds());
  append(text, ", \"results_hash\": \"%016" PRIx64 "\"", report.resultsHash);
  append(text, ", \"repeatable\": %s", report.repeatable ? "true" : "false");
  append(text, ", \"checked_results\": %zu", report.comparisons.size());
  if (hardest && std::isfinite(hardest->error))
    append(text, ", \"worst_error\": %.6e, \"worst_tolerance\": %.6e",
           hardest->error, hardest->tolerance.bound);
  append(text, ", \"passed\": %s}", report.passed() ? "true" : "false");
  return text;
}
