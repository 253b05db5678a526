"""PyTorch's partitioners (torch._functorch.partitioners), emulated.

`plan`: the minimum cut between the forward pass and the backward pass, with its rules:
a value weighs its bytes, times 1.1 to the power of its distance from the backward pass;
what is heavy to compute (contractions, convolutions) and what is small beside what it
is made of (reductions) is not recomputed.

`plan_knapsack`: `activation_memory_budget`. Between those rules and none of them: of the
values that the cut without rules would not store, a knapsack (dynamic programming over
quantised sizes) stores those of most time for a share of the bytes. Since the share
says nothing exact about the peak, all shares are tried and the cheapest plan that fits
is taken, which is kinder than PyTorch.

Not emulated: the choice of fusions, whose effect the graphs have in them already.
"""
import re

from replay import Unsupported

INFINITE = 1 << 100
HEAVY_NAMES = re.compile(
    r"(\.c\d*|\.fc\d*|\.q|\.k|\.v|\.qk|\.pv|\.proj|\.attn|\.gates|upc\d*|head|fc\d*|stem"
    r"|_conv|conv\d*|conv_[dp]w_\d+|predictions|mm|bmm|addmm|convolution|matmul)$"
)


class _Network:
    """Dinic's maximum flow."""

    def __init__(self, nodes):
        self.edges = [[] for _ in range(nodes)]
        self.to, self.left = [], []

    def add(self, source, target, capacity):
        for a, b, c in ((source, target, capacity), (target, source, 0)):
            self.edges[a].append(len(self.to))
            self.to.append(b)
            self.left.append(c)

    def levels(self, source):
        level = [-1] * len(self.edges)
        level[source] = 0
        queue = [source]
        for node in queue:
            for edge in self.edges[node]:
                if self.left[edge] and level[self.to[edge]] < 0:
                    level[self.to[edge]] = level[node] + 1
                    queue.append(self.to[edge])
        return level

    def source_side(self, source, sink):
        """Saturates the network; which nodes the source still reaches."""
        while True:
            level = self.levels(source)
            if level[sink] < 0:
                return [depth >= 0 for depth in level]
            at = [0] * len(self.edges)
            path = []
            node = source
            while True:
                if node == sink:
                    flow = min(self.left[edge] for edge in path)
                    for edge in path:
                        self.left[edge] -= flow
                        self.left[edge ^ 1] += flow
                    path, node = [], source
                    continue
                edges = self.edges[node]
                while at[node] < len(edges):
                    edge = edges[at[node]]
                    if self.left[edge] and level[self.to[edge]] == level[node] + 1:
                        break
                    at[node] += 1
                if at[node] < len(edges):
                    path.append(edges[at[node]])
                    node = self.to[path[-1]]
                elif path:
                    node = self.to[path.pop() ^ 1]
                    at[node] += 1
                else:
                    break


class _Joint:
    def __init__(self, graph):
        if not graph.backward:
            raise Unsupported("the graph does not say which ops are backward")
        self.graph = graph
        # Forward: before the first op of the backward pass, as the order has it.
        self.boundary = graph.first_backward()
        self.distance = [0] * graph.n
        for op in range(graph.n - 1, -1, -1):
            if op < self.boundary:
                users = (self.distance[user] for user in graph.users[op])
                self.distance[op] = 1 + min(users, default=0)

    def heavy(self, op):
        return bool(HEAVY_NAMES.search(self.graph.names[op]))

    def reduces(self, op):
        graph = self.graph
        return bool(graph.deps[op]) and 4 * graph.size[op] < sum(
            graph.size[d] for d in graph.deps[op]
        )

    def cut(self, banned):
        """The forward values to store: the minimum cut, if `banned` ops may not run
        again."""
        graph, n = self.graph, self.boundary
        source, sink = 2 * n, 2 * n + 1
        network = _Network(2 * n + 2)
        for op in range(n):
            factor = 1.1 ** max(min(self.distance[op], 100), 1)
            network.add(2 * op, 2 * op + 1, int(graph.size[op] * factor) + 1)
            if not graph.deps[op] or banned(op) or not graph.recomputable[op]:
                network.add(source, 2 * op, INFINITE)
            for user in graph.users[op]:
                network.add(2 * op + 1, 2 * user if user < n else sink, INFINITE)
            if graph.is_output[op]:
                network.add(2 * op + 1, sink, INFINITE)
        side = network.source_side(source, sink)
        return [op for op in range(n) if side[2 * op] and not side[2 * op + 1]]

    def runs(self, stored):
        return self.graph.recompute_late(stored, self.boundary)


def plan(graph, budget, limit=None):
    """The runs of the default partition; the budget plays no part in it."""
    del budget, limit
    joint = _Joint(graph)
    return joint.runs(joint.cut(lambda op: joint.heavy(op) or joint.reduces(op)))


def _knapsack(items, capacity, units=1000):
    """The items (time, size, op) of most time within `capacity`."""
    scale = max(1, capacity // units)
    most = capacity // scale
    best = [0] * (most + 1)
    taken = []
    for time, size, _ in items:
        weight = -(-size // scale)
        row = bytearray(most + 1)
        for room in range(most, weight - 1, -1):
            if best[room - weight] + time > best[room]:
                best[room] = best[room - weight] + time
                row[room] = 1
        taken.append(row)
    chosen, room = set(), most
    for (_, size, op), row in zip(reversed(items), reversed(taken)):
        if row[room]:
            chosen.add(op)
            room -= -(-size // scale)
    return chosen


def plan_knapsack(graph, budget, limit=None):
    """The cheapest plan of `activation_memory_budget` that fits, else that of least
    peak."""
    del limit
    joint = _Joint(graph)
    candidates = [joint.runs(joint.cut(lambda op: joint.heavy(op) or joint.reduces(op)))]
    candidates.append(joint.runs(joint.cut(lambda op: False)))
    banned = [op for op in range(joint.boundary) if joint.heavy(op) or joint.reduces(op)]
    items = [(graph.time[op], graph.size[op], op) for op in banned]
    total = sum(size for _, size, _ in items)
    for percent in range(5, 100, 5):
        chosen = _knapsack(items, total * percent // 100)
        candidates.append(joint.runs(joint.cut(chosen.__contains__)))
    results = [(*graph.replay(runs), runs) for runs in candidates]
    fits = [(time, peak, runs) for peak, time, runs in results if peak <= budget]
    return min(fits)[2] if fits else min(results)[2]
