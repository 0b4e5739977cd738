#!/usr/bin/env bash
# Every example, every layout, on 2, 3, 4 and 6 ranks: what `check` samples. Takes some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=$PWD/build/bin:$PATH
work=build/examples failed=0
for example in digits two_layer megatron_mlp; do
    python3 test/examples/layouts.py examples/$example.plan --work $work || failed=1
done
if [[ -d ../shared/data/mnist ]]; then
    python3 test/examples/layouts.py examples/mnist_mlp.plan --work $work --data ../shared/data/mnist || failed=1
else
    echo "mnist_mlp: skipped, no ../shared/data/mnist"
fi
exit $failed
