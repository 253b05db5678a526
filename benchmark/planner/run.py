"""Regenerates docs/Results-planner.md: the planner on training graphs, on graphs of
kinds that are hard, on graphs that others published, and on growing sizes, beside the
classical methods and what others do, in the same run.

    run.py --tool build/bin/ckpt-plan --out docs/Results-planner.md [--graphs DIR]
           [--parts NAME ...]

DIR may hold graphs that are no part of the project: public/ (node-link graphs),
torch/ and hard/ (native graphs with a README.md whose table names rows), and
prototype-table.txt (overheads to compare with). What is absent is skipped, and the
result says so; so is a method whose package is not installed (Checkmate's and
Moccasin's programs want ortools). The output is written after each part; --parts makes
some of them anew and keeps the others.
"""
import argparse
import math
import os
import platform
import re
import resource

import architectures
import graphs
from bench import (
    Bench, bound_percent, first_percent, gap, method_cell, overhead, readme_rows,
)
from compared import methods
from reordered import orders
from small import small

COMPARED = {
    "chen-greedy": "Chen et al.",
    "min-cut": "min-cut",
    "greedy": "greedy",
}

TRAINING = {
    "mlp50": lambda: graphs.mlp(),
    "gpt12": lambda: graphs.gpt(),
    "gpt12f": lambda: graphs.gpt(flash=True),
    "resnet50": lambda: graphs.resnet(),
    "unet4": lambda: graphs.unet(),
    "mobilenet": lambda: graphs.mobilenet(),
    "densenet121": lambda: graphs.densenet(),
    "lstm50": lambda: graphs.lstm(steps=50),
}

WIDE = {
    "layered200": lambda: graphs.layered(),
    "layered10k": lambda: graphs.layered(10000),
}

# Of the published rows, tried here again.
MOCCASIN_SECONDS = 30
MOCCASIN_OPS = 500

# Layers of GPT with flash attention: some 34 ops each.
SCALE = (28, 88, 290, 880, 2900, 8800, 29000)


def prototype_table(bench):
    """{(graph, percent): overhead} of prototype-table.txt."""
    path = bench.external("prototype-table.txt")
    rows = {}
    if path:
        for line in open(path, encoding="utf-8"):
            fields = line.split()
            if len(fields) > 4 and re.fullmatch(r"0\.\d+", fields[1]):
                rows[fields[0], round(100 * float(fields[1]))] = fields[4]
    return rows


def training_graphs(bench):
    paths = {name: bench.generate(name, make) for name, make in TRAINING.items()}
    paths.update(bench.public_graphs(r"(\w+) \(MLSys\).*_train_nx\.json"))
    return paths


def training(bench):
    bench.write("## Training graphs")
    bench.write()
    bench.write(
        "Overhead in % of the store-everything time; budgets in % of the "
        "store-everything peak. `auto` runs with a limit of "
        f"{bench.options.time_limit} s on one core; `first` is its first plan, `bound` "
        "proven for every order. `prototype`: the study before this library, same "
        "time. The others run without a limit: segments of equal bytes (Chen et al. "
        "2016), the stored set by minimum cut alone (the kind of PyTorch's "
        "partitioner), one greedy pass (the kind of XLA and DTR)."
    )
    bench.write()
    bench.write(
        "| graph | ops | budget | auto | first | bound | gap | s | prototype | "
        + " | ".join(COMPARED.values())
        + " |"
    )
    bench.write("|---|---|---|---|---|---|---|---|---|" + "---|" * len(COMPARED))
    paths = training_graphs(bench)
    prototype = prototype_table(bench)
    gaps = {"50% and more": [], "30-40%": []}
    worse = []
    for name, path in paths.items():
        for percent in (80, 60, 50, 40, 30):
            r = bench.checked_plan(path, f"{percent}%", time_limit=bench.options.time_limit)
            others = [overhead(bench.plan(path, f"{percent}%", s)) for s in COMPARED]
            before = prototype.get((name, percent), "")
            bench.write(
                f"| {name} | {r['ops']} | {percent} | {overhead(r)} | "
                f"{first_percent(r)} | {bound_percent(r)} | {gap(r)} | "
                f"{r['seconds']:.2f} | {before} | " + " | ".join(others) + " |"
            )
            if r["overhead_percent"] is None:
                continue
            gaps["50% and more" if percent >= 50 else "30-40%"].append(r["gap_percent"])
            if before not in ("", "-") and float(overhead(r)) > float(before) + 0.005:
                worse.append(f"{name} at {percent}%")
    bench.write()
    for label, values in gaps.items():
        values.sort()
        bench.write(
            f"Gap to the bound at budgets of {label}: median "
            f"{values[len(values) // 2]:.3f}%, maximum {values[-1]:.3f}%."
        )
    bench.write_proofs()
    if prototype:
        bench.write(f"Rows dearer than the prototype's: {', '.join(worse) or 'none'}.")
    bench.write()


