#!/usr/bin/env python3
"""Writes what scripts/device-check.sh runs on a machine with a GPU.

    make_device_bundle.py [--ckpt-run=PATH] [--out=DIR] [--plans=P,...] FOLDER...

For each model folder (see run_model.py) and plan: the compiled step, as
`ckpt-run --bundle` writes it. Arguments, references and tolerances are stored
once per model; device-check.sh links them. Fails if all of it is over 64 MiB.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from ckpt.models import command  # noqa: E402

LIMIT = 64 << 20


def write_tolerances(meta, path):
    """One line per result, as ckpt-bundle-runner reads them."""
    limits = [meta["tolerance"]["loss"]] + list(meta["tolerance"]["grads"])
    lines = []
    for index, limit in enumerate(limits):
        if limit is None:
            lines.append(f"{index} absolute {meta['grad_abs_floor']}")
        else:
            lines.append(f"{index} relative {limit}")
    path.write_text("\n".join(lines) + "\n")


def write_model(ckpt_run, folder, plans, out):
    meta = json.loads((folder / "meta.json").read_text())
    base = out / folder.name
    (base / "expected").mkdir(parents=True)
    for path in sorted((folder / "expected").glob("result*.npy")):
        shutil.copy(path, base / "expected" / path.name)
    write_tolerances(meta, base / "expected" / "tolerances.txt")
    for plan in plans:
        step = base / plan.replace("=", "").replace("@", "-").replace("%", "")
        line = command(ckpt_run, folder, meta, plan, "auto", step)
        line = [word for word in line if not word.startswith(("--results", "--report"))]
        subprocess.run([*line, f"--bundle={step}", "--bundle-format=fatbin"], check=True)
        if not (base / "args").exists():
            shutil.move(step / "args", base / "args")
        shutil.rmtree(step / "args", ignore_errors=True)
        (step / "ckpt-bundle-runner").replace(out / "ckpt-bundle-runner")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ckpt-run", default=shutil.which("ckpt-run") or "build/bin/ckpt-run")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/device-bundle"))
    parser.add_argument("--plans", default="none,sqrt,auto@50%")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    shutil.rmtree(options.out, ignore_errors=True)
    for folder in options.folders:
        write_model(options.ckpt_run, folder, options.plans.split(","), options.out)
    size = sum(path.stat().st_size for path in options.out.rglob("*") if path.is_file())
    print(f"{options.out}: {size / (1 << 20):.1f} MiB")
    if size > LIMIT:
        sys.exit("the bundle is over 64 MiB: name fewer models or plans")


if __name__ == "__main__":
    main()
