"""Every layout of an example trains like one rank does, and communicates what planc predicted.

  layouts.py EXAMPLE.plan --work DIR [--data DIR] [--ranks 2 3 4 6] [--layouts NAME …] [--spread N] [--dim NAME=N …]
             [--f64] [--machine FILE] [--other-losses] [--orders ORDER …]

For each layout and number of ranks: compiles, runs 20 steps, and demands

- the losses of one rank, to 1e-5 relative, or to 1e-10 with `--f64`: a copy of the example in f64, for networks in which
  f32's rounding decides on which side of 0 a relu is, and which element of a window is the largest;
- a communication report without difference, whose busiest rank moved what `planc cost` says, to the byte and the call;
- of each rank a process as large as predicted: the arena, what oneDNN's primitives work in, and the samples that it keeps,
  within 10% and 40 MiB for the libraries and MPI;
- communication at all, under every layout that the user wrote: a program that computes everything on every rank has the
  right losses too. (`best` may choose that.)

`--other-losses`: the layouts compute something else than one rank does, as pipelines whose weights change within the step;
all but the losses is checked.

`--orders "random(3)" metis`: the vertices of the graph are in these orders, one after another in turn; the one rank has
them in the order of the file. With `--data` only.

`--spread N` pairs each layout with one number of ranks only, the N-th pairing: N = 0, 1, 2, 3 together are all
combinations. `hybrid` gets the most square mesh. Exit code 0 where all agree.
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

STEPS = 20
TOLERANCE = 1e-5
TOLERANCE_F64 = 1e-10
MEMORY_TOLERANCE = 0.1
LIBRARIES = 40 << 20  # bytes: code and tables of OpenBLAS, oneDNN and MPI
if "PLANC_SANITIZED" in os.environ:
    LIBRARIES += 200 << 20  # what the sanitizers remember of memory
ROOT = pathlib.Path(__file__).resolve().parents[2]
MPIRUN = ROOT / "scripts" / "mpirun"
STDLIB = ROOT / "stdlib"


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def plan_options(layout, ranks, dimensions, machine, data=None):
    other = (["--dim", ",".join(dimensions)] if dimensions else []) + (["--machine", machine] if machine else [])
    other += ["--data", data] if data else []
    if layout != "hybrid":
        return ["--layout", layout, "--ranks", ranks, *other]
    rows = max(divisor for divisor in range(1, math.isqrt(ranks) + 1) if ranks % divisor == 0)
    return ["--layout", layout, "--mesh", f"rows={rows},cols={ranks // rows}", *other]


def in_f64(plan, work):
    """A copy of the example and of the networks that it imports, with f64 in place of f32."""
    def copy(file, directory):
        text = file.read_text().replace("f32[", "f64[").replace(", f32]", ", f64]")
        for network in re.findall(r'import "std/networks/(.*)"', text):
            copy(STDLIB / "networks" / network, work / "networks")
        directory.mkdir(exist_ok=True)
        copied = directory / file.name
        copied.write_text(text.replace('import "std/networks/', 'import "' if directory != work else 'import "networks/'))
        return copied

    return copy(plan, work)


def in_order(plan, order, work):
    """A copy of the example whose vertices are in this order."""
    copied = work / f"{plan.stem}_{re.sub('[^a-z0-9]', '', order)}.plan"
    text, changed = re.subn(r"(= graph\(.*header = true)\)", rf"\1, order = {order})", plan.read_text())
    assert changed == 1
    copied.write_text(text)
    return copied


def compiler(layout):
    """`best` is compiled as a user does it, the others in half the time: compiling is most of what these tests take."""
    return [] if layout == "best" else ["--fast-compile"]


def predicted_traffic(plan, options):
    """(bytes, calls) that the busiest rank hands to MPI in a step."""
    cost = json.loads(run("planc", "cost", plan, *options, "--format=json"))
    return cost["bytes"], cost["messages"]


def measured_traffic(report):
    """(bytes, calls) in all steps of the busiest ranks, those with the most bytes, whose calls may differ."""
    sums = [(0, 0)] * report["ranks"]
    for row in report["collectives"]:
        for rank, entry in enumerate(row["measured"]):
            sums[rank] = (sums[rank][0] + entry["bytes"], sums[rank][1] + entry["calls"])
    return [each for each in sums if each[0] == max(sums)[0]]


def train(program, ranks, data):
    """Losses of the first steps and the communication report; the program fails (3) where that has a difference."""
    log, report = pathlib.Path(f"{program}.jsonl"), pathlib.Path(f"{program}.comm.json")
    where = ["--data", data] if data else []
    run(MPIRUN, ranks, program, "--steps", STEPS, "--log", log, "--comm-report", report, "--quiet", *where)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    losses = [entry["loss"] for entry in entries if "step" in entry]
    if len(losses) != STEPS:
        raise RuntimeError(f"{log}: {len(losses)} steps instead of {STEPS}")
    return losses, json.loads(report.read_text())


def check_memory(memory):
    if max(memory["measured"]) != memory["predicted"]:
        raise RuntimeError(f"the arena has {memory['measured']} bytes where planc says {memory['predicted']}")
    for rank, resident in enumerate(memory["resident"]):
        known = sum(memory[part][rank] for part in ("measured", "primitives", "data", "matrices"))
        if abs(resident - known) > MEMORY_TOLERANCE * known + LIBRARIES:
            raise RuntimeError(f"rank {rank} takes {resident:,} bytes, of which {known:,} are accounted for")


def check(plan, layout, ranks, options, tolerance, expected):
    """Returns a line with the result; raises RuntimeError if a check fails."""
    program = options.work / f"{plan.stem}_{layout}_{ranks}"
    how = plan_options(layout, ranks, options.dim, options.machine, options.data)
    run("planc", plan, *how, *compiler(layout), "-o", program)
    losses, report = train(program, ranks, options.data)
    difference = max(abs(a - b) / max(abs(b), 1e-30) for a, b in zip(losses, expected))
    if not options.other_losses and not difference <= tolerance:
        raise RuntimeError(f"losses differ from one rank's by {difference:.1e} relative")
    if report["steps"] != STEPS or report["ranks"] != ranks or not report["equal"]:
        raise RuntimeError(f"{program}.comm.json is not of {STEPS} equal steps on {ranks} ranks")
    check_memory(report["memory"])
    predicted = tuple(STEPS * amount for amount in predicted_traffic(plan, how))
    busiest = measured_traffic(report)
    if predicted not in busiest:
        raise RuntimeError(f"moved (bytes, calls) {busiest[0]} in {STEPS} steps where planc cost says {predicted}")
    measured = predicted
    if measured[0] == 0 and ranks > 1 and layout != "best":
        raise RuntimeError("nothing was communicated: every rank computes everything")
    by = sorted({row["algorithm"] for row in report["collectives"]} - {"mpi"})
    if by:
        return f"losses within {difference:.1e} by {', '.join(by)}"
    return f"losses within {difference:.1e}, {measured[0] // STEPS:,} bytes in {measured[1] // STEPS} calls a step"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--data")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3, 4, 6])
    parser.add_argument("--layouts", nargs="+", default=["data_parallel", "model_parallel", "hybrid", "best"])
    parser.add_argument("--spread", type=int)
    parser.add_argument("--dim", nargs="+", default=[])
    parser.add_argument("--f64", action="store_true")
    parser.add_argument("--machine")
    parser.add_argument("--other-losses", action="store_true")
    parser.add_argument("--orders", nargs="+", default=[])
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    tolerance = TOLERANCE_F64 if options.f64 else TOLERANCE
    if options.f64:
        options.plan = in_f64(options.plan, options.work)
    single = options.work / f"{options.plan.stem}_single"
    run("planc", options.plan, *plan_options(options.layouts[0], 1, options.dim, options.machine, options.data), "-o",
        single)
    expected, _ = train(single, 1, options.data)

    failed = 0
    plans = [in_order(options.plan, order, options.work) for order in options.orders] or [options.plan]
    turn = 0
    for row, layout in enumerate(options.layouts):
        for column, ranks in enumerate(options.ranks):
            if options.spread is not None and (row + options.spread) % len(options.ranks) != column:
                continue
            plan = plans[turn % len(plans)]
            turn += 1
            try:
                line = check(plan, layout, ranks, options, tolerance, expected)
            except RuntimeError as error:
                failed += 1
                line = f"FAILED: {error}"
            print(f"{plan.stem} {layout} on {ranks} ranks: {line}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
