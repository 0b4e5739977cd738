#!/usr/bin/env bash
# 200 kills: half of them under one layout after the other, half of runs that go on under another layout and on another
# number of ranks. Takes some minutes. test/kill/all.sh [BUILD]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "${1:-build}")
work=$build/kills
mkdir -p "$work"

programs=()
for what in 4:hybrid 3:model 4:zero 2:parts; do
    program=$work/${what#*:}
    "$build/bin/planc" test/kill/Inputs/trained.plan --ranks "${what%%:*}" --layout "${what#*:}" -o "$program"
    programs+=("${what%%:*}:$program")
done
for program in "${programs[@]}"; do
    /usr/bin/python3 test/kill/kill.py "$program" --kills 25 --seed 1 --work "$work/one"
done
/usr/bin/python3 test/kill/kill.py "${programs[@]}" --kills 100 --seed 2 --work "$work/several"
