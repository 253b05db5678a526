#!/usr/bin/env python3
"""Differentiates exported models and compares with their references.

    check-gradients.py [--ckpt-opt=PATH] FOLDER...

A folder holds `model.mlir`, `meta.json`, `args/argK.npy` and
`expected/resultK.npy` (the results of the entry, then the gradients of the
arguments that `wrt` lists). A step function around the entry is differentiated
by `ckpt-opt -ckpt-differentiate`, lowered by upstream passes alone, compiled for
the CPU and executed. Each result must be within the tolerance that meta.json
states. Prints a line per model; exits 1 if one of them is off or fails.

Needs mlir-opt, mlir-translate and clang of LLVM 22, and Python alone.
"""

import argparse
import array
import ctypes
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from ckpt.npy import read_npy  # noqa: E402

BUFFERIZATION = (
    "bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map"
)
LOWERING = [
    "--llvm-request-c-wrappers",
    "--inline",
    "--symbol-dce",
    "--convert-elementwise-to-linalg",
    "--linalg-fold-unit-extent-dims",
    "--linalg-fuse-elementwise-ops",
    "--canonicalize",
    f"--one-shot-bufferize={BUFFERIZATION}",
    "--canonicalize",
    "--convert-linalg-to-loops",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--lower-affine",
    "--arith-expand=include-bf16=true",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-arith-to-llvm",
    "--convert-index-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-func-to-llvm",
    "--reconcile-unrealized-casts",
]
STEP = "ckpt_gradient_step"
# Element types: code of Python's array module.
CODES = {"f32": "f", "f64": "d", "bf16": "H", "i64": "q", "i32": "i", "i1": "B"}


def find_tool(name):
    found = shutil.which(f"{name}-22") or shutil.which(
        name, path="/usr/lib/llvm-22/bin"
    )
    if not found:
        sys.exit(f"{name} of LLVM 22 not found")
    return found


def tensor_type(description):
    shape = "".join(f"{size}x" for size in description["shape"])
    return f"tensor<{shape}{description['dtype']}>"


def result_descriptions(meta):
    return meta["results"] + [meta["args"][i] for i in meta["wrt"]]


def add_step(text, meta):
    """The module `text` with a function that asks for loss and gradients."""
    arguments = [tensor_type(a) for a in meta["args"]]
    results = [tensor_type(r) for r in result_descriptions(meta)]
    names = [f"%a{i}" for i in range(len(arguments))]
    values = ", ".join(f"%r#{i}" for i in range(len(results)))
    parameters = ", ".join(f"{n}: {t}" for n, t in zip(names, arguments))
    signature = f"({', '.join(arguments)}) -> ({', '.join(results)})"
    wrt = ", ".join(str(i) for i in meta["wrt"])
    step = f"""
  func.func @{STEP}({parameters}) -> ({', '.join(results)}) {{
    %r:{len(results)} = ckpt.value_and_grad @{meta['entry']}({', '.join(names)})
      wrt [{wrt}] : {signature}
    return {values} : {', '.join(results)}
  }}
"""
    # Locations may follow the module's closing brace.
    end = text.rindex("\n}")
    text = text[:end] + step + text[end:]
    return text.replace(
        f"func.func public @{meta['entry']}(", f"func.func private @{meta['entry']}("
    ).replace(f"func.func @{meta['entry']}(", f"func.func private @{meta['entry']}(")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [l for l in done.stderr.splitlines() if "error:" in l]
        raise RuntimeError((lines or done.stderr.splitlines() or ["failed"])[0][:400])


