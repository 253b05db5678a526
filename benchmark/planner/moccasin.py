"""Moccasin (Bartan et al., ICML 2023): its constraint program, solved by CP-SAT.

Each op runs in at most C retention intervals, C = 2: it runs at the start of an
interval and its result stays in memory to the end. Starts are events of stages that end
with the first runs in program order; the event of op k in stage t is t (t + 1) / 2 + k.
A run of an op lies, for each input, within an interval of that input; a cumulative
constraint keeps the intervals within the budget.
"""
from replay import Unsupported

try:
    from ortools.sat.python import cp_model
except ImportError:
    cp_model = None


class _Model:
    def __init__(self, graph, budget, copies):
        self.graph, self.model = graph, cp_model.CpModel()
        self.last = graph.n * (graph.n + 1) // 2 - 1
        # Per op: (present, start, end) of each interval, in order of time.
        self.intervals = []
        self.optional, sizes = [], []
        for op in range(graph.n):
            self.intervals.append([])
            for copy in range(copies if self._may_repeat(op) else 1):
                self._add_interval(op, copy)
                sizes.append(graph.size[op])
        scratch = [op for op in range(graph.n) if graph.workspace[op]]
        for op in scratch:
            for present, start, _ in self.intervals[op]:
                self.optional.append(
                    self.model.NewOptionalFixedSizeIntervalVar(start, 1, present, "")
                )
                sizes.append(graph.workspace[op])
        self.model.AddCumulative(self.optional, sizes, budget)
        for op in range(graph.n):
            for dep in graph.deps[op]:
                for run in self.intervals[op]:
                    self._read(run, dep)
        for op in graph.outputs:
            self.model.AddBoolOr(self._ends_at(op, self.last))
        self.model.Minimize(
            sum(
                graph.time[op] * present
                for op in range(graph.n)
                for present, _, _ in self.intervals[op][1:]
            )
        )

    def _may_repeat(self, op):
        return self.graph.recomputable[op] and op + 1 < self.graph.n

    def _add_interval(self, op, copy):
        model = self.model
        first = op * (op + 1) // 2 + op
        if copy == 0:
            present = model.NewConstant(1)
            start = model.NewConstant(first)
        else:
            present = model.NewBoolVar("")
            # The events of this op in later stages.
            events = [t * (t + 1) // 2 + op for t in range(op + 1, self.graph.n)]
            start = model.NewIntVarFromDomain(cp_model.Domain.FromValues(events), "")
            _, _, end_before = self.intervals[op][-1]
            model.Add(start > end_before).OnlyEnforceIf(present)
            if copy > 1:
                model.AddImplication(present, self.intervals[op][-1][0])
        end = model.NewIntVar(first, self.last, "")
        length = model.NewIntVar(1, self.last + 1, "")
        self.optional.append(
            model.NewOptionalIntervalVar(start, length, end + 1, present, "")
        )
        self.intervals[op].append((present, start, end))

    def _read(self, run, dep):
        present, start, _ = run
        covers = []
        for dep_present, dep_start, dep_end in self.intervals[dep]:
            cover = self.model.NewBoolVar("")
            self.model.AddImplication(cover, dep_present)
            self.model.Add(dep_start < start).OnlyEnforceIf(cover)
            self.model.Add(dep_end >= start).OnlyEnforceIf(cover)
            covers.append(cover)
        self.model.AddBoolOr(covers).OnlyEnforceIf(present)

    def _ends_at(self, op, event):
        literals = []
        for present, _, end in self.intervals[op]:
            literal = self.model.NewBoolVar("")
            self.model.AddImplication(literal, present)
            self.model.Add(end >= event).OnlyEnforceIf(literal)
            literals.append(literal)
        return literals

    def runs(self, solver):
        events = [
            (solver.Value(start), op)
            for op, intervals in enumerate(self.intervals)
            for present, start, _ in intervals
            if solver.Value(present)
        ]
        return [op for _, op in sorted(events)]


def solve(graph, budget, limit, copies=2):
    """(runs or None, whether they are proven optimal for so many intervals)."""
    if cp_model is None:
        raise Unsupported("no ortools")
    program = _Model(graph, budget, copies)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = limit
    solver.parameters.num_workers = 1
    status = solver.Solve(program.model)
    if status == cp_model.INFEASIBLE:
        return None, True
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None, False
    return program.runs(solver), status == cp_model.OPTIMAL


def plan(graph, budget, limit):
    return solve(graph, budget, limit)[0]
