//===- Report.cpp - What ckpt-plan prints ---------------------------------===//
#include "Report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace ckpt::planner {

/// printf to a string.
__attribute__((format(printf, 1, 2))) static std::string
format(const char *pattern, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(buffer, sizeof(buffer), pattern, arguments);
  va_end(arguments);
  return buffer;
}

static double percent(int64_t part, int64_t whole) {
  return whole == 0
             ? 0
             : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

static double overhead(int64_t time, const Scale &scale) {
  return percent(time - scale.storeAllTime, scale.storeAllTime);
}

static const char *statusName(Status status) {
  switch (status) {
  case Status::Solved:
    return "plan";
  case Status::BelowFloor:
    return "below-floor";
  case Status::NotFound:
    return "not-found";
  case Status::Unsupported:
    return "unsupported";
  case Status::BadOptions:
    return "bad-options";
  }
  return "";
}

static const char *stopName(StopReason stop) {
  switch (stop) {
  case StopReason::Optimal:
    return "proven optimal";
  case StopReason::Finished:
    return "the construction ended";
  case StopReason::TimeLimit:
    return "time limit";
  case StopReason::Effort:
    return "effort spent";
  case StopReason::Failed:
    return "no plan";
  }
  return "";
}

static const char *proofName(Proof proof) {
  switch (proof) {
  case Proof::Runs:
    return "one run of every op";
  case Proof::Prices:
    return "certificate";
  case Proof::Search:
    return "search";
  }
  return "";
}

/// What shows that a bound holds.
static Proof proofOf(const Problem &problem, const TimeBound &bound) {
  if (bound.time <= problem.totalTime())
    return Proof::Runs;
  return bound.bySearch ? Proof::Search : Proof::Prices;
}

std::string printText(const Problem &problem, const Scale &scale,
                      const Outcome &outcome) {
  const Result &r = outcome.result;
  std::string text = format("graph            %s: %d ops, %d values\n",
                            problem.name.substr(0, 200).c_str(),
                            problem.numOps(), problem.numValues()) +
                     format("store everything peak %lld bytes, time %lld\n",
                            static_cast<long long>(scale.storeAllPeak),
                            static_cast<long long>(scale.storeAllTime)) +
                     format("budget           %lld bytes (%.2f%%)\n",
                            static_cast<long long>(outcome.budget),
                            percent(outcome.budget, scale.storeAllPeak));
  text += format("peak             %lld bytes (%.2f%%), proven floor %lld\n",
                 static_cast<long long>(r.peak),
                 percent(r.peak, scale.storeAllPeak),
                 static_cast<long long>(r.floor.bytes));
  if (problem.fixedBytes)
    text += format("fixed            %lld bytes besides\n",
                   static_cast<long long>(problem.fixedBytes));
  text += format("time             %lld (overhead %.4f%%)\n",
                 static_cast<long long>(r.time), overhead(r.time, scale));
  text +=
      format("bound            %lld (overhead %.4f%%), gap %.4f%%%s\n",
             static_cast<long long>(r.bound.time),
             overhead(r.bound.time, scale), 100 * r.gap(problem),
             r.bound.order == Order::Program ? ", for the program order" : "") +
      format("proven by        %s\n", proofName(proofOf(problem, r.bound)));
  text += format("recomputations   %lld\n",
                 static_cast<long long>(r.recomputations));
  text += format("stopped          %s after %.3f s and %lld moves\n",
                 stopName(r.stop), outcome.seconds,
                 static_cast<long long>(r.effortSpent));
  return text;
}

std::string printTable(const Scale &scale, const std::vector<Outcome> &sweep) {
  std::string text =
      "budget%           budget             peak  overhead%     bound%  "
      "recomputed   seconds  status\n";
  for (const Outcome &outcome : sweep) {
    const Result &r = outcome.result;
    text += format("%7.2f %16lld ", percent(outcome.budget, scale.storeAllPeak),
                   static_cast<long long>(outcome.budget));
    if (r.solved())
      text +=
          format("%16lld %10.4f %10.4f %11lld ", static_cast<long long>(r.peak),
                 overhead(r.time, scale), overhead(r.bound.time, scale),
                 static_cast<long long>(r.recomputations));
    else
      text += format("%16s %10s %10s %11s ", "-", "-", "-", "-");
    text += format("%9.3f  %s\n", outcome.seconds, statusName(r.status));
  }
  return text;
}

std::string printSvg(const Problem &problem, const Scale &scale,
                     const std::vector<Outcome> &sweep) {
  constexpr double width = 640, height = 400, left = 60, bottom = 50, top = 40;
  double fromX = 100, toX = 0, toY = 1;
  for (const Outcome &outcome : sweep) {
    double x = percent(outcome.budget, scale.storeAllPeak);
    fromX = std::min(fromX, x);
    toX = std::max(toX, x);
    if (outcome.result.solved())
      toY = std::max(toY, overhead(outcome.result.time, scale));
  }
  if (toX <= fromX)
    toX = fromX + 1;
  auto placeX = [&](double x) {
    return left + (x - fromX) / (toX - fromX) * (width - left - 20);
  };
  auto placeY = [&](double y) {
    return height - bottom - y / toY * (height - bottom - top);
  };
  std::string name;
  for (char c : problem.name.substr(0, 60))
    name += c == '<' || c == '>' || c == '&' || c < ' ' ? '_' : c;
  std::string svg =
      format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" "
             "height=\"%g\" font-family=\"sans-serif\" font-size=\"12\">\n",
             width, height) +
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
      format("<text x=\"%g\" y=\"20\" font-size=\"14\">%s</text>\n", left,
             name.c_str());
  for (int i = 0; i <= 5; ++i) {
    double x = fromX + (toX - fromX) * i / 5, y = toY * i / 5;
    svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.0f"
                  "</text>\n",
                  placeX(x), height - bottom + 18, x);
    svg += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.1f"
                  "</text>\n",
                  left - 6, placeY(y) + 4, y);
    svg += format("<line x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\" "
                  "stroke=\"#ddd\"/>\n",
                  left, width - 20, placeY(y), placeY(y));
  }
  auto curve = [&](const char *color, bool ofBound) {
    std::string points;
    for (const Outcome &outcome : sweep)
      if (outcome.result.solved())
        points += format("%.1f,%.1f ",
                         placeX(percent(outcome.budget, scale.storeAllPeak)),
                         placeY(overhead(ofBound ? outcome.result.bound.time
                                                 : outcome.result.time,
                                         scale)));
    return format("<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                  "points=\"",
                  color) +
           points + "\"/>\n";
  };
  svg += curve("#bbb", /*ofBound=*/true) + curve("#1f77b4", /*ofBound=*/false);
  svg += format("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">budget, %% of "
                "the store-everything peak</text>\n",
                width / 2, height - 12);
  svg += format("<text x=\"%g\" y=\"36\" fill=\"#1f77b4\">overhead, %%</text>"
                "<text x=\"%g\" y=\"36\" fill=\"#999\">proven bound</text>\n",
                left, left + 100);
  return svg + "</svg>\n";
}

