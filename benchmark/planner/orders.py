"""Greedy orders: what compilers do that reorder for memory without recomputation.

Each takes, among the ops that can run, the one that its rule prefers.
"""
import heapq


def _forward(graph, key):
    """Lists `key(op, added, ready_at)` smallest first; `added`: bytes that running the
    op adds. An op's key is computed again when it becomes the last reader of a value."""
    missing = [len(deps) for deps in graph.deps]
    readers = [len(users) + graph.is_output[i] for i, users in enumerate(graph.users)]
    ready_at = [0] * graph.n
    done = [False] * graph.n
    current = [None] * graph.n
    heap = []

    def push(op):
        added = graph.size[op] if readers[op] else 0
        added -= sum(graph.size[d] for d in graph.deps[op] if readers[d] == 1)
        current[op] = (*key(op, added, ready_at[op]), op)
        heapq.heappush(heap, current[op])

    for op in range(graph.n):
        if not missing[op]:
            push(op)
    order = []
    while heap:
        entry = heapq.heappop(heap)
        op = entry[-1]
        if done[op] or entry != current[op]:
            continue
        done[op] = True
        order.append(op)
        for dep in graph.deps[op]:
            readers[dep] -= 1
            if readers[dep] == 1:
                for user in graph.users[dep]:
                    if not done[user] and not missing[user]:
                        push(user)
        for user in graph.users[op]:
            missing[user] -= 1
            if not missing[user]:
                ready_at[user] = len(order)
                push(user)
    return order


def plan_least_memory(graph, budget=None, limit=None):
    """Least memory added, then program order (list scheduling for memory)."""
    del budget, limit
    return _forward(graph, lambda op, added, ready: (added,))


def plan_least_memory_newest(graph, budget=None, limit=None):
    """Least memory added; among ops that add some, the one that became ready last."""
    del budget, limit
    return _forward(graph, lambda op, added, ready: (added, -ready if added > 0 else 0))


def plan_depth_first(graph, budget=None, limit=None):
    """The op that became ready last."""
    del budget, limit
    return _forward(graph, lambda op, added, ready: (-ready,))


def plan_backwards(graph, budget=None, limit=None):
    """Least memory, from the end: last comes the op whose results cost most."""
    del budget, limit
    missing = [len(users) for users in graph.users]
    needed = list(graph.is_output)
    done = [False] * graph.n
    current = [None] * graph.n
    heap = []

    def push(op):
        freed = graph.size[op] if needed[op] else 0
        freed -= sum(graph.size[d] for d in graph.deps[op] if not needed[d])
        current[op] = (-freed, -op)
        heapq.heappush(heap, current[op])

    for op in range(graph.n):
        if not missing[op]:
            push(op)
    order = []
    while heap:
        entry = heapq.heappop(heap)
        op = -entry[1]
        if done[op] or entry != current[op]:
            continue
        done[op] = True
        order.append(op)
        for dep in graph.deps[op]:
            if not needed[dep]:
                needed[dep] = True
                for user in graph.users[dep]:
                    if not done[user] and not missing[user]:
                        push(user)
            missing[dep] -= 1
            if not missing[dep]:
                push(dep)
    return order[::-1]
