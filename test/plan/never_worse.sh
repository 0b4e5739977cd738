#!/usr/bin/env bash
# Every example that trains on 2 to 4,096 ranks of every shipped machine, with its own batch and with two samples a rank,
# and the networks of ../shared/networks with their own batch: no plan of the literature is faster, nor, with their own batch,
# is 1F1B. `check` takes a part.
# test/plan/never_worse.sh [BUILD] [JOBS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PATH=$(realpath "${1:-build}")/bin:$PATH
never_worse=(python3 test/plan/Inputs/never_worse.py --jobs "${2:-2}" --data ../shared/data)
"${never_worse[@]}" examples stdlib/machines --pipelines
"${never_worse[@]}" examples stdlib/machines --batch 2
if [ -d ../shared/networks ]; then
    "${never_worse[@]}" ../shared/networks stdlib/machines --pipelines
fi
