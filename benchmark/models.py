#!/usr/bin/env python3
"""Measures exported models at several plans and writes the tables of
docs/Results.md.

    models.py [--ckpt-run=PATH] [--plans=P,...] [--models=DIR] [--results=FILE]

`--models` holds the models that are not in the tree (default: what
CKPT_EXTRA_MODELS is by default); those that are absent are left out, and said.
Everything runs on the emulated device, which says nothing of a GPU's speed; times
of compile stages are of this machine. The section between the markers of the
results file is replaced.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
from ckpt.models import ModelError, run_model  # noqa: E402

FIRST = ["mlp24", "autoencoder", "gpt4", "gpt4_bf16", "mixer", "torch_mlp", "torch_gpt2l",
         "torch_encoder"]
OTHERS = ["gpt4_joint", "torch_gpt2l_joint", "cnn_joint", "clipstep", "cnn", "pool", "unet",
          "dropout", "gated", "moe", "torch_cnn", "torch_lstm", "torch_unet", "concat_stock",
          "cond", "gpt_scan", "lstm_scan", "rnn_while"]
LARGE = ["gpt2_124m", "gpt2_1p5b", "llama_1b", "resnet50_b256", "unet_512_b8", "vit_b16_b128"]
STAGES = ["forward", "differentiate", "fuse", "plan", "bufferise", "kernels", "serialise", "host"]
MARKERS = ("<!-- benchmark/models.py: begin -->", "<!-- benchmark/models.py: end -->")


def find(name, models):
    for base in (ROOT / "examples" / "models", models, models / "large"):
        if (base / name / "model.mlir").exists():
            return base / name
    return None


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def cost_columns(report):
    base = report["flops"] - report["recomputed_flops"]
    return [f"{report['flops'] / 1e6:.4g}", f"{report['recomputed_ops']}", f"{100 * report['recomputed_flops'] / base:.1f}%",
            f"{100 * report['recomputed_flops'] / max(1, report['forward_flops']):.0f}%",
            f"{report['estimated_time_ratio']:.3f}"]


def first_rows(ckpt_run, plans, models):
    """Executed at every plan; and the time of each compile stage."""
    rows, times = [], []
    for name in FIRST:
        folder = find(name, models)
        if not folder:
            rows.append([name, "not here"] + [""] * 10)
            continue
        for plan, report in run_model(ckpt_run, folder, plans, "emulated").items():
            store_all = report["store_all_peak_bytes"]
            rows.append([
                name, plan, report["planned_peak_bytes"], report["measured_peak_bytes"],
                f"{100 * report['measured_peak_bytes'] / store_all:.1f}%", *cost_columns(report),
                report["launches"], f"{100 * report['tolerance_used']:.0f}%"])
            times.append([name, plan] + [f"{1e3 * report['compile_seconds'][s]:.0f}" for s in STAGES])
    return rows, times


def other_rows(ckpt_run, models):
    rows = []
    for name in OTHERS:
        folder = find(name, models)
        if not folder:
            rows.append([name, "not here"])
            continue
        try:
            reports = run_model(ckpt_run, folder, ["none", "sqrt"], "emulated")
            used = max(r["tolerance_used"] for r in reports.values())
            rows.append([name, f"runs right ({100 * used:.0f}% of the tolerance)"])
        except ModelError as error:
            text = str(error).split("error: ", 1)[-1].split(": the body", 1)[0]
            rows.append([name, f"error: {text}"])
    return rows


def large_rows(ckpt_run, models):
    """Compiled, not executed."""
    rows = []
    for name in LARGE:
        folder = find(name, models)
        if not folder:
            rows.append([name, "not here"] + [""] * 9)
            continue
        for plan in ("none", "sqrt", "auto@50%", "auto@25%"):
            solver, _, budget = plan.partition("@")
            with tempfile.TemporaryDirectory() as directory:
                path = pathlib.Path(directory) / "report.json"
                run = subprocess.run(
                    [ckpt_run, str(folder / "model.mlir"), "--entry=loss", f"--plan={solver}",
                     f"--budget={budget}", "--device=emulated", "--compile-only",
                     f"--report={path}"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
                if run.returncode:
                    message = [l for l in run.stderr.splitlines() if "error" in l][:1]
                    rows.append([name, plan, " ".join(message)[:120]] + [""] * 8)
                    continue
                report = json.loads(path.read_text())
            seconds = report["compile_seconds"]
            peak, store_all = report["planned_peak_bytes"], report["store_all_peak_bytes"]
            rows.append([name, plan, f"{peak / 2**30:.2f}", f"{100 * peak / store_all:.1f}%",
                         *cost_columns(report), f"{seconds['plan']:.2f}",
                         f"{sum(seconds.values()):.2f}"])
            print(*rows[-1])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ckpt-run", default=str(ROOT / "build/bin/ckpt-run"))
    parser.add_argument("--plans", default="none,all,interval=4,sqrt,policy,auto@70%")
    parser.add_argument("--models", type=pathlib.Path, default=ROOT.parent / "shared" / "models")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "docs" / "Results.md")
    options = parser.parse_args()

    rows, times = first_rows(options.ckpt_run, options.plans.split(","), options.models)
    cost_head = ["MFLOP", "ops recomputed", "arithmetic added", "of a forward pass", "time, estimated"]
    text = "\n".join([
        MARKERS[0],
        "### Executed on the emulated device\n",
        table(["model", "plan", "peak planned", "measured", "of store-all", *cost_head, "launches",
               "tolerance used"], rows),
        "### Compile time by stage, in ms\n",
        table(["model", "plan", *STAGES], times),
        "### Further models\n",
        table(["model", "outcome"], other_rows(options.ckpt_run, options.models)),
        "### Models of real size, compiled and not executed\n",
        table(["model", "plan", "peak, GiB", "of store-all", *cost_head, "plan, s", "compiled, s"],
              large_rows(options.ckpt_run, options.models)),
        MARKERS[1],
    ])
    whole = options.results.read_text()
    begin, end = whole.index(MARKERS[0]), whole.index(MARKERS[1]) + len(MARKERS[1])
    options.results.write_text(whole[:begin] + text + whole[end:])


if __name__ == "__main__":
    main()
