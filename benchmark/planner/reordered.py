"""The part `orders`: memory by order alone, without any recomputation."""
from method import METHODS

GREEDY = [name for name, (module, _) in METHODS.items() if module == "orders"]


def orders(bench, graphs):
    """`graphs`: {name: path}."""
    bench.write("## Memory by order alone")
    bench.write()
    bench.write(
        "The least peak without recomputation, in % of the peak of the program order: "
        "of greedy list schedules (by the rules named; every order was checked by "
        "`ckpt-plan --verify`), and of `--solver=none --budget=min`."
    )
    bench.write()
    bench.write("| graph | ops | " + " | ".join(GREEDY) + " | ours | s |")
    bench.write("|---|---|" + "---|" * len(GREEDY) + "---|---|")
    worse = []
    for name, path in graphs.items():
        program = bench.plan(path, "100%", "none", order="program")
        scale = program["budget_bytes"]
        ours = bench.plan(path, "min", "none")
        cells, best = [], 100.0
        for rule in GREEDY:
            result = bench.method(rule, path, scale)
            if result["status"] == "skipped":
                cells.append(f"skipped: {result['why']}")
                continue
            percent = 100 * result["peak"] / scale
            best = min(best, percent)
            cells.append(f"{percent:.2f}")
        mine = 100 * ours["peak"] / scale
        if mine > best + 1e-9:
            worse.append(name)
        bench.write(
            f"| {name} | {ours['ops']} | " + " | ".join(cells)
            + f" | {mine:.2f} | {ours['wall']:.2f} |"
        )
    bench.write()
    bench.write(
        "Graphs where a greedy order or the program order is better than ours: "
        + (", ".join(worse) or "none") + "."
    )
    bench.write()
