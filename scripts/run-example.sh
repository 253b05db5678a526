#!/usr/bin/env bash
# Sets up, then plans, differentiates, lowers and executes one step of a real
# model at several plans: shows memory saved, compute added, gradients checked.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
build=${CKPT_BUILD_DIR:-build}
exec python3 scripts/run_model.py --ckpt-run="$build/bin/ckpt-run" \
  --device="${CKPT_DEVICE:-emulated}" \
  --plans="${CKPT_PLANS:-none,all,interval=4,sqrt,auto@50%}" \
  "${@:-examples/models/mlp24}"
