"""Checkmate (Jain et al., MLSys 2020): its mixed-integer program, by SCIP.

Section 4.7 of the paper: stage t ends with the first run of op t (frontier-advancing,
in program order). R[t,i]: op i runs in stage t. S[t,i]: its result is in memory when
stage t begins. FREE[t,i,k]: it is freed right after op k in stage t. U[t,k]: bytes in
memory while op k runs. Workspace is added to U where the op runs. Of the open solvers in
OR-tools, SCIP finishes most of these programs; CBC and HiGHS can be chosen.
"""
from replay import Unsupported

try:
    from ortools.linear_solver import pywraplp
except ImportError:
    pywraplp = None


class _Model:
    def __init__(self, graph, budget, solver_name):
        self.graph, self.solver = graph, pywraplp.Solver.CreateSolver(solver_name)
        if self.solver is None:
            raise Unsupported(f"OR-tools without {solver_name}")
        # Bytes as fractions of the budget, times as fractions of the whole.
        self.size = [s / max(1, budget) for s in graph.size]
        self.workspace = [w / max(1, budget) for w in graph.workspace]
        self.run, self.stored = {}, {}
        self._computations()
        self._memory()
        objective = self.solver.Objective()
        for (_, i), variable in self.run.items():
            objective.SetCoefficient(variable, graph.time[i] / max(1, graph.total_time))
        objective.SetMinimization()

    def _computations(self):
        graph, solver = self.graph, self.solver
        for t in range(graph.n):
            for i in range(t + 1):
                least = int(i == t)
                most = 1 if graph.recomputable[i] or least else 0
                self.run[t, i] = solver.IntVar(least, most, "")
            for i in range(t):
                self.stored[t, i] = solver.BoolVar("")
        for i in graph.outputs:
            # Beyond the last stage: what must be there at the end.
            self.stored[graph.n, i] = solver.IntVar(1, 1, "")
        for (t, i), stored in self.stored.items():
            earlier = self.run[t - 1, i]
            if (t - 1, i) in self.stored:
                solver.Add(stored <= earlier + self.stored[t - 1, i])
            else:
                solver.Add(stored <= earlier)
        for t in range(graph.n):
            for i in range(t + 1):
                for j in graph.deps[i]:
                    solver.Add(self.run[t, i] <= self.run[t, j] + self.stored[t, j])

    def _memory(self):
        graph, solver, size = self.graph, self.solver, self.size
        for t in range(graph.n):
            used = solver.Sum(size[i] * self.stored[t, i] for i in range(t))
            for k in range(t + 1):
                while_running = solver.NumVar(0, 1, "")
                solver.Add(while_running == used + size[k] * self.run[t, k])
                if self.workspace[k]:
                    solver.Add(while_running + self.workspace[k] * self.run[t, k] <= 1)
                freed = [
                    size[i] * self._free(t, i, k) for i in (*graph.deps[k], k) if size[i]
                ]
                used = while_running - solver.Sum(freed)

    def _free(self, t, i, k):
        """FREE[t,i,k] = 1 only if op k runs, nothing after it in the stage reads i, and
        the next stage does not begin with it."""
        solver = self.solver
        free = solver.BoolVar("")
        hazards = [1 - self.run[t, k]]
        if (t + 1, i) in self.stored:
            hazards.append(self.stored[t + 1, i])
        hazards += [self.run[t, j] for j in self.graph.users[i] if k < j <= t]
        count = solver.Sum(hazards)
        solver.Add(1 - free <= count)
        solver.Add(len(hazards) * (1 - free) >= count)
        return free

    def runs(self):
        runs = []
        for t in range(self.graph.n):
            for i in range(t + 1):
                if self.run[t, i].solution_value() > 0.5:
                    runs.append(i)
        return runs


def solve(graph, budget, limit, solver_name="SCIP"):
    """(runs or None, whether they are proven optimal for the staged problem)."""
    if pywraplp is None:
        raise Unsupported("no ortools")
    model = _Model(graph, budget, solver_name)
    model.solver.SetTimeLimit(int(1000 * limit))
    model.solver.SetNumThreads(1)
    status = model.solver.Solve()
    if status == pywraplp.Solver.INFEASIBLE:
        return None, True
    if status not in (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE):
        return None, False
    return model.runs(), status == pywraplp.Solver.OPTIMAL


def plan(graph, budget, limit):
    return solve(graph, budget, limit)[0]
