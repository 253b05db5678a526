//===- Arguments.cpp - The command line of ckpt-plan ----------------------===//
#include "Arguments.h"

#include <charconv>
#include <string_view>

namespace ckpt::planner {

const char *const kUsage =
    R"(usage: ckpt-plan GRAPH.json --budget=BUDGET [options]
       ckpt-plan GRAPH.json --sweep=FROM:TO:STEP [options]
       ckpt-plan GRAPH.json --verify=PLAN.json [--certificate=FILE] [options]

Plans which ops of a graph to recompute so that it fits into a budget of memory.
GRAPH.json is a graph in the native format or a node-link graph; - reads stdin.

  --budget=BUDGET    50% (of the store-everything peak), 6GiB, 900MB, 12345
                     (bytes), or min (the smallest peak that is found); without
                     the graph's fixed bytes
  --sweep=20:100:5   budgets in percent: from, to, step
  --solver=NAME      none, all, interval, sqrt, chen-greedy, min-cut, chain-dp,
                     greedy, auto (default), exact, brute-force
  --interval=K       boundaries per stored boundary, of solver interval
  --order=ORDER      free (default): any order of the ops; program: first runs in
                     the order of the graph
  --time-limit=S     seconds per budget
  --effort=N         moves (or states) per budget, independent of the machine
  --seed=N           seed of random choices
  --plan-out=FILE    writes the plan as JSON
  --certificate-out=FILE
                     writes the bound and what proves it as JSON
  --svg-out=FILE     writes the curve of a sweep there, not to stdout
  --json             prints the result as JSON
  --verify=FILE      checks a plan instead: replays it within --budget (by
                     default the one that it names) and compares what it claims
  --certificate=FILE with --verify: proves the bound from its certificate. A
                     bound without one is proven, on small graphs, by a search
                     of at most --effort states (6000000)

Exit status: 0: a plan, or a valid one; 1: bad input; 2: no plan within the
budget, or an invalid plan or certificate.
)";

static bool parseInteger(std::string_view text, int64_t &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0;
}

static bool parseSweep(std::string_view text, std::vector<int64_t> &sweep) {
  for (int i = 0; i < 3; ++i) {
    size_t colon = i < 2 ? text.find(':') : text.size();
    if (colon == std::string_view::npos)
      return false;
    int64_t value = 0;
    if (!parseMillionths(text.substr(0, colon), value))
      return false;
    sweep.push_back(value);
    text.remove_prefix(std::min(text.size(), colon + 1));
  }
  constexpr int64_t maxPoints = 10'000;
  return sweep[2] > 0 && sweep[0] <= sweep[1] &&
         (sweep[1] - sweep[0]) / sweep[2] < maxPoints;
}

/// Sets what `--key=value` says; false: no such option, or a bad value.
static bool parseOption(std::string_view key, std::string_view value,
                        Arguments &arguments, bool &known) {
  Options &options = arguments.options;
  int64_t number = 0;
  if (key == "budget")
    return parseBudget(value, arguments.budget.emplace());
  if (key == "sweep") {
    arguments.sweep.emplace();
    return parseSweep(value, *arguments.sweep);
  }
  if (key == "solver") {
    options.solver = value;
    return true;
  }
  if (key == "order") {
    options.order = value == "program" ? Order::Program : Order::Free;
    return value == "program" || value == "free";
  }
  if (key == "time-limit") {
    bool ok = parseMillionths(value, number) && number > 0;
    options.timeLimit = static_cast<double>(number) / 1e6;
    return ok;
  }
  if (key == "effort")
    return parseInteger(value, options.effort);
  if (key == "seed") {
    bool ok = parseInteger(value, number);
    options.seed = static_cast<uint64_t>(number);
    return ok;
  }
  if (key == "interval") {
    bool ok = parseInteger(value, number) && number >= 1 && number <= INT32_MAX;
    options.interval = static_cast<int32_t>(number);
    return ok;
  }
  for (auto [name, file] : {std::pair("plan-out", &arguments.planOut),
                            {"certificate-out", &arguments.certificateOut},
                            {"svg-out", &arguments.svgOut},
                            {"verify", &arguments.verify},
                            {"certificate", &arguments.certificate}})
    if (key == name) {
      *file = value;
      return !value.empty();
    }
  known = false;
  return false;
}

/// What does not go together, or an empty string. `given`: the options' names.
static std::string contradiction(const Arguments &arguments,
                                 const std::vector<std::string_view> &given) {
  bool writes = !arguments.planOut.empty() || !arguments.certificateOut.empty();
  if (!arguments.verify.empty()) {
    for (std::string_view key : given)
      if (key != "verify" && key != "certificate" && key != "budget" &&
          key != "order" && key != "effort")
        return "--verify checks a plan: --" + std::string(key) +
               " does not go with it";
    if (arguments.budget && arguments.budget->kind == BudgetSpec::Kind::Minimum)
      return "--verify needs a budget in bytes or percent";
    return "";
  }
  if (!arguments.certificate.empty())
    return "--certificate goes with --verify";
  if (arguments.budget.has_value() == arguments.sweep.has_value())
    return "give either --budget or --sweep";
  if (arguments.sweep && writes)
    return "--plan-out and --certificate-out write one plan, not those of a "
           "--sweep";
  if (!arguments.sweep && !arguments.svgOut.empty())
    return "--svg-out draws a --sweep";
  return "";
}

std::optional<Arguments> parseArguments(int argc, char **argv,
                                        std::string &error) {
  Arguments arguments;
  bool hasGraph = false;
  std::vector<std::string_view> given;
  for (int i = 1; i < argc; ++i) {
    std::string_view text = argv[i];
    if (text == "--help" || text == "-h") {
      arguments.help = true;
      return arguments;
    }
    if (text == "--json") {
      arguments.json = true;
      continue;
    }
    if (text == "-" || text.substr(0, 1) != "-") {
      if (hasGraph) {
        error = "a second graph: '" + std::string(text) + "'";
        return std::nullopt;
      }
      hasGraph = true;
      arguments.graphFile = text;
      continue;
    }
    size_t equals = text.find('=');
    given.push_back(text.substr(2, equals - 2));
    bool known = text.substr(0, 2) == "--" && equals != std::string_view::npos;
    bool ok = known && parseOption(text.substr(2, equals - 2),
                                   text.substr(equals + 1), arguments, known);
    if (!ok) {
      error = (known ? "bad value: '" : "unknown option: '") +
              std::string(text) + "'; --help lists the options";
      return std::nullopt;
    }
  }
  error = hasGraph ? contradiction(arguments, given)
                   : "no graph given; --help explains";
  if (!error.empty())
    return std::nullopt;
  return arguments;
}

} // namespace ckpt::planner
