#!/usr/bin/python3
"""How a 3 x 3 convolution scales when its images are split between two ranks, compared with the limit of the machine.

  test/bench/domain_scaling.py [--sizes 128 256 512] [--batch 32] [--rounds 5] [--steps 6] [--cpus 2 3]
                               [--planc build/bin/planc]

Inputs/domain.plan, 64 channels to 64, forward and backward pass with both gradients, as planc emits it, in f32, one thread
a rank, on images of SIZE x SIZE:

  1 rank    the whole images
  2 ranks   layout `domain`: the upper and the lower half of each image, halos exchanged, weight gradients summed
  ceiling   two independent programs of one rank, each with half of the image's height, at the same
            time: as 2 ranks without any communication

Each round measures all three in turn, so that a change of the machine's speed meets all alike. Printed are medians over the
rounds: of a round's median step, of the speed-up over 1 rank, of that of the ceiling, and of the share of the ceiling that
the two ranks reach (wanted: at least 95% from 256 x 256 on). A step of two programs is the slower one's. `--cpus` pins
the first and the second rank to a processor each. On 512 x 512 a batch of 32 takes 9 GB.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench"
PLAN = HERE / "Inputs/domain.plan"
SKIPPED = 1  # step
WANTED = 0.95
WANTED_FROM = 256


def compile_program(planc, height, width, batch, ranks):
    program = WORK / f"domain_{height}_{width}_{batch}_{ranks}"
    dimensions = f"height={height},width={width},batch={batch}"
    subprocess.run([planc, PLAN, "--ranks", str(ranks), "--dim", dimensions, "-o", program], check=True)
    return program


def start(program, ranks, cpus, steps, name):
    """A run of the program: the process and its log. Rank i of it runs on cpus[i]."""
    log = WORK / f"{name}.jsonl"
    log.unlink(missing_ok=True)
    command = [program, "--steps", str(steps), "--log", log, "--quiet"]
    if cpus:
        pinned = 'cpus=($CPUS); exec taskset -c "${cpus[$OMPI_COMM_WORLD_RANK]}" "$@"'
        command = ["bash", "-c", pinned, "pinned", *command]
    environment = {**os.environ, "CPUS": " ".join(map(str, cpus))}
    process = subprocess.Popen([ROOT / "scripts/mpirun", str(ranks), *command], env=environment,
                               stdout=subprocess.DEVNULL)
    return process, log


def step_seconds(runs):
    """The median step of the slowest of these runs, once all have ended."""
    slowest = 0
    for process, log in runs:
        if process.wait() != 0:
            raise SystemExit(f"{log.stem}: the program failed")
        entries = [json.loads(line) for line in log.read_text().splitlines()]
        seconds = [entry["seconds"] for entry in entries if "step" in entry]
        slowest = max(slowest, statistics.median(seconds[SKIPPED:]))
    return slowest


def measurements(options, size):
    """How to take the seconds of a step of 1 rank, of 2 ranks, of the ceiling."""
    height = size // 2
    one = compile_program(options.planc, size, size, options.batch, 1)
    two = compile_program(options.planc, size, size, options.batch, 2)
    half = compile_program(options.planc, height, size, options.batch, 1)
    cpus, steps = options.cpus, options.steps + SKIPPED
    return [
        lambda: step_seconds([start(one, 1, cpus[:1], steps, "one")]),
        lambda: step_seconds([start(two, 2, cpus, steps, "two")]),
        lambda: step_seconds([start(half, 1, cpus[i:i + 1], steps, f"half_{i}") for i in range(2)]),
    ]


def report(measured):
    print("| images | 1 rank, ms a step | 2 ranks | speed-up | ceiling, ms | its speed-up | share of the ceiling | wanted |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for size, rounds in measured.items():
        def median(of_round, rounds=rounds):
            return statistics.median(of_round(*times) for times in rounds)

        wanted = f"≥ {WANTED:.0%}" if size >= WANTED_FROM else ""
        print(f"| {size} × {size} | {median(lambda one, two, ceiling: one) * 1e3:.1f} "
              f"| {median(lambda one, two, ceiling: two) * 1e3:.1f} | {median(lambda one, two, ceiling: one / two):.2f} "
              f"| {median(lambda one, two, ceiling: ceiling) * 1e3:.1f} "
              f"| {median(lambda one, two, ceiling: one / ceiling):.2f} "
              f"| {median(lambda one, two, ceiling: ceiling / two):.1%} | {wanted} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 256, 512], help="even")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--cpus", type=int, nargs=2, default=[])
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    options = parser.parse_args()
    if any(size % 2 for size in options.sizes):
        parser.error("a size is even: the ceiling's programs have half of the height each")
    WORK.mkdir(parents=True, exist_ok=True)

    measured = {}
    for size in options.sizes:
        take = measurements(options, size)
        rounds = measured[size] = []
        for number in range(options.rounds):
            rounds.append([measure() for measure in take])
            print(f"{size} × {size}: round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    report(measured)
    return 0


if __name__ == "__main__":
    sys.exit(main())
