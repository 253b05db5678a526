//===- StageCut.cpp - Minimum cuts of a schedule as it is -----------------===//
#include "Search/StageCut.h"

#include "Bounds/ReusedFlow.h"
#include "Bounds/TimeScale.h"
#include "Search/Construct.h"

#include <algorithm>
#include <memory>

namespace ckpt::planner {

namespace {
/// The network of one stage. Nodes: a value that may be kept, an op that may
/// run again after the stage. The source needs what is live across the stage;
/// keeping a value cuts an edge of capacity price x bytes x weight between the
/// value and its producer, running an op again cuts one of capacity time to the
/// sink; infinite edges lead from an op to its inputs.
class StageNetwork {
public:
  StageNetwork(const ScheduleState &state, int32_t stage,
               LengthExponent exponent)
      : state(state), g(state.graph()), stage(stage), exponent(exponent),
        violations(state.violationsBefore()), scale(g),
        valueNode(g.numValues, kNone), opNode(g.numOps, kNone),
        room(state.budget() - state.peaks().at(stage)) {
    findNeeds();
    for (Need need : needs)
      visit(g.producer[need.value], need.nextUse);
    connect();
  }

  /// Bytes for the values that are live across the stage and those kept
  /// besides.
  int64_t bytesForKept() const { return room; }

  /// The values kept at `price` per byte and their bytes.
  int64_t solve(double price, const Deadline &deadline,
                std::vector<char> &kept) {
    MaxFlow &network = flow->network();
    flow->prepare(price);
    for (const Choice &choice : choices)
      network.setCapacity(choice.edge, scale.capacity(price * choice.weight,
                                                      g.bytes[choice.value]));
    flow->run(kSource, kSink, deadline);
    kept = alive;
    int64_t bytes = 0;
    for (const Choice &choice : choices) {
      const int32_t value = valueNode[choice.value];
      const int32_t op = opNode[g.producer[choice.value]];
      bool runs = op != kSink && network.onSourceSide(op);
      if (runs || !network.onSourceSide(value))
        continue;
      kept[choice.value] = true;
      bytes += g.bytes[choice.value];
    }
    return bytes;
  }

private:
  static constexpr int32_t kSource = 0, kSink = 1;
  struct Need {
    ValueId value;
    int32_t nextUse;
  };
  struct Choice {
    ValueId value;
    double weight;
    int32_t edge;
  };

  const ScheduleState &state;
  const Graph &g;
  const int32_t stage;
  const LengthExponent exponent;
  const std::vector<int32_t> violations;
  const TimeScale scale;
  std::vector<int32_t> valueNode, opNode;
  int32_t numNodes = 2;
  int64_t room;
  std::vector<Need> needs;
  std::vector<Choice> choices;
  /// Values that are in memory without a choice where they are needed, or need
  /// only be kept after the stage.
  std::vector<char> alive;
  std::vector<OpId> ops, pending;
  std::unique_ptr<ReusedFlow> flow;

  double weight(int32_t from, int32_t to) const {
    return lengthFactor(violations[to] - violations[from], exponent);
  }

  /// What is live across the stage and could be evicted there, by next use.
  void findNeeds() {
    alive.assign(g.numValues, false);
    const ValueId end = stage < g.numOps ? g.firstResult[stage] : g.numValues;
    for (ValueId v = 0; v < end; ++v) {
      if (!state.liveAt(v, stage))
        continue;
      const ScheduleState::Gap gap = state.gapAcross(v, stage);
      if (g.bytes[v] == 0 || g.pinned(v) || !gap) {
        alive[v] = true;
        continue;
      }
      room += g.bytes[v];
      valueNode[v] = kSource;
      needs.push_back({v, gap.to});
      choices.push_back({v, weight(gap.from, gap.to), kNone});
    }
    std::sort(needs.begin(), needs.end(), [](Need a, Need b) {
      return a.nextUse != b.nextUse ? a.nextUse < b.nextUse : a.value < b.value;
    });
  }

  void addOp(OpId op) {
    if (opNode[op] != kNone)
      return;
    if (!g.recomputable[op]) {
      opNode[op] = kSink;
      return;
    }
    opNode[op] = numNodes++;
    pending.push_back(op);
  }

