"""Checks that savings of memory change no loss, and save as much as predicted.

  savings.py VARIANT … --work DIR [--ranks 4] [--dim NAME=EXTENT …]

Compiles examples/gpt.plan under layout `plain`, data parallel, and under each variant of it, runs 10 steps and demands

- the losses of one rank, to 1e-5 relative;
- a communication report without difference;
- a measured high-water mark of memory, of the rank with the most, that equals the predicted one to the byte;
- the saving: stored parts at most 1/ranks of what they were, and 5%; else a smaller high-water mark than `plain`'s.
"""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAN = ROOT / "examples/gpt.plan"
STEPS, TOLERANCE, SLACK = 10, 1e-5, 0.05

# rules beside `batch -> [rows, cols]`, and the parts of memory that they store in shares
VARIANTS = {
    "plain": ("", []),
    "zero_1": ("store optimizer -> [rows, cols]", ["optimizer_state"]),
    "zero_2": ("store gradients -> [rows, cols]", ["optimizer_state", "gradients"]),
    "zero_3": ("store params -> [rows, cols]", ["optimizer_state", "gradients", "parameters"]),
    "parts_2": ("microbatches = 2", []),
    "parts_3": ("microbatches = 3", []),
    "again": ("recompute", []),
    "again_blocks": ("block* { recompute }", []),
    "all": ("store params -> [rows, cols]; microbatches = 2; recompute", ["optimizer_state", "parameters"]),
}


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


class Run:
    """Losses, predicted parts of memory and the measured memory by rank, of one variant."""

    def __init__(self, variant, ranks, dims, work):
        plan, program = work / f"{variant}.plan", work / f"{variant}_{ranks}"
        rules = f"layout {variant} on grid {{ batch -> [rows, cols]; {VARIANTS[variant][0]} }}\n"
        plan.write_text(PLAN.read_text() + "\n" + rules)
        options = ["--layout", variant, "--ranks", ranks, *(word for dim in dims for word in ("--dim", dim))]
        run("planc", plan, *options, "-o", program)
        cost = json.loads(run("planc", "cost", plan, *options, "--format=json"))
        self.parts, self.predicted = cost["memory"], cost["arena_bytes"]
        log, comm = f"{program}.jsonl", pathlib.Path(f"{program}.comm.json")
        run(ROOT / "scripts/mpirun", ranks, program, "--steps", STEPS, "--log", log, "--comm-report", comm,
            "--data", PLAN.parent, "--quiet")
        entries = [json.loads(line) for line in pathlib.Path(log).read_text().splitlines()]
        self.losses = [entry["loss"] for entry in entries if "step" in entry]
        report = json.loads(comm.read_text())
        self.measured, self.variables = report["memory"]["measured"], report["memory"]["variables"]


def complaints(variant, tried, plain, single, ranks):
    difference = max(abs(a - b) / abs(b) for a, b in zip(tried.losses, single.losses))
    if len(tried.losses) != STEPS or not difference <= TOLERANCE:
        yield f"losses differ from one rank's by {difference:.1e} relative"
    if max(tried.measured) != tried.predicted:
        yield f"measured {tried.measured} bytes where {tried.predicted} were predicted"
    most = (1 + SLACK) / ranks
    stored = VARIANTS[variant][1]
    for part in stored:
        if tried.parts[part] > most * plain.parts[part]:
            yield f"{part} take {tried.parts[part]} bytes of {plain.parts[part]}"
    if "parameters" in stored and max(tried.variables) > most * max(plain.variables):
        yield f"weights and optimizer state take {tried.variables} bytes of {max(plain.variables)}"
    if variant != "plain" and max(tried.measured) >= max(plain.measured):
        yield f"saves nothing: {max(tried.measured)} bytes, without it {max(plain.measured)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="+", choices=[*VARIANTS], metavar="VARIANT")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--dim", nargs="+", default=[])
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    single = Run("plain", 1, options.dim, options.work)
    plain = single if options.ranks == 1 else Run("plain", options.ranks, options.dim, options.work)
    failed = 0
    for variant in options.variants:
        try:
            tried = plain if variant == "plain" else Run(variant, options.ranks, options.dim, options.work)
            found = [*complaints(variant, tried, plain, single, options.ranks)]
        except SystemExit as error:
            found = [str(error)]
        failed += bool(found)
        if found:
            print(f"{variant} on {options.ranks} ranks: FAILED: " + "; ".join(found), flush=True)
        else:
            print(f"{variant} on {options.ranks} ranks: {max(tried.measured):,} bytes of {max(plain.measured):,}, of them "
                  f"weights and optimizer state {max(tried.variables):,} of {max(plain.variables):,}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
