#!/usr/bin/env bash
# Sets up and runs all tests; ends with ctest's summary. Arguments go to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
exec ctest --test-dir "${CKPT_BUILD_DIR:-build}" --output-on-failure \
  -j "${CKPT_JOBS:-$(nproc)}" "$@"
