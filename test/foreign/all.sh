#!/usr/bin/env bash
# all.sh WORK: every foreign plan, every layout, on meshes of 1 to 6 ranks, against PyTorch
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
failed=0
for plan in Inputs/*.plan; do
    layouts=$(sed -n 's/^layout \([a-z_]*\).*/\1/p' "$plan")
    # shellcheck disable=SC2086 # one word each
    /usr/bin/python3 ../pytorch/compare.py "$(basename "$plan" .plan)" --work "$1" --layouts $layouts \
        --meshes rows=1,cols=1 rows=1,cols=2 rows=3,cols=1 rows=2,cols=2 rows=1,cols=5 rows=3,cols=2 || failed=1
done
exit $failed
