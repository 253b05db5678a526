#!/usr/bin/env bash
# Runs the bundle of make_device_bundle.py on this machine's GPU: every model at
# every plan, results against the float64 references and against each other bit
# for bit, peak bytes and step times. Needs the bundle, a C++ compiler (only if
# the bundled runner does not start here) and a GPU's driver; no LLVM, no network.
#
#   scripts/device-check.sh [BUNDLE]       default: build/device-bundle
#
# Environment: OUT (folder for device-check.jsonl and device-check.txt),
# CKPT_DEVICE (default: cuda), CKPT_RUNS (timed runs, default: 20).
set -uo pipefail
cd "$(dirname "$0")/.."
bundle=${1:-build/device-bundle}
device=${CKPT_DEVICE:-cuda}
out=${OUT:-$(mktemp -d)}
[ -d "$bundle" ] || { echo "device-check: no bundle at $bundle" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runner=$work/ckpt-bundle-runner
cp "$bundle/ckpt-bundle-runner" "$runner" && chmod +x "$runner"
if ! "$runner" --help >/dev/null 2>&1; then
  echo "building the runner here"
  "${CXX:-c++}" -std=c++17 -O2 -rdynamic -Iinclude -o "$runner" \
    tools/ckpt-bundle-runner/*.cpp lib/Runtime/*.cpp lib/Runtime/Cuda/*.cpp \
    lib/Support/*.cpp -ldl || exit 1
fi
command -v nvidia-smi >/dev/null &&
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

failed=0
lines=$out/device-check.jsonl
: >"$lines"
for model in "$bundle"/*/; do
  name=$(basename "$model")
  hash=""
  for step in "$model"*/step.so; do
    [ -f "$step" ] || continue
    plan=$(basename "$(dirname "$step")")
    folder=$work/$name/$plan
    mkdir -p "$folder"
    for part in "$(dirname "$step")"/* "$model"args "$model"expected; do
      ln -s "$(realpath "$part")" "$folder/"
    done
    if ! text=$("$runner" "$folder" --device="$device" --runs="${CKPT_RUNS:-20}" 2>&1); then
      echo "$name $plan: FAILED"
      echo "$text" | tail -5
      failed=$((failed + 1))
      continue
    fi
    json=$(echo "$text" | tail -1)
    echo "{\"model\": \"$name\", \"plan\": \"$plan\", \"run\": $json}" >>"$lines"
    this=$(echo "$json" | grep -o '"results_hash": *"[^"]*"')
    if [ -n "$hash" ] && [ "$this" != "$hash" ]; then
      echo "$name $plan: FAILED: results differ from those of the plan before"
      failed=$((failed + 1))
    fi
    hash=$this
    echo "$name $plan: ok: $(echo "$json" | grep -oE '"(measured_peak_bytes|median_seconds)": *[0-9.e+-]+' | tr '\n' ' ')"
  done
done | tee "$out/device-check.txt"
failed=$(grep -c FAILED "$out/device-check.txt")
total=$(grep -cE ': (ok|FAILED)' "$out/device-check.txt")
echo "$((total - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$total" -gt 0 ]