def compile_step(folder, meta, scratch, ckpt_opt):
    source, adjoint, lowered, llvm, library = (
        scratch / name
        for name in ("step.mlir", "adjoint.mlir", "lowered.mlir", "step.ll", "step.so")
    )
    source.write_text(add_step((folder / "model.mlir").read_text(), meta))
    run([ckpt_opt, source, "-ckpt-differentiate", "-o", adjoint])
    run([find_tool("mlir-opt"), adjoint, *LOWERING, "-o", lowered])
    run([find_tool("mlir-translate"), "--mlir-to-llvmir", lowered, "-o", llvm])
    folder = pathlib.Path(find_tool("mlir-opt")).resolve().parent.parent / "lib"
    run(
        [find_tool("clang"), "-O1", "-w", "-shared", "-fPIC", "-Wl,-Bsymbolic", llvm]
        + [f"-L{folder}", f"-Wl,-rpath,{folder}", "-lmlir_c_runner_utils", "-lm"]
        + ["-o", library]
    )
    return ctypes.CDLL(str(library))


def descriptor(rank):
    class MemRef(ctypes.Structure):
        _fields_ = [
            ("base", ctypes.c_void_p),
            ("data", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
        ] + ([(n, ctypes.c_int64 * rank) for n in ("sizes", "strides")] if rank else [])

    return MemRef


def to_memref(elements, description):
    shape = description["shape"]
    memref = descriptor(len(shape))()
    memref.base = memref.data = elements.buffer_info()[0]
    for i, size in enumerate(shape):
        memref.sizes[i] = size
        memref.strides[i] = math.prod(shape[i + 1 :])
    return memref


def to_doubles(memref, description):
    elements = array.array(CODES[description["dtype"]])
    start = memref.data + memref.offset * elements.itemsize
    count = math.prod(description["shape"])
    elements.frombytes(ctypes.string_at(start, count * elements.itemsize))
    if description["dtype"] == "bf16":
        bits = b"".join(struct.pack("<I", e << 16) for e in elements)
        elements = array.array("f", bits)
    return [float(e) for e in elements]


def execute(library, meta, arguments):
    descriptions = result_descriptions(meta)

    class Results(ctypes.Structure):
        _fields_ = [
            (f"r{i}", descriptor(len(d["shape"]))) for i, d in enumerate(descriptions)
        ]

    results = Results()
    memrefs = [to_memref(a, d) for a, d in zip(arguments, meta["args"])]
    getattr(library, f"_mlir_ciface_{STEP}")(
        ctypes.byref(results), *(ctypes.byref(m) for m in memrefs)
    )
    return [
        to_doubles(getattr(results, f"r{i}"), d) for i, d in enumerate(descriptions)
    ]


def relative_error(got, expected, tolerance, floor):
    """The error as a multiple of its limit: relative L2, or absolute L2 where
    there is no relative tolerance."""
    error = math.hypot(*(g - e for g, e in zip(got, expected)))
    limit = tolerance * math.hypot(*expected) if tolerance else floor
    ratio = error / limit if limit else (0.0 if error == 0 else math.inf)
    return math.inf if math.isnan(ratio) else ratio


def check(folder, ckpt_opt):
    meta = json.loads((folder / "meta.json").read_text())
    arguments = [read_npy(folder / f"args/arg{i}.npy")[2] for i in range(len(meta["args"]))]
    with tempfile.TemporaryDirectory() as scratch:
        library = compile_step(folder, meta, pathlib.Path(scratch), ckpt_opt)
        got = execute(library, meta, arguments)
    limits = [meta["tolerance"]["loss"], *meta["tolerance"]["grads"]]
    worst = max(
        (
            relative_error(
                value,
                read_npy(folder / f"expected/result{i}.npy")[2],
                limits[i],
                meta.get("grad_abs_floor"),
            ),
            i,
        )
        for i, value in enumerate(got)
    )
    good = worst[0] <= 1
    print(
        f"{'ok' if good else 'BAD'} {folder.name}: loss {got[0][0]:.8g}, "
        f"{len(got) - len(meta['results'])} gradients, worst error {worst[0]:.3f} "
        f"of its tolerance (result {worst[1]})",
        flush=True,
    )
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ckpt-opt", default="ckpt-opt", help="the tool to test")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    good = True
    for folder in options.folders:
        try:
            good &= check(folder, options.ckpt_opt)
        except RuntimeError as error:
            print(f"BAD {folder.name}: {error}", flush=True)
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