def unseen(bench):
    bench.write("## Networks that the searches were not made for")
    bench.write()
    bench.write(
        "Training graphs of architectures.py; of the planner's constants, the size of "
        "sections and how full a moment must be were chosen with them in view, and the "
        "last shares of moves and time checked on some of them among others. "
        f"{bench.options.time_limit} s, free order."
    )
    bench.write()
    bench.write("| graph | ops | budget | auto | first | bound | gap | s |")
    bench.write("|---|---|---|---|---|---|---|---|")
    for name, make in architectures.KINDS.items():
        path = bench.generate(name, make)
        for percent in (80, 60, 50, 40, 30):
            r = bench.checked_plan(path, f"{percent}%", time_limit=bench.options.time_limit)
            bench.write(
                f"| {name} | {r['ops']} | {percent} | {overhead(r)} | "
                f"{first_percent(r)} | {bound_percent(r)} | {gap(r)} | "
                f"{r['seconds']:.2f} |"
            )
    bench.write()
    bench.write_proofs()
    bench.write()


def hard(bench):
    readme = bench.external("hard", "README.md")
    bench.write("## Kinds that are hard")
    bench.write()
    if not readme:
        bench.write("Skipped: no folder with these graphs was given.\n")
        return
    bench.write(
        "Long-range uses, many branches that meet late, skips to one far sink, "
        f"heavy-tailed sizes, small wide random graphs; {bench.options.time_limit} s, "
        "free order."
    )
    bench.write()
    bench.write("| graph | ops | budget | auto | bound | gap | status | prototype |")
    bench.write("|---|---|---|---|---|---|---|---|")
    for fields in readme_rows(readme):
        path = bench.external("hard", fields[0] + ".json")
        if not path:
            continue
        r = bench.checked_plan(path, fields[2] + "%", time_limit=bench.options.time_limit)
        bench.write(
            f"| {fields[0]} | {fields[1]} | {fields[2]} | {overhead(r)} | "
            f"{bound_percent(r)} | {gap(r)} | {r['status']} | {fields[3]} |"
        )
    bench.write()
    bench.write_proofs()
    bench.write()


def torch(bench):
    readme = bench.external("torch", "README.md")
    bench.write("## PyTorch's partitioner, at its own peaks")
    bench.write()
    if not readme:
        bench.write("Skipped: no folder with these graphs was given.\n")
        return
    bench.write("| graph | PyTorch's variant | peak | PyTorch | auto | gap | prototype |")
    bench.write("|---|---|---|---|---|---|---|")
    for fields in readme_rows(readme):
        path = bench.external("torch", fields[0] + ".fused.json")
        if not path or not fields[2].isdigit():
            continue
        r = bench.checked_plan(path, fields[2], time_limit=bench.options.time_limit)
        bench.write(
            f"| {fields[0]} | {fields[1]} | {fields[2]} | {fields[3]} | {overhead(r)} "
            f"| {gap(r)} | {fields[4]} |"
        )
    bench.write()
    bench.write_proofs()
    bench.write()


def published(bench):
    bench.write("## Published rows: Moccasin and Checkmate")
    bench.write()
    folder = bench.external("public")
    if not folder:
        bench.write("Skipped: no folder with these graphs was given.\n")
        return
    bench.write(
        "Their values are from Moccasin's paper (ICML 2023): overhead in % and seconds "
        "on 16 cores. Ours: one core, a time limit of a hundredth of theirs (at most "
        "10 s), in the program order, as theirs, and in any order. `here`: Moccasin's "
        f"program by CP-SAT in this run, one core, {MOCCASIN_SECONDS} s, up to "
        f"{MOCCASIN_OPS} ops."
    )
    bench.write()
    bench.write(
        "| graph | budget | Checkmate | Moccasin | here | program order | any order | s |"
    )
    bench.write("|---|---|---|---|---|---|---|---|")
    rows = [
        ("random_layered_n250", 90, "0.9 (685 s)", "0.9 (55 s)", 0.55),
        ("random_layered_n250", 80, "none", "4.9 (640 s)", 6.4),
        ("random_layered_n1000", 90, "none", "0.7 (3613 s)", 10),
        ("random_layered_n1000", 80, "none", "3.4 (3612 s)", 10),
        ("ResNet50 (MLSys)", 90, "0.1 (434 s)", "0.2 (65 s)", 0.65),
        ("ResNet50 (MLSys)", 80, "0.3 (485 s)", "0.3 (69 s)", 0.69),
    ]
    for prefix, percent, checkmate, moccasin, limit in rows:
        file = next(f for f in sorted(os.listdir(folder)) if f.startswith(prefix))
        path = os.path.join(folder, file)
        program = bench.plan(path, f"{percent}%", order="program", time_limit=limit)
        free = bench.plan(path, f"{percent}%", time_limit=limit)
        here = "too large"
        if free["ops"] <= MOCCASIN_OPS:
            result = bench.method("moccasin", path, free["budget_bytes"], MOCCASIN_SECONDS)
            here = method_cell(result, free["budget_bytes"] * 100 / percent)
        bench.write(
            f"| {prefix} | {percent} | {checkmate} | {moccasin} | {here} | "
            f"{overhead(program)} | "
            f"{overhead(free)} | {program['seconds']:.2f} |"
        )
    bench.write()


