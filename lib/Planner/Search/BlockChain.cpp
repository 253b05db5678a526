//===- BlockChain.cpp - A training step as a chain of blocks --------------===//
#include "Search/BlockChain.h"

#include "Search/StagePeaks.h"

#include <deque>

namespace ckpt::planner {

namespace {
/// A place to cut: before op `forward`, and before op `backward`.
struct Place {
  OpId forward, backward;
  /// Bytes that cross, what only the forward pass reads counted more.
  int64_t score;
};

/// Of each forward position: the backward position with which least crosses.
/// From the turn outwards, with what crosses each backward position in a
/// segment tree.
class PlaceFinder {
public:
  PlaceFinder(const Graph &g, OpId turn)
      : g(g), turn(turn), crossing(g.numOps - turn) {}

  /// Position p is element p - 1.
  std::vector<Place> run() {
    for (ValueId v = 0; v < g.numValues && g.producer[v] < turn; ++v)
      addRead(v, turn, +1);
    const std::vector<int64_t> gradients = gradientBytes();
    std::vector<Place> places(turn);
    for (OpId p = turn; p >= 1; --p) {
      // The last one of equal ones: what crosses is used up within.
      const OpId backward = g.numOps - crossing.argMax();
      places[p - 1] = {p, backward, 2 * (gradients[backward] - crossing.max())};
      enter(p - 1);
    }
    penalizeUnread(places);
    return places;
  }

private:
  const Graph &g;
  const OpId turn;
  /// Of the backward positions numOps, numOps - 1, ... turn + 1: bytes made by
  /// forward ops that cross it or the forward position, negative.
  StagePeaks crossing;

  void add(OpId from, OpId to, int64_t bytes) {
    crossing.add(g.numOps - to, g.numOps - std::max(from, turn + 1), -bytes);
  }
  /// What is made inside and read after a backward position crosses it.
  /// Outputs are there in any case.
  void addMade(ValueId v, int sign) {
    if (!g.output[v] && !g.users[v].empty())
      add(g.producer[v] + 1, g.users[v].back(), sign * g.bytes[v]);
  }
  /// What is made before a forward position p and read between it and the
  /// backward position crosses it.
  void addRead(ValueId v, OpId p, int sign) {
    Rows::Range users = g.users[v];
    const int32_t *first = std::lower_bound(users.begin(), users.end(), p);
    if (first != users.end())
      add(*first + 1, g.numOps, sign * g.bytes[v]);
  }
  /// Makes `op` the first one inside.
  void enter(OpId op) {
    for (ValueId v = g.firstResult[op]; v < g.firstResult[op + 1]; ++v) {
      addRead(v, op + 1, -1);
      addMade(v, +1);
    }
    for (ValueId v : g.inputs[op]) {
      addRead(v, op + 1, -1);
      addRead(v, op, +1);
    }
  }
  /// What backward ops make before each position and others read after it.
  std::vector<int64_t> gradientBytes() const {
    std::vector<int64_t> bytes(g.numOps + 2, 0);
    for (ValueId v = g.firstResult[turn]; v < g.numValues; ++v)
      if (!g.output[v] && !g.users[v].empty()) {
        bytes[g.producer[v] + 1] += g.bytes[v];
        bytes[g.users[v].back() + 1] -= g.bytes[v];
      }
    for (OpId op = 1; op <= g.numOps; ++op)
      bytes[op] += bytes[op - 1];
    return bytes;
  }
  /// A value that the backward pass reads is better to cut at than one from
  /// which that must be made.
  void penalizeUnread(std::vector<Place> &places) const {
    std::vector<int64_t> unread(turn + 2, 0);
    for (ValueId v = 0; v < g.numValues; ++v) {
      Rows::Range users = g.users[v];
      if (users.empty() || users.back() >= turn)
        continue;
      unread[g.producer[v] + 1] += g.bytes[v];
      unread[users.back() + 1] -= g.bytes[v];
    }
    for (OpId p = 1; p <= turn; ++p) {
      unread[p] += unread[p - 1];
      places[p - 1].score += unread[p];
    }
  }
};
} // namespace

/// Places with no better one within `window` ops, at least that far apart.
static std::vector<Place> narrowest(const std::vector<Place> &places,
                                    int32_t window) {
  const int32_t count = static_cast<int32_t>(places.size());
  std::vector<Place> chosen;
  // Places within the window by increasing score: the first is the least.
  std::deque<int32_t> least;
  int32_t entered = 0;
  for (int32_t i = 0; i < count; ++i) {
    for (; entered <= std::min(count - 1, i + window); ++entered) {
      while (!least.empty() &&
             places[least.back()].score > places[entered].score)
        least.pop_back();
      least.push_back(entered);
    }
    while (least.front() < i - window)
      least.pop_front();
    if (places[i].score <= places[least.front()].score &&
        (chosen.empty() || places[i].forward - chosen.back().forward >= window))
      chosen.push_back(places[i]);
  }
  return chosen;
}

BlockChain findBlockChain(const Graph &g, const BlockChainOptions &options) {
  BlockChain chain;
  chain.forward = {0};
  chain.backward = {g.numOps};
  if (options.turn <= 1 || options.turn >= g.numOps - 1)
    return chain;
  const std::vector<Place> places = PlaceFinder(g, options.turn).run();
  std::vector<Place> nested;
  for (int32_t window = 0; window < options.turn; window += 1 + window / 4) {
    nested.clear();
    for (const Place &place : narrowest(places, window)) {
      if (place.score / 2 > options.maxBytes || place.backward == g.numOps)
        continue;
      // What begins later must end earlier.
      while (!nested.empty() && nested.back().backward <= place.backward &&
             nested.back().score > place.score)
        nested.pop_back();
      if (nested.empty() || nested.back().backward > place.backward)
        nested.push_back(place);
    }
    if (static_cast<int32_t>(nested.size()) <= options.maxBlocks)
      break;
  }
  for (const Place &place : nested) {
    chain.forward.push_back(place.forward);
    chain.backward.push_back(place.backward);
  }
  return chain;
}

} // namespace ckpt::planner
