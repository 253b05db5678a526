#!/usr/bin/env python3
"""Checks who includes whom (the table in docs/Contributing.md).

Usage: check-includes.py [SOURCE_ROOT]. Prints each violation as
file:line: message; exits 1 if there is one.
"""

import pathlib
import re
import sys

# Our folders that each folder may include, besides itself.
ALLOWED = {
    "Planner": set(),
    "Support": set(),
    "Runtime": {"Support"},
    "Interfaces": set(),
    "IR": {"Interfaces"},
    "Models": {"Interfaces"},
    "Analysis": {"Interfaces", "IR", "Planner"},
    "Differentiation": {"Interfaces", "IR"},
    "Transforms": {"Analysis", "Planner", "IR", "Interfaces"},
    "Conversion": {"IR", "Interfaces", "Runtime"},
    "Pipelines": {
        "Planner", "Support", "Runtime", "Interfaces", "IR", "Models", "Analysis",
        "Differentiation", "Transforms", "Conversion",
    },
    "CAPI": {"Pipelines"},
}
# Folders without LLVM, without MLIR, and those where upstream dialects are named.
NO_LLVM = {"Planner", "Support", "Runtime"}
NO_MLIR = NO_LLVM
UPSTREAM_DIALECTS = {"Models", "Conversion", "Pipelines"}
# The emulated device compiles kernels with LLVM; a step function is made of func.
LLVM_EXCEPTIONS = ("Runtime/Emulated/",)

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def check_file(path: pathlib.Path, folder: str, inside: str) -> list[str]:
    problems = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        name = match.group(1)

        def problem(text: str) -> None:
            problems.append(f"{path}:{number}: {folder} {text}: {name}")

        if name.startswith("ckpt/"):
            other = name.split("/")[1]
            if other != folder and other not in ALLOWED[folder]:
                problem(f"must not include {other}")
        elif name.startswith("mlir/"):
            if folder in NO_MLIR:
                problem("must not include MLIR")
            elif name.startswith("mlir/Dialect/") and folder not in UPSTREAM_DIALECTS:
                problem("must not include upstream dialects")
        elif name.startswith("llvm/") and folder in NO_LLVM:
            if not inside.startswith(LLVM_EXCEPTIONS):
                problem("must not include LLVM")
    return problems


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = []
    for base in (root / "include" / "ckpt", root / "lib"):
        for path in sorted(base.rglob("*")):
            if path.suffix not in {".h", ".cpp", ".td"}:
                continue
            inside = path.relative_to(base).as_posix()
            folder = inside.split("/")[0]
            if folder not in ALLOWED:
                problems.append(f"{path}: unknown folder {folder}")
                continue
            problems += check_file(path, folder, inside)
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
