#!/usr/bin/env bash
# Installs what is missing on Debian 12, configures and builds. Idempotent, and
# quick where nothing changed. Options for cmake may follow.
#   scripts/setup.sh [-DNAME=VALUE ...]
# Environment: CKPT_BUILD_DIR (default: build), CKPT_JOBS (default: all cores).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${CKPT_BUILD_DIR:-build}

packages=(build-essential cmake ninja-build ccache python3
  clang-22 clang-format-22 lld-22 llvm-22-dev llvm-22-tools
  libmlir-22-dev mlir-22-tools libgtest-dev libgmock-dev libboost-context-dev)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
    grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ ! -f "$build/build.ninja" ] || [ $# -gt 0 ]; then
  cmake -G Ninja -B "$build" -DCMAKE_C_COMPILER=clang-22 \
    -DCMAKE_CXX_COMPILER=clang++-22 -DLLVM_USE_LINKER=lld \
    -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
    "$@" . >"$build.log" || { cat "$build.log"; exit 1; }
  rm -f "$build.log"
fi
ninja -C "$build" ${CKPT_JOBS:+-j "$CKPT_JOBS"}
