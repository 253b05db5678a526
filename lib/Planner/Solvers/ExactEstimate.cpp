//===- ExactEstimate.cpp - Time that is still to be spent -----------------===//
#include "Solvers/ExactEstimate.h"

#include <algorithm>

namespace ckpt::planner {

template <typename Mask>
ExactEstimate<Mask>::ExactEstimate(const Graph &g, const OpMasks<Mask> &masks,
                                   Order order, int64_t budget,
                                   const Deadline &deadline, Mask done)
    : g(g), masks(masks) {
  for (ValueId v : g.outputs)
    outputs |= bit(v);
  MomentModel model(g, order);
  model.setDeadline(deadline);
  constexpr int64_t maxCuts = 16;
  for (OpId op = 0; op < g.numOps && !noPlan && !deadline.passed(); ++op) {
    if (done & bit(op))
      continue;
    const int64_t bound = model.maximizePrice(op, {}, budget, maxCuts).bound;
    noPlan = bound == MomentModel::kInfeasible;
    if (bound <= g.totalTime || noPlan)
      continue;
    moments.push_back(makeMoment(model, op, budget));
    moments.back().again = bound - g.totalTime;
  }
  std::sort(moments.begin(), moments.end(),
            [](const Moment &a, const Moment &b) {
              return a.again != b.again ? a.again > b.again : a.op < b.op;
            });
}

template <typename Mask>
auto ExactEstimate<Mask>::makeMoment(const MomentModel &model, OpId op,
                                     int64_t budget) const -> Moment {
  Moment moment = {op, 0, model.capacity(op, budget), 0, 0, 0, {}};
  const std::vector<MomentModel::Side> side = model.sides(op);
  for (OpId other = 0; other < g.numOps; ++other)
    if (side[other] == MomentModel::After)
      moment.after |= bit(other);
  for (ValueId v = 0; v < g.numValues; ++v) {
    const OpId producer = g.producer[v];
    if (side[producer] != MomentModel::Before)
      continue;
    if ((masks.inputs[op] & bit(v)) || g.mustStay[v]) {
      moment.there |= bit(v);
    } else if (!g.recomputable[producer]) {
      moment.once |= bit(v);
    } else if (g.bytes[v] > 0) {
      // A run that makes several values is paid by each in part.
      const double bytes = static_cast<double>(g.bytes[v]);
      const double part = bytes / static_cast<double>(g.resultBytes(producer));
      moment.items.push_back(
          {v, producer, bytes, static_cast<double>(g.time[producer]) * part});
    }
  }
  std::sort(moment.items.begin(), moment.items.end(),
            [](const Item &a, const Item &b) {
              const double first = a.time / a.bytes, second = b.time / b.bytes;
              return first != second ? first > second : a.value < b.value;
            });
  return moment;
}

template <typename Mask>
auto ExactEstimate<Mask>::futureOf(Mask done) const -> Future {
  Future result;
  for (const Moment &moment : moments)
    if (!(done & bit(moment.op))) {
      result.moment = &moment;
      break;
    }
  const Mask before = result.moment ? masks.ancestors[result.moment->op] : 0;
  const Mask after = result.moment ? result.moment->after : 0;
  result.neededAfter = outputs;
  result.needed = outputs;
  forEachBit(masks.all & ~done, [&](OpId op) {
    result.time += g.time[op];
    result.needed |= masks.inputs[op];
    result.made |= masks.results[op];
    if (before & bit(op))
      result.neededBefore |= masks.inputs[op];
    if (after & bit(op))
      result.neededAfter |= masks.inputs[op];
  });
  return result;
}

/// Least time to recompute those of the values `needed` after a moment that do
/// not fit at it, where ops `runs` run again in any case.
template <typename Mask>
int64_t ExactEstimate<Mask>::timeOfRest(const Moment &moment, Mask needed,
                                        Mask runs) const {
  const int64_t others = bytesOf(g, moment.there | (moment.once & needed));
  double room = std::max(0.0, static_cast<double>(moment.room - others));
  double time = 0;
  for (const Item &item : moment.items) {
    if (!(needed & bit(item.value)) || (runs & bit(item.producer)))
      continue;
    if (item.bytes <= room) {
      room -= item.bytes;
    } else {
      time += item.time * (1 - room / item.bytes);
      room = 0;
    }
  }
  // Never too much, whatever was rounded.
  return static_cast<int64_t>(time * (1 - 1e-9));
}

template <typename Mask>
int64_t ExactEstimate<Mask>::againBefore(Mask values, Mask left) const {
  for (const Moment &moment : moments)
    if (left & bit(moment.op)) {
      Mask needed = values;
      forEachBit(moment.after & left,
                 [&](OpId op) { needed |= masks.inputs[op]; });
      return timeOfRest(moment, needed, 0);
    }
  return 0;
}

/// Adds to `runs` the producers of `missing`, values that must be made again,
/// and of what these need and is not `there`. Returns the time that this adds,
/// or a negative one if some op may run once only.
template <typename Mask>
int64_t ExactEstimate<Mask>::runAgain(Mask missing, Mask there,
                                      Mask &runs) const {
  int64_t time = 0;
  while (missing) {
    const OpId op = g.producer[lowestBit(missing)];
    missing &= missing - 1;
    if (runs & bit(op))
      continue;
    if (!g.recomputable[op])
      return -1;
    runs |= bit(op);
    time += g.time[op];
    missing |= masks.inputs[op] & ~there;
  }
  return time;
}

template <typename Mask>
int64_t ExactEstimate<Mask>::remaining(const Future &future, Mask live) const {
  const Mask there = live | future.made;
  Mask runs = 0;
  const int64_t before = runAgain(future.neededBefore & ~there, there, runs);
  if (before < 0)
    return -1;
  int64_t after = runAgain(future.needed & ~there, there, runs);
  if (after < 0)
    return -1;
  if (future.moment)
    after =
        std::max(after + timeOfRest(*future.moment, future.neededAfter, runs),
                 future.moment->again);
  return future.time + before + after;
}

template class ExactEstimate<SmallMask>;
template class ExactEstimate<LargeMask>;

} // namespace ckpt::planner
