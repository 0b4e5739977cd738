#!/usr/bin/env bash
# Every example, every layout, on 2, 3, 4 and 6 ranks, and the accuracies on 1 to 4 ranks: what `check` samples. Takes
# some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=$PWD/build/bin:$PATH
work=build/examples failed=0

layouts() { python3 test/examples/layouts.py "$@" --work $work || failed=1; }
accuracy() { python3 test/examples/accuracy.py "$@" --work $work || failed=1; }

for example in digits two_layer megatron_mlp; do
    layouts examples/$example.plan
done
layouts examples/gpt.plan --layouts data_parallel megatron hybrid sequence zero best
accuracy examples/digits.plan --at-least 0.96
if [[ -d ../shared/data/mnist ]]; then
    layouts examples/mnist_mlp.plan --data ../shared/data/mnist
    accuracy examples/mnist_mlp.plan --at-least 0.95 --data ../shared/data/mnist
else
    echo "mnist_mlp: skipped, no ../shared/data/mnist"
fi
exit $failed
