"""The part `methods`: the planner beside what others do, all in the same run."""
from bench import method_cell, overhead

BUDGETS = (80, 60, 40)
# Ops up to which the programs of Checkmate (of size n^2) and Moccasin are tried.
MOST_OPS = {"checkmate": 200, "moccasin": 500}
SECONDS = {"checkmate": 15, "moccasin": 10}
METHODS = {
    "checkmate": "Checkmate",
    "moccasin": "Moccasin",
    "pytorch": "PyTorch cut",
    "pytorch-knapsack": "PyTorch knapsack",
    "xla": "XLA",
    "dtr": "DTR",
}
SOLVERS = {"chen-greedy": "Chen et al."}


def methods(bench, graphs):
    """`graphs`: {name: path}."""
    bench.write("## Beside other methods")
    bench.write()
    bench.write(
        "Overhead in %; every plan was checked by `ckpt-plan --verify`. `auto`: "
        f"{bench.options.time_limit} s, any order; `program`: the same in the program "
        "order, which the others keep. Implemented here: Checkmate's program "
        "(Jain et al. 2020) by SCIP of OR-tools, "
        f"{SECONDS['checkmate']} s, up to {MOST_OPS['checkmate']} ops; Moccasin's "
        f"(Bartan et al. 2023) by CP-SAT of OR-tools, {SECONDS['moccasin']} s, up to "
        f"{MOST_OPS['moccasin']} ops; segments of Chen et al. (2016). Emulated by "
        "their rules: PyTorch's minimum cut, which knows no budget, and its knapsack "
        "(the best of all its budgets); XLA's greedy rematerialisation; DTR's online "
        "eviction (Kirisame et al. 2021). `*`: proven optimal by the method for its own "
        "problem. `misses`: the plan's peak, where it is above the budget. Budgets below "
        "the proven floor are left out."
    )
    bench.write()
    titles = [*METHODS.values(), *SOLVERS.values()]
    bench.write("| graph | ops | budget | auto | program | " + " | ".join(titles) + " |")
    bench.write("|---|---|---|---|---|" + "---|" * len(titles))
    dearer = []
    for name, path in graphs.items():
        for percent in BUDGETS:
            limit = bench.options.time_limit
            free = bench.plan(path, f"{percent}%", time_limit=limit)
            if free["status"] == "below-floor":
                continue
            program = bench.plan(path, f"{percent}%", order="program", time_limit=limit)
            scale = bench.plan(path, "100%", "none", order="program")["budget_bytes"]
            cells = []
            for method, title in METHODS.items():
                cell, result = _cell(bench, method, path, free, scale)
                cells.append(cell)
                if _is_cheaper(result, program):
                    dearer.append(f"{name} at {percent}% ({title})")
            for solver in SOLVERS:
                result = bench.plan(path, f"{percent}%", solver, order="program")
                cells.append(overhead(result))
            bench.write(
                f"| {name} | {free['ops']} | {percent} | {overhead(free)} | "
                f"{overhead(program)} | " + " | ".join(cells) + " |"
            )
    bench.write()
    bench.write(
        "Rows where a method is cheaper than `program`: " + (", ".join(dearer) or "none") + "."
    )
    bench.write()


def _cell(bench, method, path, ours, scale):
    if ours["ops"] > MOST_OPS.get(method, 1 << 60):
        return "too large", None
    result = bench.method(method, path, ours["budget_bytes"], SECONDS.get(method, 0))
    cell = method_cell(result, scale)
    return cell + ("*" if result["proven"] else ""), result


def _is_cheaper(result, ours):
    if not result or result["status"] != "plan" or not result["fits"]:
        return False
    return ours["cost"] is None or result["cost"] < ours["cost"]
