"""Runs one of the methods that the planner is compared with, in a process of its own.

    method.py NAME GRAPH BUDGET SECONDS PLAN_OUT

Writes the plan and prints one line of JSON: {"status": "plan" | "none" | "skipped",
"proven": true where the method proves what it says for its own problem, "why": ...}.
"""
import importlib
import json
import os
import sys

import replay

# Name: module and function; functions return runs, or (runs, proven).
METHODS = {
    "checkmate": ("checkmate", "solve"),
    "moccasin": ("moccasin", "solve"),
    "pytorch": ("pytorch_cut", "plan"),
    "pytorch-knapsack": ("pytorch_cut", "plan_knapsack"),
    "xla": ("xla_remat", "plan"),
    "dtr": ("dtr", "plan"),
    "least memory": ("orders", "plan_least_memory"),
    "least memory, newest": ("orders", "plan_least_memory_newest"),
    "depth first": ("orders", "plan_depth_first"),
    "backwards": ("orders", "plan_backwards"),
}


def run(name, path, budget, seconds, plan_out):
    module, function = METHODS[name]
    try:
        graph = replay.Graph(path)
        method = getattr(importlib.import_module(module), function)
        result = method(graph, budget, seconds)
    except replay.Unsupported as why:
        return {"status": "skipped", "proven": False, "why": str(why)}
    runs, proven = result if isinstance(result, tuple) else (result, False)
    if runs is None:
        return {"status": "none", "proven": proven}
    replay.write_plan(plan_out, runs)
    return {"status": "plan", "proven": proven}


def main():
    name, path, budget, seconds, plan_out = sys.argv[1:]
    # Solvers print what they like; the answer has a stream of its own.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps(run(name, path, int(budget), float(seconds), plan_out)), file=answer)


if __name__ == "__main__":
    main()
