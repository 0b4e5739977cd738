"""check_point.py SWEEP.csv COST.json column=value...: checks that one row of the sweep has the values
and the figures of the table."""
import csv
import json
import math
import sys

wanted = dict(word.split("=") for word in sys.argv[3:])
cost = json.load(open(sys.argv[2]))


def fits(row):
    return all(value in row[key] if key == "file" else row[key] == value or same(row[key], value)
               for key, value in wanted.items())


def same(text, value):
    try:
        return math.isclose(float(text), float(value))
    except ValueError:
        return False


rows = [row for row in csv.DictReader(open(sys.argv[1])) if fits(row)]
assert len(rows) == 1, rows
row = rows[0]
for key in ("seconds", "compute_seconds", "communication_seconds"):
    assert math.isclose(float(row[key]), cost[key], rel_tol=1e-12), (key, row[key], cost[key])
if "bytes" in cost:
    assert float(row["bytes"]) == cost["bytes"] and float(row["memory_bytes"]) == cost["memory_bytes"], row
step = row["seconds"]
if "overlap_seconds" in cost:
    step = row["overlap_seconds"]
    assert math.isclose(float(step), cost["overlap_seconds"], rel_tol=1e-12), (row, cost["overlap_seconds"])
else:
    assert not row["overlap_seconds"], row
assert math.isclose(float(row["samples_per_second"]) * float(step), float(row["samples"]), rel_tol=1e-9), row
