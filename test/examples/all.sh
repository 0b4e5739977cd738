#!/usr/bin/env bash
# Every example, every layout, on 2, 3, 4 and 6 ranks, the accuracies on 1 to 4 ranks, what saves memory, and the plans
# of foreign/ on 1 to 6 ranks: what `check` samples. Takes half an hour.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=$PWD/build/bin:$PATH
work=$PWD/build/examples failed=0

layouts() { python3 test/examples/layouts.py "$@" --work $work || failed=1; }
accuracy() { python3 test/examples/accuracy.py "$@" --work $work || failed=1; }

for example in digits two_layer megatron_mlp; do
    layouts examples/$example.plan
done
layouts examples/gpt.plan --layouts data_parallel megatron hybrid sequence zero best
layouts examples/one_weird_trick.plan --layouts data_parallel one_weird_trick best --dim batch=5 class=10 --f64
layouts examples/alexnet.plan --layouts data_parallel spatial best --dim batch=6 class=10 --f64
layouts examples/spatial.plan --layouts data_parallel domain domain_batch best --dim height=61 width=47 batch=6 --f64
layouts test/examples/Inputs/batch_norm.plan --layouts data_parallel model_parallel hybrid shares recomputed best
layouts test/examples/Inputs/batch_norm_parts.plan --ranks 2 4 --layouts data_parallel model_parallel hybrid shares recomputed
accuracy examples/digits.plan --at-least 0.96
if [[ -d ../shared/data/mnist ]]; then
    layouts examples/mnist_mlp.plan --data ../shared/data/mnist
    accuracy examples/mnist_mlp.plan --at-least 0.95 --data ../shared/data/mnist
    layouts examples/lenet_mnist.plan --layouts data_parallel spatial hybrid best --data ../shared/data/mnist
    accuracy examples/lenet_mnist.plan --at-least 0.975 --data ../shared/data/mnist
else
    echo "mnist_mlp, lenet_mnist: skipped, no ../shared/data/mnist"
fi
if [[ -d ../shared/data/cora ]]; then
    layouts examples/gcn_cora.plan --ranks 2 3 4 6 9 --layouts one_d one_and_a_half_d two_d features best --data ../shared/data
    accuracy examples/gcn_cora.plan --at-least 0.79 --data ../shared/data
else
    echo "gcn_cora: skipped, no ../shared/data/cora"
fi
savings() { python3 test/memory/savings.py "$@" --dim position=32 model=128 --work $work/memory_"$2" || failed=1; }
savings --ranks 1 parts_2 parts_3 again again_blocks all
savings --ranks 2 zero_1 zero_2 zero_3 parts_2 parts_3 again again_blocks all
savings --ranks 4 zero_1 zero_2 zero_3 all
test/foreign/all.sh $work/foreign || failed=1
exit $failed
