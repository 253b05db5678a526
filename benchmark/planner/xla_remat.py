"""XLA's greedy rematerialisation (HloRematerialization), emulated.

Walks the program order. Where memory is above the limit, it takes the live value (or
block of consecutive instructions, of doubling size, where no single one helps) whose
recomputation frees most bytes: XLA's cost is the limit divided by the bytes freed; the
time of the recomputation does not count. The copy goes right before the next reader,
and is not recomputed again (XLA's deny list, against endless loops).
"""


class _Instance:
    """A run of an op: what it reads, and who still reads it."""

    __slots__ = ("op", "reads", "readers", "live", "is_copy")

    def __init__(self, op, reads, is_copy=False):
        self.op, self.reads, self.readers = op, reads, []
        self.live, self.is_copy = False, is_copy


def plan(graph, budget, limit=None):
    """Runs whose peak is as low as the rule gets it; a limit is not needed."""
    del limit
    latest = [None] * graph.n
    sequence = []
    for op in range(graph.n):
        instance = _Instance(op, [latest[d] for d in graph.deps[op]])
        for read in instance.reads:
            read.readers.append(instance)
        latest[op] = instance
        sequence.append(instance)
    size = graph.size
    memory = position = 0
    live = []
    while position < len(sequence):
        now = sequence[position]

        def usage():
            return memory + size[now.op] + graph.workspace[now.op]

        while usage() > budget:
            block = _best_block(graph, live, now)
            if not block:
                break
            for instance in reversed(block):
                memory += _rematerialize(sequence, position, instance, live, size)
        memory += size[now.op]
        now.live = True
        live.append(now)
        for read in now.reads:
            read.readers.remove(now)
        for instance in [*now.reads, now]:
            if instance.live and not instance.readers and not _stays(graph, instance, latest):
                instance.live = False
                live.remove(instance)
                memory -= size[instance.op]
        position += 1
    return [instance.op for instance in sequence]


def _stays(graph, instance, latest):
    return graph.is_output[instance.op] and latest[instance.op] is instance


def _best_block(graph, live, now):
    """The block that frees most bytes, among those of the least size that free any."""
    width = 1
    while width <= max(1, len(live)):
        best, most = None, 0
        for first in range(0, len(live) - width + 1):
            block = live[first : first + width]
            if any(_fixed(graph, i, now) for i in block):
                continue
            freed = sum(graph.size[i.op] for i in block)
            inside = set(block)
            revived = {r for i in block for r in i.reads if not r.live and r not in inside}
            freed -= sum(graph.size[r.op] for r in revived)
            if freed > most:
                best, most = block, freed
        if best:
            return best
        width *= 2
    return None


def _fixed(graph, instance, now):
    return (
        instance.is_copy
        or instance in now.reads
        or graph.is_output[instance.op]
        or not instance.readers
        or not graph.recomputable[instance.op]
    )


def _rematerialize(sequence, position, instance, live, size):
    """Ends `instance` now and computes it again before its next reader. Returns the
    change of memory."""
    copy = _Instance(instance.op, list(instance.reads), is_copy=True)
    copy.readers, instance.readers = instance.readers, []
    for reader in copy.readers:
        reader.reads[reader.reads.index(instance)] = copy
    waiting = set(copy.readers)
    at = next(k for k in range(position, len(sequence)) if sequence[k] in waiting)
    sequence.insert(at, copy)
    instance.live = False
    live.remove(instance)
    change = -size[instance.op]
    for read in copy.reads:
        read.readers.append(copy)
        if not read.live and sequence.index(read) < position:
            # Its end is undone: it has a reader again.
            read.live = True
            live.append(read)
            change += size[read.op]
    return change