def chains(bench):
    bench.write("## Chains at small budgets")
    bench.write()
    bench.write("| graph | budget | chain-dp | auto |")
    bench.write("|---|---|---|---|")
    kinds = {
        "chain50": lambda: graphs.chain(50),
        "chain50h": lambda: graphs.chain(50, True),
        "chain200h": lambda: graphs.chain(200, True, 2),
    }
    for name, make in kinds.items():
        path = bench.generate(name, make)
        for percent in (15, 10, 5):
            best = bench.plan(path, f"{percent}%", "chain-dp")
            r = bench.plan(path, f"{percent}%", time_limit=bench.options.time_limit)
            bench.write(f"| {name} | {percent} | {overhead(best)} | {overhead(r)} |")
    bench.write()


def wide(bench):
    bench.write("## Wide random graphs")
    bench.write()
    bench.write("| graph | budget | auto | bound | status | s |")
    bench.write("|---|---|---|---|---|---|")
    for (name, make), percent, limit in zip(WIDE.items(), (50, 60), (10, 10)):
        path = bench.generate(name, make)
        r = bench.plan(path, f"{percent}%", time_limit=limit)
        bench.write(
            f"| {name} | {percent} | {overhead(r)} | {bound_percent(r)} | "
            f"{r['status']} | {r['seconds']:.2f} |"
        )
    bench.write()


def compare_methods(bench):
    methods(bench, training_graphs(bench))


def compare_orders(bench):
    """All graphs of the other parts but those of `scale`."""
    paths = training_graphs(bench)
    paths.update({name: bench.generate(name, make) for name, make in WIDE.items()})
    paths.update(bench.public_graphs(r"(random_layered_n\d+).*\.json"))
    for folder in ("hard", "torch"):
        where = bench.external(folder)
        for file in sorted(os.listdir(where)) if where else []:
            if file.endswith(".json"):
                paths[file[: -len(".json")]] = os.path.join(where, file)
    orders(bench, paths)


def scale(bench):
    bench.write("## Scale")
    bench.write()
    bench.write(
        "GPT with flash attention at 50%, repeated to the size given. `first`: seconds "
        "to the first plan. `effort 0`: all constructions and the bound, no search; then "
        "the same as microseconds per n log2 n. `final`: a limit of 5 s, or 30 s from "
        "500,000 ops on; `kept`: how long it took. Memory is the largest of the "
        "processes so far."
    )
    bench.write()
    bench.write(
        "| ops | first | overhead | effort 0 | per n log n | final | gap | limit | kept | MB |"
    )
    bench.write("|---|---|---|---|---|---|---|---|---|---|")
    for layers in SCALE:
        path = bench.generate(f"gpt{layers}f", lambda: graphs.gpt(layers, flash=True))
        first = bench.plan(path, "50%", effort=0)
        ops = first["ops"]
        limit = 30 if ops >= 500_000 else 5
        r = bench.plan(path, "50%", time_limit=limit)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        per_op = 1e6 * first["seconds"] / (ops * math.log2(ops))
        bench.write(
            f"| {ops} | {first['first_seconds']:.3f} | {first_percent(first)} | "
            f"{first['seconds']:.2f} | {per_op:.2f} | {overhead(r)} | {gap(r)} | "
            f"{limit} | {r['seconds']:.2f} | {peak} |"
        )
    bench.write()
    bench.write("Anytime: 2,034 ops (densenet121), overhead after a time limit.")
    bench.write()
    bench.write("| budget | 0.05 s | 10 s |")
    bench.write("|---|---|---|")
    path = bench.generate("densenet121", TRAINING["densenet121"])
    for percent in (80, 50, 30):
        early = bench.plan(path, f"{percent}%", time_limit=0.05)
        late = bench.plan(path, f"{percent}%", time_limit=10)
        bench.write(f"| {percent} | {overhead(early)} | {overhead(late)} |")
    bench.write()


PARTS = {
    "training": training,
    "methods": compare_methods,
    "unseen": unseen,
    "hard": hard,
    "torch": torch,
    "published": published,
    "chains": chains,
    "small": small,
    "orders": compare_orders,
    "wide": wide,
    "scale": scale,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--graphs")
    parser.add_argument("--time-limit", type=float, default=3)
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    processor = platform.processor() or platform.machine()
    bench = Bench(
        parser.parse_args(),
        "# Results of the planner\n\n"
        f"Made by `benchmark/planner/run.py`; one core of {processor}.\n",
    )
    for part in bench.options.parts:
        PARTS[part](bench)
        bench.finish_part(part, PARTS)


if __name__ == "__main__":
    main()
