"""A run on a graph resumes on other ranks, under another layout and in another order of the vertices with the losses of an
uninterrupted one; initial values are the same bytes.

  resumed_graph.py FOLDER CASE      FOLDER holds the case of small_graphs.py
"""

import json
import pathlib
import shutil
import sys

from layouts import MPIRUN, in_order, run


def results(path):
    """Losses by step, and what evaluations found by epoch."""
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    return ({entry["step"]: entry["loss"] for entry in entries if "step" in entry},
            {entry["epoch"]: [entry[name] for name in ("validation_loss", "test_loss", "accuracy")] for entry in entries if "step" not in entry})


def near(a, b):
    return abs(a - b) <= 1e-6 * abs(a)


def resume(folder, plan, name, layout, ranks, whole):
    kept, log, program = folder / f"kept_{name}", folder / f"{name}.jsonl", folder / name
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder / "kept", kept)
    log.unlink(missing_ok=True)
    run("planc", plan, "--data", folder, "--ranks", ranks, "--layout", layout, "-o", program)
    start = folder / f"{name}.safetensors"
    run(MPIRUN, ranks, program, "--data", folder, "--epochs", 1, "--quiet", "--save-init", start)
    if start.read_bytes() != (folder / "start.safetensors").read_bytes():
        raise SystemExit(f"{name}: other initial values")
    run(MPIRUN, ranks, program, "--data", folder, "--epochs", 4, "--quiet", "--log", log, "--checkpoint", kept, "--resume")
    losses, evaluations = results(log)
    if sorted(losses) != [3, 4] or not all(near(losses[step], whole[0][step]) for step in losses):
        raise SystemExit(f"{name}: losses {losses}, in one run: {whole[0]}")
    for epoch, found in evaluations.items():
        if not all(near(a, b) for a, b in zip(found, whole[1][epoch])):
            raise SystemExit(f"{name}: evaluated as {found}, in one run: {whole[1][epoch]}")


def main():
    folder, case = pathlib.Path(sys.argv[1]), sys.argv[2]
    plan, kept, log = folder / f"{case}.plan", folder / "kept", folder / "log.jsonl"
    shutil.rmtree(kept, ignore_errors=True)
    run("planc", plan, "--ranks", 3, "--layout", "one_d", "-o", folder / "one_d")
    run(MPIRUN, 3, folder / "one_d", "--epochs", 4, "--quiet", "--log", log, "--save-init", folder / "start.safetensors")
    run(MPIRUN, 3, folder / "one_d", "--epochs", 2, "--quiet", "--checkpoint", kept)
    for name, layout, ranks, order in (("other_layout", "one_and_a_half_d", 4, "file"), ("other_order", "one_d", 3, "random(4)"),
                                       ("both", "one_and_a_half_d", 4, "random(0)"), ("stored", "stored", 4, "random(4)")):
        resume(folder, in_order(plan, order, folder), name, layout, ranks, results(log))
    return 0


if __name__ == "__main__":
    sys.exit(main())
