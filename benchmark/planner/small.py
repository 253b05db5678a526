"""The part `small`: proven optima of small instances, and who proves them."""
import re

import graphs
from bench import overhead

SMALL = {
    "chain10": lambda: graphs.chain(10),
    "chain12h": lambda: graphs.chain(12, True, 3),
    "chain18h": lambda: graphs.chain(18, True, 5),
    "mlp6": lambda: graphs.mlp(6),
    "mlp8": lambda: graphs.mlp(8),
    "gpt1": lambda: graphs.gpt(1),
    "gpt1f": lambda: graphs.gpt(1, flash=True),
    "unet1": lambda: graphs.unet(1, convs=1),
    "lstm2": lambda: graphs.lstm(2, layers=1),
    "lstm3": lambda: graphs.lstm(3, layers=1),
    "resnet1": lambda: graphs.resnet((1,)),
    "densenet1": lambda: graphs.densenet((1,)),
    "layered20": lambda: graphs.layered(20, seed=2),
    "layered30": lambda: graphs.layered(30, seed=4),
    "layered40": lambda: graphs.layered(40, seed=1),
}
BUDGETS = (90, 80, 70, 60, 50, 40)
MOST_OPS = 50
EXACT_SECONDS = 5
METHOD_SECONDS = 8
PROVERS = {"moccasin": "CP-SAT", "checkmate": "SCIP"}


def small(bench):
    bench.write("## Small graphs: proven optima")
    bench.write()
    bench.write(
        "`auto` runs with its default effort. `exact` is complete search over all plans "
        f"({EXACT_SECONDS} s); where it does not come to its end in the program order, "
        "the programs of Moccasin (CP-SAT, each op at most twice) and of Checkmate "
        f"(SCIP, each op at most once between two first runs) get {METHOD_SECONDS} s "
        "each, and `auto` may be below their optimum. `bound`: nothing else finishes, "
        "and the certified bound of `auto` meets its plan."
    )
    bench.write()
    bench.write("| graph | ops | order | budget | optimum | proven by | s | auto | equal |")
    bench.write("|---|---|---|---|---|---|---|---|---|")
    paths = {name: bench.generate(name, make) for name, make in SMALL.items()}
    paths.update(bench.public_graphs(r"(VGG16) \(MLSys\).*_train_nx\.json"))
    lay45 = bench.external("hard", "lay45.json")
    if lay45:
        paths["lay45"] = lay45
    counts = {"free": [0, 0], "program": [0, 0]}
    families = {"free": set(), "program": set()}
    by = {}
    for name, path in paths.items():
        for order in ("free", "program"):
            for percent in BUDGETS:
                row = _instance(bench, path, percent, order)
                if row is None:
                    continue
                best, prover, seconds, ours = row
                if ours["ops"] > MOST_OPS:
                    continue
                optimal = ours["cost"] is not None and ours["cost"] <= best
                counts[order][0] += optimal
                counts[order][1] += 1
                families[order].add(re.match(r"[A-Za-z]+?(?=\d|$)", name)[0])
                by[prover] = by.get(prover, 0) + 1
                total = ours["cost"] / (1 + ours["overhead_percent"] / 100)
                bench.write(
                    f"| {name} | {ours['ops']} | {order} | {percent} | "
                    f"{100 * (best / total - 1):.2f} | {prover} | {seconds:.2f} | "
                    f"{overhead(ours)} | "
                    + ("yes" if ours["cost"] == best else "below" if optimal else "NO")
                    + " |"
                )
    bench.write()
    for order, (equal, total) in counts.items():
        bench.write(
            f"{order} order: {equal} of {total} instances equal (or below), of "
            f"{len(families[order])} families."
        )
    bench.write("Proven by: " + ", ".join(f"{k} {v}" for k, v in sorted(by.items())) + ".")
    bench.write()


def _instance(bench, path, percent, order):
    """(least time, who proved it, seconds, auto's result), or None where nobody proves
    anything, or there is no plan."""
    best = bench.plan(
        path, f"{percent}%", "exact", order=order, time_limit=EXACT_SECONDS
    )
    if best["status"] == "below-floor":
        return None
    ours = bench.plan(path, f"{percent}%", order=order)
    if best.get("stopped") == "proven optimal":
        return best["cost"], "exact", best["seconds"], ours
    if order == "program":
        for method, prover in PROVERS.items():
            result = bench.method(method, path, ours["budget_bytes"], METHOD_SECONDS)
            if result["status"] == "plan" and result["proven"] and result["fits"]:
                return result["cost"], prover, result["seconds"], ours
    if ours.get("stopped") == "proven optimal":
        return ours["cost"], "bound", ours["seconds"], ours
    return None
