"""lit configuration of the project's tests. A test's name is its kind: ops,
invalid, canonicalize, <pass>, <pass>-invalid."""

import os

import lit.formats
import lit.llvm

if lit.llvm.llvm_config is None:
    lit.llvm.initialize(lit_config, config)
from lit.llvm import llvm_config

config.name = "ckpt"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Install", "Inputs", "unit", "lib", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.ckpt_obj_root, "test")

config.substitutions += [
    ("%ckpt_lib_dir", os.path.join(config.ckpt_obj_root, "lib")),
    ("%ckpt_src", config.ckpt_src_root),
    ("%python", config.python),
]
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
# By PATH, not by substitution: a pass may have a tool's name.
llvm_config.with_environment(
    "PATH", os.path.join(config.ckpt_obj_root, "bin"), append_path=True
)
llvm_config.add_tool_substitutions(
    ["mlir-opt", "FileCheck", "not", "count", "split-file"], [config.llvm_tools_dir]
)

# What a test may ask for with REQUIRES.
if config.ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", config.ptxas))
if config.extra_models and os.path.isdir(config.extra_models):
    config.available_features.add("extra-models")
    config.substitutions.append(("%extra_models", config.extra_models))
