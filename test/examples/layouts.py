"""Every layout of an example trains like one rank does, and communicates what planc predicted.

  layouts.py EXAMPLE.plan --work DIR [--data DIR] [--ranks 2 3 4 6] [--layouts NAME …] [--spread N]

For each layout and number of ranks: compiles, runs 20 steps, compares the losses with those of one rank (1e-5 relative)
and demands that the communication report shows no difference. `--spread N` pairs each layout with one number of ranks only, the N-th
pairing: N = 0, 1, 2, 3 together are all combinations. Exit code 0 where all agree.
"""

import argparse
import json
import pathlib
import subprocess
import sys

STEPS = 20
TOLERANCE = 1e-5
MPIRUN = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "mpirun"


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")


def compile_plan(plan, layout, ranks, program):
    run("planc", plan, "--layout", layout, "--ranks", ranks, "-o", program)


def train(program, ranks, data):
    """Losses of the first steps; the program itself fails (exit code 3) where the communication is not as predicted."""
    log, report = f"{program}.jsonl", f"{program}.comm.json"
    where = ["--data", data] if data else []
    run(MPIRUN, ranks, program, "--steps", STEPS, "--log", log, "--comm-report", report, "--quiet", *where)
    if not json.loads(pathlib.Path(report).read_text()):
        raise RuntimeError(f"{report} is empty")
    entries = [json.loads(line) for line in pathlib.Path(log).read_text().splitlines()]
    losses = [entry["loss"] for entry in entries if "step" in entry]
    if len(losses) != STEPS:
        raise RuntimeError(f"{log}: {len(losses)} steps instead of {STEPS}")
    return losses


def largest_difference(losses, expected):
    return max(abs(a - b) / max(abs(b), 1e-30) for a, b in zip(losses, expected))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--data")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3, 4, 6])
    parser.add_argument("--layouts", nargs="+", default=["data_parallel", "model_parallel", "hybrid", "best"])
    parser.add_argument("--spread", type=int)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    name = options.plan.stem

    single = options.work / f"{name}_single"
    compile_plan(options.plan, options.layouts[0], 1, single)
    expected = train(single, 1, options.data)

    failed = 0
    for row, layout in enumerate(options.layouts):
        for column, ranks in enumerate(options.ranks):
            if options.spread is not None and (row + options.spread) % len(options.ranks) != column:
                continue
            program = options.work / f"{name}_{layout}_{ranks}"
            try:
                compile_plan(options.plan, layout, ranks, program)
                difference = largest_difference(train(program, ranks, options.data), expected)
            except RuntimeError as error:
                failed += 1
                print(f"{name} {layout} on {ranks} ranks: FAILED\n{error}")
                continue
            failed += difference > TOLERANCE
            verdict = "agrees" if difference <= TOLERANCE else "DIFFERS"
            print(f"{name} {layout} on {ranks} ranks: {verdict}, largest relative difference {difference:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
