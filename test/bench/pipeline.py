#!/usr/bin/python3
"""Two stages on two ranks: against one rank, against 1F1B written by hand in PyTorch, against planc's other splits.

  test/bench/pipeline.py [--rounds 3] [--steps 50] [--planc build/bin/planc]

The perceptron of Inputs/pipeline.plan, one thread a rank, all programs in turns in each round; printed are the medians over
the rounds of a round's median step.

- Balanced stages, 8 micro-batches: 1F1B is at most 1.15 times what its schedule allows, (8 + 1) / 8 of half of one rank's
  step, and at most 0.8 times PyTorch's (torch_pipeline.py).
- Few samples for the weights (batch 32, hidden 1536): the pipeline is faster than pure data parallelism.
  The best plan without a pipeline, which splits layers, is printed beside it.
"""

import argparse
import pathlib
import socket
import subprocess
import sys

from run import HERE, ROOT, WORK, environment, medians, planc_seconds

PLAN = HERE / "Inputs/pipeline.plan"
MICRO_BATCHES = 8
HEAVY = "batch=32,hidden=1536"


def program(planc, layout, ranks, dimensions=""):
    path = WORK / f"pipeline_{layout}_{ranks}{'_heavy' if dimensions else ''}"
    more = ["--dim", dimensions] if dimensions else []
    subprocess.run([planc, PLAN, "--layout", layout, "--ranks", str(ranks), *more, "-o", path], check=True)
    return lambda steps: planc_seconds(path, ranks, steps)


def torch_seconds(steps):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    numbers = [str(number) for number in (port, steps, 1024, 512, MICRO_BATCHES)]
    ranks = [
        subprocess.Popen([sys.executable, HERE / "torch_pipeline.py", str(rank), *numbers], env=environment(),
                         stdout=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    output = [rank.communicate()[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        raise SystemExit("PyTorch's run failed")
    return float(output[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    take = {
        "one rank": program(options.planc, "data_parallel", 1),
        "1F1B": program(options.planc, "staged", 2),
        "PyTorch's 1F1B": torch_seconds,
        "heavy: pipeline": program(options.planc, "taken", 2, HEAVY),
        "heavy: best without": program(options.planc, "without", 2, HEAVY),
        "heavy: data parallel": program(options.planc, "data_parallel", 2, HEAVY),
    }
    step = medians(take, options.rounds, options.steps)
    for name, seconds in step.items():
        print(f"{name:22} {seconds * 1e3:7.2f} ms")
    allowed = (MICRO_BATCHES + 1) / MICRO_BATCHES * step["one rank"] / 2
    print(f"1F1B / what its schedule allows  {step['1F1B'] / allowed:.2f}  (wanted: at most 1.15)")
    peer = step["PyTorch's 1F1B"]
    print(f"1F1B / PyTorch's                 {step['1F1B'] / peer:.2f}  (wanted: at most 0.8)")
    print(f"heavy: pipeline / data parallel  {step['heavy: pipeline'] / step['heavy: data parallel']:.2f}  (wanted: below 1)")
    print(f"heavy: pipeline / best without   {step['heavy: pipeline'] / step['heavy: best without']:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