std::string printJson(const Problem &problem, const Scale &scale,
                      const Outcome &outcome) {
  const Result &r = outcome.result;
  std::string text =
      format("{\"budget_bytes\": %lld, \"budget_percent\": %.6f, "
             "\"status\": \"%s\"",
             static_cast<long long>(outcome.budget),
             percent(outcome.budget, scale.storeAllPeak), statusName(r.status));
  if (r.solved()) {
    text +=
        format(", \"peak\": %lld, \"cost\": %lld, "
               "\"overhead_percent\": %.6f, \"bound\": %lld",
               static_cast<long long>(r.peak), static_cast<long long>(r.time),
               overhead(r.time, scale), static_cast<long long>(r.bound.time));
    if (r.bound.order == Order::Program)
      text += ", \"bound_order\": \"program\"";
    text += format(
        ", \"gap_percent\": %.6f, \"recomputations\": %lld, "
        "\"first_cost\": %lld, \"first_seconds\": %.6f, "
        "\"stopped\": \"%s\"",
        100 * r.gap(problem), static_cast<long long>(r.recomputations),
        static_cast<long long>(r.firstTime), r.firstSeconds, stopName(r.stop));
  } else {
    text += ", \"peak\": null, \"cost\": null, \"overhead_percent\": null, "
            "\"bound\": null";
    text += format(", \"smallest_peak\": %lld",
                   static_cast<long long>(r.smallestPeak));
  }
  return text + format(", \"floor\": %lld, \"fixed\": %lld, \"ops\": %d, "
                       "\"effort\": %lld, \"seconds\": %.6f}",
                       static_cast<long long>(r.floor.bytes),
                       static_cast<long long>(problem.fixedBytes),
                       problem.numOps(), static_cast<long long>(r.effortSpent),
                       outcome.seconds);
}

std::string printVerdict(const Problem &problem, const Scale &scale,
                         int64_t budget, const Verdict &verdict) {
  const Simulation &s = verdict.simulation;
  std::string text =
      format("valid            peak %lld bytes (%.2f%%) within %lld\n",
             static_cast<long long>(s.peak),
             percent(s.peak, scale.storeAllPeak),
             static_cast<long long>(budget)) +
      format("time             %lld (overhead %.4f%%)\n",
             static_cast<long long>(s.time), overhead(s.time, scale)) +
      format("recomputations   %lld\n",
             static_cast<long long>(s.recomputations)) +
      format("proven bound     %lld (overhead %.4f%%), gap %.4f%%%s\n",
             static_cast<long long>(verdict.bound),
             overhead(verdict.bound, scale), 100 * verdict.gap(problem),
             verdict.boundOrder == Order::Program ? ", for the program order"
                                                  : "") +
      format("proven by        %s\n", proofName(verdict.proof));
  if (verdict.unproven >= 0)
    text += format("not proven       the claimed bound of %lld: it has no "
                   "certificate%s\n",
                   static_cast<long long>(verdict.unproven),
                   verdict.searched ? ", and the search was not complete" : "");
  return text;
}

std::string printVerdictJson(const Problem &problem, const Scale &scale,
                             int64_t budget, const Verdict &verdict) {
  const Simulation &s = verdict.simulation;
  std::string text =
      format("{\"budget_bytes\": %lld, \"peak\": %lld, \"cost\": %lld, "
             "\"overhead_percent\": %.6f, \"recomputations\": %lld, "
             "\"bound\": %lld, \"proof\": \"%s\", \"gap_percent\": %.6f",
             static_cast<long long>(budget), static_cast<long long>(s.peak),
             static_cast<long long>(s.time), overhead(s.time, scale),
             static_cast<long long>(s.recomputations),
             static_cast<long long>(verdict.bound), proofName(verdict.proof),
             100 * verdict.gap(problem));
  if (verdict.boundOrder == Order::Program)
    text += ", \"bound_order\": \"program\"";
  if (verdict.unproven >= 0)
    text += format(", \"unproven_bound\": %lld",
                   static_cast<long long>(verdict.unproven));
  return text + "}\n";
}

} // namespace ckpt::planner
