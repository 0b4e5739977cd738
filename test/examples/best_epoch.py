"""A run that keeps the best epoch ends with its weights, under every layout and after --resume, and its patience ends it.

  best_epoch.py FOLDER     FOLDER holds the case `directed` of small_graphs.py
"""

import json
import pathlib
import shutil
import subprocess
import sys

from layouts import MPIRUN, run

PATIENCE = 6


def give_labels(file):
    """Labels of which the bias learns something: validation has the class that trains most. Vertices without one keep it."""
    head, *rows = file.read_text().splitlines()
    for i, row in enumerate(rows):
        label, others = row.split(",", 1)
        rows[i] = f"{label if label == '-1' else 1 if i % 8 == 0 else 0},{others}"
    file.write_text("\n".join([head, *rows]) + "\n")


def write(folder, name, keep, layouts=""):
    plan = folder / f"{name}.plan"
    text = (folder / "directed.plan").read_text()
    plan.write_text(text.replace("epochs    = 20\n", f"epochs    = 60\n    {keep}\n") + layouts)
    return plan


def build(folder, name, ranks, layout, keep):
    plan = write(folder, name, keep)
    run("planc", plan, "--ranks", str(ranks), "--layout", layout, "-o", folder / name)
    return [MPIRUN, str(ranks), folder / name, "--quiet"]


def check_estimate(folder):
    """The stages of a pipeline count their copies of the best weights (the network has no other variables to copy)."""
    parameters = []
    for keep in "", "keep = best(loss)":
        plan = write(folder, "staged", keep, "\nlayout staged on [stage: 2] { pipeline -> stage }\n")
        cost = json.loads(run("planc", "cost", plan, "--layout", "staged", "--format=json"))
        parameters.append(cost["memory"]["parameters"])
    demand(0 < 2 * parameters[0] == parameters[1], f"without and with the best weights: {parameters} bytes")


def entries(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def weights(file):
    """The tensors by name, and the metadata."""
    data = file.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    numbers = memoryview(data[8 + length :])
    return {name: numbers[slice(*tensor["data_offsets"])].cast("f").tolist() for name, tensor in header.items()}, metadata


def demand(holds, what):
    if not holds:
        sys.exit(what)


def same(one, other):
    return one.keys() == other.keys() and all(
        abs(a - b) < 1e-5 for name in one for a, b in zip(one[name], other[name], strict=True))


def expected_best(log, by_accuracy):
    validated = [entry for entry in log if "epoch" in entry and "validation_loss" in entry]
    return min(validated, key=lambda e: (-e["validation_accuracy"] if by_accuracy else 0, e["validation_loss"], e["epoch"]))


def check_end(log, by_accuracy):
    """The last line is the evaluation of the best epoch. Returns its number."""
    best, last = expected_best(log, by_accuracy), log[-1]
    demand(last.get("best_epoch") == best["epoch"], f"the best epoch is {best['epoch']}, the run says {last}")
    for key in best.keys() - {"epoch", "seconds"}:
        demand(abs(last[key] - best[key]) < 1e-9, f"{key} of epoch {best['epoch']} was {best[key]}, at the end {last[key]}")
    return best["epoch"]


def refuse(program, resumed, line):
    command = [*map(str, program), *(["--resume", resumed] if resumed else [])]
    result = subprocess.run(command, capture_output=True, text=True)
    demand(result.returncode == 1 and line in result.stderr, f"instead of '{line}': {result.returncode} {result.stderr}")


def main():
    folder = pathlib.Path(sys.argv[1])
    give_labels(folder / "vertices.csv")
    by_loss = f"keep = best(loss); patience = {PATIENCE}"
    one = build(folder, "one", 1, "one_d", by_loss)
    run(*one, "--log", folder / "one.jsonl", "--save", folder / "one.st", "--comm-report", folder / "one.json")
    log = entries(folder / "one.jsonl")
    best = check_end(log, by_accuracy=False)
    steps = max(entry.get("step", 0) for entry in log)
    demand(3 < best and steps == best + PATIENCE < 60, f"epoch {best} is the best one, and the run ends after {steps} steps")
    kept, _ = weights(folder / "one.st")

    # As many steps as that, without keeping: the same weights.
    plain = build(folder, "plain", 1, "one_d", "")
    run(*plain, "--epochs", str(best), "--save", folder / "plain.st")
    demand(same(kept, weights(folder / "plain.st")[0]), "the weights are not those after the best epoch")

    # Another layout, on other ranks, from a checkpoint behind the best epoch.
    for name, ranks, layout in (("four", 4, "one_and_a_half_d"), ("three", 3, "features"), ("parts", 2, "two_d")):
        other = build(folder, name, ranks, layout, by_loss)
        shutil.rmtree(folder / "kept", ignore_errors=True)
        run(*one, "--epochs", str(best + 2), "--checkpoint", folder / "kept", "--keep", "100")
        state = max((folder / "kept").glob("*.safetensors"))
        stored, metadata = weights(state)
        demand(metadata["planc.best_epoch"] == str(best), f"the checkpoint says {metadata}")
        demand(all(stored[f"{weight}.best"] != stored[weight] for weight in kept), "the checkpoint has one value of a weight")
        run(*other, "--checkpoint", folder / "kept", "--keep", "100", "--resume", "--log", folder / f"{name}.jsonl", "--save", folder / f"{name}.st",
            "--comm-report", folder / f"{name}.json")
        demand(entries(folder / f"{name}.jsonl")[-1]["best_epoch"] == best, f"{name}: another epoch is the best one")
        demand(same(kept, weights(folder / f"{name}.st")[0]), f"{name}: other weights")
        run(*other, "--checkpoint", folder / "kept", "--keep", "100", "--resume", "--log", folder / f"{name}.jsonl")  # nothing is left to do
        demand(entries(folder / f"{name}.jsonl")[-1]["best_epoch"] == best, f"{name}: another epoch is the best one at last")
        run(*other, "--init", state, "--save-init", folder / "from.st", "--steps", "1")
        demand(same(kept, weights(folder / "from.st")[0]), f"{name}: --init takes other weights")

    refuse(plain, folder / "kept", "that keeps the best epoch: it has ")
    shutil.rmtree(folder / "kept")
    run(*plain, "--epochs", "2", "--checkpoint", folder / "kept")
    refuse(one, folder / "kept", "that does not keep the best epoch: it has no ")
    vertices = folder / "vertices.csv"
    vertices.write_text(vertices.read_text().replace("validation", "none"))
    refuse(one, None, "data small: nothing is to validate, so no epoch is the best one (keep)")
    vertices.write_text(vertices.read_text().replace(",test", ",validation"))

    check_estimate(folder)
    by_accuracy = build(folder, "accuracy", 2, "one_d", "keep = best(accuracy)")
    run(*by_accuracy, "--log", folder / "accuracy.jsonl")
    check_end(entries(folder / "accuracy.jsonl"), by_accuracy=True)


if __name__ == "__main__":
    main()
