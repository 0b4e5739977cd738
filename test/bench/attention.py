#!/usr/bin/python3
"""A block of GPT on one rank with the scores of its attention in memory and without.

  test/bench/attention.py [--rounds 3] [--steps 20] [--planc build/bin/planc]

The network of Inputs/attention.plan: two samples of 1,024 positions, 8 heads of 32 features, causal, and its memory at
1,024 and at 2,048 positions, as predicted, beside that of the scores. The programs take turns in each round; printed are
the medians over the rounds of a round's median step.
"""

import argparse
import pathlib
import re
import subprocess
import sys

from run import HERE, ROOT, WORK, medians, planc_seconds

PLAN = HERE / "Inputs/attention.plan"
BATCH, HEADS = 2, 8


def plan(fused, positions):
    """The input with other text at two places."""
    text = PLAN.read_text()
    for name, old, new in (("fused", "fused = true", f"fused = {fused}"), ("position", "position = 1024", f"position = {positions}")):
        if text.count(old) != 1:
            raise SystemExit(f"{PLAN.name}: '{name}' is not as attention.py knows it")
        text = text.replace(old, new)
    path = WORK / f"attention_{fused}_{positions}.plan"
    path.write_text(text)
    return path


def program(planc, fused):
    path = WORK / f"attention_{fused}"
    subprocess.run([planc, plan(fused, 1024), "--ranks", "1", "-o", path], check=True)
    return lambda steps: planc_seconds(path, 1, steps)


def memory(planc, fused, positions):
    costs = subprocess.run([planc, "cost", plan(fused, positions), "--ranks", "1"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(r"memory of a rank: ([\d,]+) bytes", costs)[1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    for positions in (1024, 2048):
        plain, fused = (memory(options.planc, word, positions) for word in ("false", "true"))
        scores = 4 * BATCH * HEADS * positions * positions
        print(f"{positions} positions: {plain:,} bytes with the scores, {fused:,} without, {plain - fused:,} less; the scores are {scores:,}")
    step = medians({word: program(options.planc, word) for word in ("false", "true")}, options.rounds, options.steps)
    print(f"with the scores {step['false'] * 1e3:.1f} ms, without {step['true'] * 1e3:.1f} ms: {step['true'] / step['false']:.3f}  (wanted: at most 0.90)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
