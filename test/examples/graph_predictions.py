"""Predictions on a graph have the rows of its file, whatever the layout, the ranks and the order of the vertices.

  graph_predictions.py FOLDER CASE LABEL SPLIT LAYOUT:RANKS[:ORDER] …

FOLDER holds CASE.plan of small_graphs.py or many_graphs.py; LABEL and SPLIT are columns of the table that says the parts.
One rank trains; the loss of the test rows by its predictions and their labels must be the one that it reports. Others
must predict the same from its weights, also from files without labels and parts.
"""

import csv
import json
import math
import pathlib
import re
import shutil
import sys

from layouts import MPIRUN, in_order, run


def read(path):
    with open(path) as file:
        return [[float(word) for word in row] for row in csv.reader(file)]


def predictions(program, ranks, data, output):
    run(MPIRUN, ranks, program, "--init", data.parent / "w", "--predict", data, "--output", output, "--quiet")
    return read(output)


def loss_of_test(rows, table, label, split):
    losses = [math.log(sum(map(math.exp, row))) - row[int(words[label])]
              for row, words in zip(rows, table, strict=True) if words[split] == "test"]
    return sum(losses) / len(losses)


def without_labels(folder, table, label, split):
    copied = folder / "unlabelled"
    shutil.rmtree(copied, ignore_errors=True)
    copied.mkdir()
    for file in folder.iterdir():
        if file.suffix in (".csv", ".mtx"):
            shutil.copy(file, copied)
    lines = (copied / table).read_text().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    for row in rows:
        row[label] = "unknown"
        row[split] = ""
    (copied / table).write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n")
    return copied


def main():
    folder, case, label, split = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    plan, program, log = folder / f"{case}.plan", folder / "program", folder / "log.jsonl"
    table = re.search(r'= graph\("([a-z]*\.csv)"', plan.read_text())[1]
    run("planc", plan, "--ranks", 1, "--layout", "best", "-o", program)
    run(program, "--save", folder / "w", "--log", log, "--quiet")
    reported = json.loads(log.read_text().splitlines()[-1])["test_loss"]
    unlabelled = without_labels(folder, table, label, split)
    whole = predictions(program, 1, unlabelled, folder / "one.csv")
    found = loss_of_test(whole, list(csv.reader((folder / table).open()))[1:], label, split)
    if abs(found - reported) > 1e-5 * reported:
        raise SystemExit(f"a loss of {found} by the predictions, {reported} as reported")
    for what in sys.argv[5:]:
        layout, ranks, *order = what.split(":")
        run("planc", in_order(plan, *order, folder) if order else plan, "--data", folder, "--ranks", ranks, "--layout", layout, "-o", program)
        rows = predictions(program, ranks, unlabelled, folder / "rows.csv")
        for number, (right, got) in enumerate(zip(whole, rows, strict=True)):
            if any(abs(a - b) > 1e-5 * max(1, abs(a)) for a, b in zip(right, got, strict=True)):
                raise SystemExit(f"{what}: row {number} is {got}, of one rank {right}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
