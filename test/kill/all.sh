#!/usr/bin/env bash
# 250 kills: 100 under one layout after the other, 100 of runs that go on under another layout and on another number of
# ranks, 50 of pipelines that go on with another depth or schedule. Takes some minutes. test/kill/all.sh [BUILD]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(realpath "${1:-build}")
work=$build/kills
mkdir -p "$work"

# compile RANKS:LAYOUT …: makes the programs, and lists them in `programs`
compile() {
    programs=()
    local what program
    for what in "$@"; do
        program=$work/${what#*:}_${what%%:*}
        "$build/bin/planc" test/kill/Inputs/trained.plan --ranks "${what%%:*}" --layout "${what#*:}" -o "$program"
        programs+=("${what%%:*}:$program")
    done
}

compile 4:hybrid 3:model 4:zero 2:parts
for program in "${programs[@]}"; do
    /usr/bin/python3 test/kill/kill.py "$program" --kills 25 --seed 1 --work "$work/one"
done
/usr/bin/python3 test/kill/kill.py "${programs[@]}" --kills 100 --seed 2 --work "$work/several"
compile 3:staged 2:staged 4:both_ways 4:hybrid
/usr/bin/python3 test/kill/kill.py "${programs[@]}" --kills 50 --seed 3 --work "$work/stages"