  /// The ops that may run again so that `first` can, in stage `when`.
  void visit(OpId first, int32_t when) {
    addOp(first);
    while (!pending.empty()) {
      const OpId op = pending.back();
      pending.pop_back();
      ops.push_back(op);
      for (ValueId v : g.inputs[op]) {
        if (valueNode[v] != kNone || alive[v])
          continue;
        // The copy that is live then, or the last one before.
        int32_t k = state.find(v, when);
        k = k >= 0 ? k : -1 - k;
        const Interval copy = state.intervals(v)[k];
        if (g.bytes[v] == 0 || copy.end >= stage) {
          alive[v] = true;
          continue;
        }
        valueNode[v] = numNodes++;
        choices.push_back({v, weight(copy.end, when), kNone});
        addOp(g.producer[v]);
      }
    }
  }

  void connect() {
    flow = std::make_unique<ReusedFlow>(numNodes);
    MaxFlow &network = flow->network();
    for (Choice &choice : choices)
      choice.edge = network.addEdge(valueNode[choice.value],
                                    opNode[g.producer[choice.value]], 0);
    for (OpId op : ops) {
      // What takes no time is not done for nothing either.
      network.addEdge(opNode[op], kSink, scale.time(g.time[op]) + 1);
      for (ValueId v : g.inputs[op])
        if (valueNode[v] > kSink)
          network.addEdge(opNode[op], valueNode[v], MaxFlow::kInfinite);
    }
    network.freeze();
  }
};
} // namespace

bool cheapestKept(const ScheduleState &state, int32_t stage,
                  const StageCutOptions &options, const Deadline &deadline,
                  std::vector<char> &kept) {
  StageNetwork network(state, stage, options.exponent);
  const int64_t room = static_cast<int64_t>(
      static_cast<double>(network.bytesForKept()) * options.part);
  if (room < 0)
    return false;
  // The lowest price at which what is kept fits: a bracket, then halving.
  double bytes = 1;
  for (int64_t b : state.graph().bytes)
    bytes += static_cast<double>(b);
  double high = static_cast<double>(state.graph().totalTime + 1) / bytes / 64;
  double low = 0;
  for (int tries = 0; network.solve(high, deadline, kept) > room; ++tries) {
    if (tries == 40 || deadline.passed())
      return false;
    low = high;
    high *= 3;
  }
  std::vector<char> trial;
  for (int steps = 0; steps < 12 && !deadline.passed(); ++steps) {
    double middle = (low + high) / 2;
    if (network.solve(middle, deadline, trial) <= room) {
      high = middle;
      std::swap(kept, trial);
    } else {
      low = middle;
    }
    if (high - low < 0.01 * high)
      break;
  }
  return true;
}

/// One cut at `stage`. Undoes it and returns false if `worst` got no better for
/// it.
static bool lowerStage(ScheduleState &state, int32_t stage, int32_t worst,
                       const StageCutOptions &options, const Deadline &deadline,
                       std::vector<char> &kept) {
  const int64_t before = state.peaks().at(worst);
  if (!cheapestKept(state, stage, options, deadline, kept))
    return false;
  state.setLogging(true);
  bool better = evictAcross(state, stage, kept, options.costLimit, deadline) &&
                state.peaks().at(worst) < before;
  if (!better)
    state.rollback(0);
  state.setLogging(false);
  return better;
}

void lowerWorstStages(ScheduleState &state, const StageCutOptions &options,
                      const Deadline &deadline) {
  std::vector<char> kept;
  for (int32_t i = 0; i < options.maxStages && !state.fits(); ++i) {
    const int32_t worst = state.peaks().argMax();
    if (deadline.passed())
      return;
    if (lowerStage(state, worst, worst, options, deadline, kept))
      continue;
    // What is recomputed in this stage, for later ones, crosses the next.
    if (worst + 1 >= state.graph().numOps ||
        !lowerStage(state, worst + 1, worst, options, deadline, kept))
      return;
  }
}

} // namespace ckpt::planner
