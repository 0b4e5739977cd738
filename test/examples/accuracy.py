"""An example trains to a test accuracy.

  accuracy.py EXAMPLE.plan --at-least 0.96 --work DIR [--data DIR] [--ranks 1 2 3 4] [--layout NAME]
"""

import argparse
import json
import pathlib
import sys

from layouts import MPIRUN, run


def accuracy(plan, ranks, work, data, layout):
    program, log = work / f"{plan.stem}_{ranks}", work / f"{plan.stem}_{ranks}.jsonl"
    where = ["--data", data] if data else []
    run("planc", plan, "--ranks", ranks, *(["--layout", layout] if layout else []), *where, "-o", program)
    run(MPIRUN, ranks, program, "--log", log, "--quiet", *where)
    evaluations = [entry for entry in map(json.loads, log.read_text().splitlines()) if "accuracy" in entry]
    return evaluations[-1]["accuracy"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("--at-least", type=float, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--data")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--layout", help="in place of the one that the example names")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    failed = False
    for ranks in options.ranks:
        reached = accuracy(options.plan, ranks, options.work, options.data, options.layout)
        failed |= reached < options.at_least
        print(f"{options.plan.stem} on {ranks} ranks: test accuracy {reached:.2%}, wanted {options.at_least:.0%}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
