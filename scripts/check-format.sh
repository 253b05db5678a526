#!/usr/bin/env bash
# Fails and lists the files that clang-format would change.
set -euo pipefail
cd "$(dirname "$0")/.."
files=$(find include lib tools test benchmark -name '*.h' -o -name '*.cpp' |
  grep -v '/build' | sort)
# shellcheck disable=SC2086
"${CLANG_FORMAT:-clang-format-22}" --dry-run --Werror $files
