#!/usr/bin/env python3
"""Differentiates exported models and compares with their references.

    check-gradients.py [--ckpt-opt=PATH] FOLDER...

A folder holds `model.mlir`, `meta.json`, `args/argK.npy` and
`expected/resultK.npy` (the results of the entry, then the gradients of the
arguments that `wrt` lists). A step function around the entry is differentiated
by `ckpt-opt -ckpt-differentiate`, lowered by upstream passes alone, compiled for
the CPU and executed. Each result must be within the tolerance that meta.json
states. Prints a line per model; exits 1 if one of them is off or fails.

Needs numpy, and mlir-opt, mlir-translate, clang of LLVM 22.
"""

import argparse
import ctypes
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

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
NUMPY = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": np.uint16,
    "i64": np.int64,
    "i32": np.int32,
    "i1": np.uint8,
}


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


def to_memref(array):
    memref = descriptor(array.ndim)()
    memref.base = memref.data = array.ctypes.data
    for i in range(array.ndim):
        memref.sizes[i] = array.shape[i]
        memref.strides[i] = array.strides[i] // array.itemsize
    return memref


def to_double(memref, description):
    shape, kind = tuple(description["shape"]), NUMPY[description["dtype"]]
    count = memref.offset + max(1, int(np.prod(shape)))
    pointer = ctypes.cast(
        memref.data, ctypes.POINTER(np.ctypeslib.as_ctypes_type(kind))
    )
    flat = np.ctypeslib.as_array(pointer, (count,))[memref.offset :]
    if description["dtype"] == "bf16":
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    return flat.reshape(shape).astype(np.float64)


def execute(library, meta, arguments):
    descriptions = result_descriptions(meta)

    class Results(ctypes.Structure):
        _fields_ = [
            (f"r{i}", descriptor(len(d["shape"]))) for i, d in enumerate(descriptions)
        ]

    results, memrefs = Results(), [to_memref(a) for a in arguments]
    getattr(library, f"_mlir_ciface_{STEP}")(
        ctypes.byref(results), *(ctypes.byref(m) for m in memrefs)
    )
    return [
        to_double(getattr(results, f"r{i}"), d) for i, d in enumerate(descriptions)
    ]


def check(folder, ckpt_opt):
    meta = json.loads((folder / "meta.json").read_text())
    arguments = [
        np.ascontiguousarray(np.load(folder / f"args/arg{i}.npy")).reshape(a["shape"])
        for i, a in enumerate(meta["args"])
    ]
    with tempfile.TemporaryDirectory() as scratch:
        library = compile_step(folder, meta, pathlib.Path(scratch), ckpt_opt)
        got = execute(library, meta, arguments)
    limits = [meta["tolerance"]["loss"], *meta["tolerance"]["grads"]]
    worst = (0.0, 0)
    for i, value in enumerate(got):
        expected = np.load(folder / f"expected/result{i}.npy")
        error, norm = np.linalg.norm(value - expected), np.linalg.norm(expected)
        ratio = (
            error / (limits[i] * norm) if limits[i] else error / meta["grad_abs_floor"]
        )
        worst = max(worst, (ratio if ratio == ratio else float("inf"), i))
    good = worst[0] <= 1
    print(
        f"{'ok ' if good else 'BAD'} {folder.name}: loss {float(got[0]):.8g}, "
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
