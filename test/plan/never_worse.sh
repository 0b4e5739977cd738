#!/usr/bin/env bash
# Every example that trains on 2 to 4,096 ranks of every shipped machine, with its own batch and with two samples a rank,
# and the networks of ../shared/networks with their own batch: no plan of the literature is faster, no 1F1B either. `check`
# takes a part.
# test/plan/never_worse.sh [BUILD] [JOBS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
PATH=$(realpath "${1:-build}")/bin:$PATH
python3 test/plan/Inputs/never_worse.py examples stdlib/machines --jobs "${2:-2}"
python3 test/plan/Inputs/never_worse.py examples stdlib/machines --jobs "${2:-2}" --batch 2
python3 test/plan/Inputs/never_worse.py examples stdlib/machines --jobs "${2:-2}" --pipelines
if [ -d ../shared/networks ]; then
    python3 test/plan/Inputs/never_worse.py ../shared/networks stdlib/machines --jobs "${2:-2}"
    python3 test/plan/Inputs/never_worse.py ../shared/networks stdlib/machines --jobs "${2:-2}" --pipelines
fi
