"""Runs exported models through ckpt-run and compares with their references.

    run_model.py [--ckpt-run=PATH] [--device=NAME] [--plans=P,...] FOLDER...

A folder holds `model.mlir`, `meta.json`, `args/argK.npy` and
`expected/resultK.npy` in float64 (the results of the entry, then the gradients of
the arguments that `wrt` lists; see examples/models/README.md). For each plan
("sqrt", "auto@40%", ...) each result must be within the tolerance that meta.json
states, and the bytes of all results must be the same for all plans. Prints a
line per model and plan; exits 1 if anything is off. Standard library only.
"""

import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .npy import as_floats, read_npy


class ModelError(Exception):
    """A run that failed, or a result that is off."""


def command(ckpt_run, folder, meta, plan, device, out):
    """The command line for one run."""
    solver, _, budget = plan.partition("@")
    wrt = ",".join(map(str, meta["wrt"])) or "none"
    line = [
        ckpt_run, str(folder / "model.mlir"), f"--entry={meta['entry']}", f"--wrt={wrt}",
        f"--plan={solver}", f"--device={device}", f"--args={folder / 'args'}",
        f"--results={out}", f"--report={out / 'report.json'}",
    ]
    return line + ([f"--budget={budget}"] if budget else [])


def error_of(got, want, relative_to=None):
    """L2 distance; relative to the norm of `want` unless told otherwise."""
    distance = math.sqrt(sum((g - w) ** 2 for g, w in zip(got, want)))
    norm = math.sqrt(sum(w * w for w in want)) if relative_to is None else relative_to
    return distance / norm if norm > 0 else distance


def compare(folder, meta, out):
    """The largest fraction of a tolerance that a result uses. Raises ModelError
    where one uses more than all of it."""
    results = [r["dtype"] for r in meta["results"]]
    types = results + [meta["args"][i]["dtype"] for i in meta["wrt"]]
    tolerance = meta["tolerance"]
    limits = [tolerance["loss"]] + list(tolerance["grads"])
    worst = 0.0
    for index, limit in enumerate(limits):
        name = f"result{index}.npy"
        if not (out / name).exists():
            raise ModelError(f"{name} is missing")
        _, _, elements = read_npy(out / name)
        got = as_floats(elements, types[index] if index < len(types) else "f32")
        want = as_floats(read_npy(folder / "expected" / name)[2], "f64")
        if len(got) != len(want):
            raise ModelError(f"{name} has {len(got)} elements, not {len(want)}")
        if not all(map(math.isfinite, got)):
            raise ModelError(f"{name} has elements that are not finite")
        if limit is None:
            used = error_of(got, want, relative_to=1.0) / meta["grad_abs_floor"]
        else:
            used = error_of(got, want) / limit
        if not used <= 1:
            raise ModelError(f"{name} is off by {used:.3g} times its tolerance")
        worst = max(worst, used)
    return worst


def same_bytes(first, second):
    """The first result that differs between two folders, or None."""
    for path in sorted(first.glob("result*.npy")):
        if path.read_bytes() != (second / path.name).read_bytes():
            return path.name
    return None


def run_plan(ckpt_run, folder, meta, plan, device, out):
    """Runs one plan; returns its report with the key "tolerance_used" added."""
    out.mkdir(parents=True)
    run = subprocess.run(
        command(ckpt_run, folder, meta, plan, device, out),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
    )
    if run.returncode != 0:
        lines = run.stderr.splitlines() or ["no message"]
        reason = next((line for line in lines if "error: " in line), lines[-1])
        raise ModelError(f"ckpt-run exited with {run.returncode}: {reason}")
    report = json.loads((out / "report.json").read_text())
    report["tolerance_used"] = compare(folder, meta, out)
    return report


def run_model(ckpt_run, folder, plans, device, show=print):
    """Runs all plans of one model. Returns {plan: report}; raises ModelError."""
    meta = json.loads((folder / "meta.json").read_text())
    reports = {}
    with tempfile.TemporaryDirectory() as directory:
        base = pathlib.Path(directory)
        for number, plan in enumerate(plans):
            out = base / str(number)
            report = run_plan(ckpt_run, folder, meta, plan, device, out)
            different = same_bytes(base / "0", out)
            if different:
                raise ModelError(f"{different} of plan {plan} is not that of {plans[0]}")
            planned, arena = report["planned_peak_bytes"], report["arena_bytes"]
            if report["measured_peak_bytes"] != arena or arena > 1.02 * planned:
                raise ModelError(f"plan {plan}: peaks planned {planned}, placed {arena}, "
                                 f"measured {report['measured_peak_bytes']}")
            reports[plan] = report
            ratio = planned / max(1, report["store_all_peak_bytes"])
            added = report["recomputed_flops"] / (report["flops"] - report["recomputed_flops"])
            show(f"{folder.name:18} {plan:12} peak {planned:>10} B ({ratio:6.1%}), "
                 f"recomputed {report['recomputed_ops']:>4} ops (+{added:.1%} arithmetic), "
                 f"tolerance used {report['tolerance_used']:.1%}")
    return reports


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ckpt-run", default=shutil.which("ckpt-run") or "build/bin/ckpt-run")
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--plans", default="none,all,sqrt,interval=4,policy")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    for folder in options.folders:
        try:
            run_model(options.ckpt_run, folder, options.plans.split(","), options.device)
        except ModelError as error:
            print(f"{folder.name}: FAILED: {error}")
            failed += 1
    sys.exit(1 if failed else 0)
