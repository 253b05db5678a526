#!/usr/bin/env python3
"""Measures how compile time grows with the length of a chain and the number of
arguments; prints a table in Markdown.

    compile_scaling.py [--ckpt-run=PATH]

The last column is the growth against n log n of the row before: 1.0 or less is
no faster than that.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SIZES = {"ops": (625, 1250, 2500, 5000), "arguments": (375, 750, 1500, 3000)}


def compile_seconds(ckpt_run, kind, size, directory):
    model = directory / "model.mlir"
    with model.open("w") as file:
        subprocess.run([sys.executable, HERE / "generate_chain.py", kind, str(size)],
                       stdout=file, check=True)
    report = directory / "report.json"
    # The least of three: the machine may be shared.
    best = math.inf
    for _ in range(3):
        subprocess.run([ckpt_run, model, "--entry=loss", "--plan=sqrt", "--device=emulated",
                        "--compile-only", f"--report={report}"],
                       stdout=subprocess.DEVNULL, check=True)
        best = min(best, sum(json.loads(report.read_text())["compile_seconds"].values()))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ckpt-run", default=str(HERE.parent / "build/bin/ckpt-run"))
    options = parser.parse_args()
    print("| what grows | n | compiled, s | against n log n |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for kind, sizes in SIZES.items():
            before = None
            for size in sizes:
                seconds = compile_seconds(options.ckpt_run, kind, size, pathlib.Path(directory))
                growth = ""
                if before:
                    expected = size * math.log(size) / (before[0] * math.log(before[0]))
                    growth = f"{seconds / before[1] / expected:.2f}"
                print(f"| {kind} | {size} | {seconds:.2f} | {growth} |", flush=True)
                before = (size, seconds)


if __name__ == "__main__":
    main()
