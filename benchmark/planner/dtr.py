"""Dynamic tensor rematerialisation (Kirisame et al., ICLR 2021), emulated.

Runs the program op by op with an online view. Where an allocation does not fit, the
tensor of least h = cost / (bytes * staleness) is evicted; cost is that of the tensor
and of its evicted neighbourhood, in the union-find form of the paper (h_DTR-eq). A
tensor without readers to come is evicted at once. Reading an evicted tensor computes
it again, with all that it needs.
"""


class _Failed(Exception):
    pass


class _Components:
    """Evicted tensors in components that are neighbours in the graph."""

    def __init__(self, n):
        self.parent = list(range(n))
        self.cost = [0] * n

    def find(self, i):
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def join(self, i, j):
        i, j = self.find(i), self.find(j)
        if i != j:
            self.parent[i] = j
            self.cost[j] += self.cost[i]


class _Runtime:
    def __init__(self, graph, budget):
        self.graph, self.budget = graph, budget
        n = graph.n
        self.memory = self.clock = 0
        self.resident = [False] * n
        self.computed = [False] * n
        self.touched = [0] * n
        self.locks = [0] * n
        self.readers = [len(u) + graph.is_output[i] for i, u in enumerate(graph.users)]
        self.components = _Components(n)
        self.runs = []
        self.most = 20 * graph.total_time + 1

    def neighbours(self, value):
        for other in (*self.graph.deps[value], *self.graph.users[value]):
            if self.computed[other] and not self.resident[other]:
                yield other

    def score(self, value):
        find, cost = self.components.find, self.components.cost
        roots = {find(other) for other in self.neighbours(value)}
        neighbourhood = self.graph.time[value] + sum(cost[root] for root in roots)
        staleness = self.clock - self.touched[value] + 1
        return neighbourhood / (self.graph.size[value] * staleness)

    def evict(self, value):
        self.resident[value] = False
        self.memory -= self.graph.size[value]
        root = self.components.find(value)
        self.components.cost[root] += self.graph.time[value]
        for other in list(self.neighbours(value)):
            self.components.join(value, other)

    def make_room(self, needed):
        while self.memory + needed > self.budget:
            victims = [
                v
                for v in range(self.graph.n)
                if self.resident[v]
                and not self.locks[v]
                and self.graph.size[v]
                and self.graph.recomputable[v]
            ]
            if not victims:
                raise _Failed
            self.evict(min(victims, key=self.score))

    def compute(self, value):
        graph = self.graph
        self.make_room(graph.size[value] + graph.workspace[value])
        if self.computed[value]:
            # Splitting a component is approximated by taking the cost out of it.
            self.components.cost[self.components.find(value)] -= graph.time[value]
        self.clock += graph.time[value] + 1
        if self.clock > self.most:
            raise _Failed
        self.memory += graph.size[value]
        self.resident[value] = self.computed[value] = True
        self.touched[value] = self.clock
        for dep in graph.deps[value]:
            self.touched[dep] = self.clock
        self.runs.append(value)

    def materialize(self, value):
        """Computes `value` with what it needs; inputs are locked meanwhile."""
        stack = [(value, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                if not self.resident[node]:
                    self.compute(node)
                for dep in self.graph.deps[node]:
                    self.locks[dep] -= 1
                continue
            if self.resident[node]:
                continue
            stack.append((node, True))
            for dep in self.graph.deps[node]:
                self.locks[dep] += 1
                if not self.resident[dep]:
                    stack.append((dep, False))

    def release(self, value):
        self.readers[value] -= 1
        if not self.readers[value] and self.resident[value]:
            self.evict(value)


def plan(graph, budget, limit=None):
    """The runs of an execution within the budget, or None where it ends in an
    allocation that fails, or in twenty times the time of a run without evictions."""
    del limit
    runtime = _Runtime(graph, budget)
    try:
        for op in range(graph.n):
            runtime.materialize(op)
            for dep in graph.deps[op]:
                runtime.release(dep)
            if not runtime.readers[op]:
                runtime.evict(op)
        for op in graph.outputs:
            runtime.materialize(op)
            runtime.locks[op] += 1
    except _Failed:
        return None
    return runtime.runs
