#!/usr/bin/python3
"""A graph convolutional network of three layers on one rank and on two, against PyTorch's torch.sparse.

  test/bench/graphs.py [--rounds 3] [--steps 20] [--planc build/bin/planc]

The network of Inputs/graph.plan: 20,000 vertices, a million nonzeros, 128 features, 64 hidden twice, 16 classes; one thread a
rank, all programs in turns in each round; printed are the medians over the rounds of a round's median step. PyTorch runs
in each of its sparse formats (torch_graph.py), and the faster one counts.
"""

import argparse
import pathlib
import subprocess
import sys

from run import HERE, ROOT, WORK, environment, medians, planc_seconds

PLAN = HERE / "Inputs/graph.plan"
VERTICES, NONZEROS = 20000, 1000000


def program(planc, ranks):
    path = WORK / f"graph_{ranks}"
    subprocess.run([planc, PLAN, "--ranks", str(ranks), "-o", path], check=True)
    return lambda steps: planc_seconds(path, ranks, steps)


def torch_seconds(steps):
    seconds = []
    for form in ("coo", "csr"):
        command = [sys.executable, HERE / "torch_graph.py", form, str(steps), str(VERTICES), str(NONZEROS)]
        output = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, text=True, check=True).stdout
        seconds += [float(line) for line in output.split()]
    if not seconds:
        raise SystemExit("PyTorch has no product of a sparse matrix here")
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    take = {
        "one rank": program(options.planc, 1),
        "two ranks": program(options.planc, 2),
        "PyTorch": torch_seconds,
    }
    step = medians(take, options.rounds, options.steps)
    for name, seconds in step.items():
        print(f"{name:10} {seconds * 1e3:7.2f} ms")
    print(f"one rank / PyTorch    {step['one rank'] / step['PyTorch']:.3f}  (wanted: at most 0.10)")
    print(f"two ranks / one rank  {step['two ranks'] / step['one rank']:.2f}  (wanted: at most 0.65)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
