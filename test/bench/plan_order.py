#!/usr/bin/env python3
"""Checks that plans whose predicted times differ by more than 25 % have the same order when measured.

  test/bench/plan_order.py --machine here.plan [--networks wide_mlp gpt …] [--ranks 2] [--rounds 3] [--steps 12]

Takes every layout of each example, and `best` on one rank ("one"), on a machine that `planc calibrate` has measured
here. Predicts all of them, measures them in turn, round after round, and prints times, then the pairs. A measured time
is that of a step at the speed at which the machine was measured, by the known product that programs compute beside
their steps. Exit code 1 if an order differs.
"""

import argparse
import itertools
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "build/bench"
NETWORKS = ["wide_mlp", "megatron_mlp", "spatial", "one_weird_trick", "alexnet", "gpt"]
APART = 1.25


class Plan:
    def __init__(self, options, network, layout, ranks):
        self.name = f"{network}: {'one' if ranks == 1 else layout}"
        self.ranks = ranks
        self.program = WORK / f"order_{network}_{layout}_{ranks}"
        question = [ROOT / f"examples/{network}.plan", "--layout", layout, "--ranks", str(ranks),
                    "--machine", options.machine]
        cost = subprocess.run([options.planc, "cost", *question, "--format=json"], check=True, capture_output=True)
        self.predicted = json.loads(cost.stdout)["overlap_seconds"]
        subprocess.run([options.planc, *question, "-o", self.program], check=True)
        self.times = []

    def measure(self, steps):
        report = self.program.with_suffix(".json")
        subprocess.run([ROOT / "scripts/mpirun", str(self.ranks), self.program, "--steps", str(steps), "--quiet",
                        "--compare", "--comm-report", report], check=True, stdout=subprocess.DEVNULL)
        times = json.loads(report.read_text())["times"]
        known = times["reference"]
        self.times.append(max(times["step"]["measured"]) * known["predicted"] / statistics.median(known["measured"]))

    @property
    def measured(self):
        return statistics.median(self.times)


def layouts(network):
    return re.findall(r"^layout (\w+) on", (ROOT / f"examples/{network}.plan").read_text(), re.MULTILINE)


def plans_of(options, network):
    plans = [Plan(options, network, layout, options.ranks) for layout in layouts(network)]
    return plans + [Plan(options, network, "best", 1)]


def report(plans):
    """The number of pairs apart, and the number of those that are measured in the other order."""
    for plan in plans:
        off = plan.predicted / plan.measured - 1
        print(f"{plan.name:32} predicted {plan.predicted * 1e3:9.2f} ms, measured {plan.measured * 1e3:9.2f} ms, {off:+.0%}")
    pairs = wrong = 0
    for a, b in itertools.combinations(sorted(plans, key=lambda plan: plan.predicted), 2):
        if b.predicted <= APART * a.predicted:
            continue
        pairs += 1
        wrong += a.measured >= b.measured
        print(f"  {a.name} before {b.name.split(': ')[1]}: predicted {b.predicted / a.predicted:.2f} x, "
              f"measured {b.measured / a.measured:.2f} x{'' if a.measured < b.measured else '  NOT THE SAME'}")
    return pairs, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machine", required=True, type=pathlib.Path)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    by_network = [plans_of(options, network) for network in options.networks]
    for _ in range(options.rounds):
        for plan in itertools.chain(*by_network):
            plan.measure(options.steps)
    pairs, wrong = (sum(numbers) for numbers in zip(*map(report, by_network)))
    print(f"{pairs} pairs of plans are more than {APART - 1:.0%} apart, {wrong} of them measured the other way round")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
