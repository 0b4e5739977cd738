"""attention.py PLAN POSITIONS: how much less memory a block of GPT takes without the scores of its attention.

Compiles PLAN (test/bench/Inputs/attention.plan) with `fused = true` and `false`, runs two steps of each, and demands that
the measured high-water mark of memory is the predicted one to the byte, that the losses agree to 1e-5, and that at least
the scores are saved: 4 bytes for each sample, head, query and key, less the totals that are kept in their place.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def measure(text, name, dims):
    plan = pathlib.Path(f"{name}.plan")
    plan.write_text(text)
    run("planc", plan, "--ranks", 1, *dims, "--fast-compile", "-o", f"./{name}")
    predicted = json.loads(run("planc", "cost", plan, "--ranks", 1, *dims, "--format=json"))["arena_bytes"]
    run(ROOT / "scripts/mpirun", 1, f"./{name}", "--steps", 2, "--quiet", "--log", f"{name}.jsonl", "--comm-report", f"{name}.json")
    measured = json.loads(pathlib.Path(f"{name}.json").read_text())["memory"]["measured"][0]
    losses = [json.loads(line)["loss"] for line in pathlib.Path(f"{name}.jsonl").read_text().splitlines() if '"step"' in line]
    print(f"{name}: {measured} bytes measured, {predicted} predicted, losses {losses}")
    if measured != predicted:
        raise SystemExit("the measured memory is not the predicted one")
    return measured, losses


def main():
    text, positions = pathlib.Path(sys.argv[1]).read_text(), int(sys.argv[2])
    if text.count("fused = true") != 1:
        raise SystemExit("the plan does not say 'fused = true' once")
    extent = {name: int(re.search(rf"dim {name} *= (\d+)", text)[1]) for name in ("batch", "head")}
    dims = ["--dim", f"position={positions}"]
    fused, losses = measure(text, "fused", dims)
    plain, others = measure(text.replace("fused = true", "fused = false"), "plain", dims)
    if any(abs(a - b) > 1e-5 * abs(b) for a, b in zip(losses, others, strict=True)):
        raise SystemExit("the losses differ")
    queries = extent["batch"] * extent["head"] * positions
    if plain - fused < 4 * queries * (positions - 1):
        raise SystemExit(f"only {plain - fused} bytes less")


main()
