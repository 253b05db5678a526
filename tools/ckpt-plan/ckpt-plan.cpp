//===- ckpt-plan.cpp - The planner on graph files -------------------------===//
#include "Arguments.h"
#include "Report.h"
#include "ckpt/Planner/TextFormat.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>

#include <unistd.h>

using namespace ckpt::planner;

namespace {
enum ExitCode { kPlan = 0, kBadInput = 1, kNoPlan = 2 };
} // namespace

static int fail(ExitCode code, const std::string &what) {
  std::cerr << "ckpt-plan: " << what << "\n";
  return code;
}

static bool readAll(std::istream &stream, std::string &text) {
  constexpr size_t step = 1 << 20;
  text.clear();
  do {
    // What is there doubles, so that long pipes are not copied often.
    const size_t size = text.size();
    const size_t more = std::max(step, size);
    text.resize(size + more);
    stream.read(text.data() + size, static_cast<std::streamsize>(more));
    text.resize(size + static_cast<size_t>(stream.gcount()));
  } while (stream);
  return !stream.bad();
}

static bool readFile(const std::string &path, std::string &text) {
  if (path == "-")
    return readAll(std::cin, text);
  std::ifstream file(path, std::ios::binary);
  return file && readAll(file, text);
}

/// Writes the whole file or none of it.
static bool writeFile(const std::string &path, const std::string &text) {
  std::string temporary = path + ".tmp" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (file && std::rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  std::remove(temporary.c_str());
  return false;
}

template <typename Fn>
static double secondsOf(Fn fn) {
  auto start = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static int runSweep(const Problem &problem, const Scale &scale,
                    const Arguments &arguments) {
  const std::vector<int64_t> &range = *arguments.sweep;
  std::vector<Outcome> sweep;
  std::vector<int64_t> budgets;
  for (int64_t p = range[0]; p <= range[1]; p += range[2])
    budgets.push_back(BudgetSpec{BudgetSpec::Kind::Percent, 0, p}.resolve(
        scale.storeAllPeak));
  bool any = false;
  SweepProgress progress = [&](const Result &result, size_t index,
                               double seconds) {
    sweep.push_back({budgets[index], seconds, result});
    any |= result.solved();
  };
  for (const Result &result :
       solveBudgets(problem, arguments.options, budgets, progress))
    if (result.status == Status::BadOptions ||
        result.status == Status::Unsupported)
      return fail(kBadInput, result.message);
  if (arguments.json) {
    std::string text = "[";
    for (const Outcome &outcome : sweep)
      text +=
          (text.size() > 1 ? ",\n" : "") + printJson(problem, scale, outcome);
    std::cout << text << "]\n";
  } else {
    std::cout << printTable(scale, sweep);
  }
  std::string svg = printSvg(problem, scale, sweep);
  if (!arguments.svgOut.empty()) {
    if (!writeFile(arguments.svgOut, svg))
      return fail(kBadInput, "cannot write " + arguments.svgOut);
  } else if (!arguments.json) {
    std::cout << svg;
  }
  return any ? kPlan : fail(kNoPlan, "no plan at any budget of the sweep");
}

static int runOne(const Problem &problem, const Scale &scale,
                  const Arguments &arguments) {
  Outcome outcome;
  Options options = arguments.options;
  outcome.seconds = secondsOf([&] {
    if (arguments.budget->kind == BudgetSpec::Kind::Minimum) {
      outcome.result = minimizePeak(problem, options);
      outcome.budget = outcome.result.peak;
      return;
    }
    outcome.budget = arguments.budget->resolve(scale.storeAllPeak);
    options.budget = outcome.budget;
    outcome.result = solve(problem, options);
  });
  const Result &result = outcome.result;
  if (result.status == Status::BadOptions ||
      result.status == Status::Unsupported)
    return fail(kBadInput, result.message);
  if (arguments.json)
    std::cout << printJson(problem, scale, outcome) << "\n";
  if (!result.solved())
    return fail(kNoPlan, result.message);
  if (!arguments.json)
    std::cout << printText(problem, scale, outcome);
  if (!arguments.planOut.empty() &&
      !writeFile(arguments.planOut, printPlan(problem, result, outcome.budget)))
    return fail(kBadInput, "cannot write " + arguments.planOut);
  if (!arguments.certificateOut.empty() &&
      !writeFile(arguments.certificateOut,
                 printCertificate(problem, {result.bound, outcome.budget})))
    return fail(kBadInput, "cannot write " + arguments.certificateOut);
  return kPlan;
}

static int runVerify(const Problem &problem, const Scale &scale,
                     const Arguments &arguments) {
  std::string text, error;
  if (!readFile(arguments.verify, text))
    return fail(kBadInput, "cannot read " + arguments.verify);
  std::optional<WrittenPlan> written = parsePlan(problem, text, error);
  if (!written)
    return fail(kBadInput, arguments.verify + ": " + error);
  std::optional<BoundClaim> claim;
  if (!arguments.certificate.empty()) {
    if (!readFile(arguments.certificate, text))
      return fail(kBadInput, "cannot read " + arguments.certificate);
    claim = parseCertificate(problem, text, error);
    if (!claim)
      return fail(kBadInput, arguments.certificate + ": " + error);
  }
  if (!arguments.budget && !written->claims.budget)
    return fail(kBadInput, "the plan names no budget; give --budget");
  constexpr int64_t defaultStates = 6'000'000;
  VerifyOptions options;
  options.budget = arguments.budget
                       ? arguments.budget->resolve(scale.storeAllPeak)
                       : *written->claims.budget;
  options.order = arguments.options.order;
  options.searchStates =
      arguments.options.effort >= 0 ? arguments.options.effort : defaultStates;
  Verdict verdict = verify(problem, written->plan, written->claims,
                           claim ? &*claim : nullptr, options);
  if (!verdict.valid)
    return fail(kNoPlan, verdict.error);
  std::cout << (arguments.json
                    ? printVerdictJson(problem, scale, options.budget, verdict)
                    : printVerdict(problem, scale, options.budget, verdict));
  return kPlan;
}

int main(int argc, char **argv) {
  std::string error;
  std::optional<Arguments> arguments = parseArguments(argc, argv, error);
  if (!arguments)
    return fail(kBadInput, error);
  if (arguments->help) {
    std::cout << kUsage;
    return 0;
  }
  std::optional<Problem> problem;
  {
    std::string text;
    if (!readFile(arguments->graphFile, text))
      return fail(kBadInput, "cannot read " + arguments->graphFile);
    problem = parseProblem(text, error);
  }
  if (!problem)
    return fail(kBadInput, arguments->graphFile + ": " + error);
  Scale scale{storeAllPeak(*problem), problem->totalTime()};
  if (!arguments->verify.empty())
    return runVerify(*problem, scale, *arguments);
  return arguments->sweep ? runSweep(*problem, scale, *arguments)
                          : runOne(*problem, scale, *arguments);
}
