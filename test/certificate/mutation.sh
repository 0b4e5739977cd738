#!/usr/bin/env bash
# Breaks the search in many ways (Inputs/mutants.py) and asks planc to verify what each broken planc claims
# (Inputs/mutation.py): it must refuse. Builds planc once for each of them, in FOLDER, which is kept for the next run.
# Takes ten minutes. test/certificate/mutation.sh [FOLDER] [OPTION...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:-build/mutation}
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 # what is not broken is compiled as here
python3 test/certificate/Inputs/mutation.py . "$(realpath -m "$folder")" "${@:2}"
