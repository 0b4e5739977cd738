"""Reads a cost table and checks that its parts make up its totals."""
import json
import math
import sys

table = json.load(open(sys.argv[1]))
ranks = math.prod(table["mesh"].values())
assert ranks == table["ranks"], ranks

compute = sum(layer["compute_seconds"] for layer in table["layers"])
rows = [row for layer in table["layers"] for row in layer["collectives"]] + table["reshards"]
communication = sum(row["seconds"] for row in rows + table["buckets"])
assert math.isclose(compute + communication, table["seconds"], rel_tol=1e-9), (compute, communication)
assert math.isclose(compute, table["compute_seconds"], rel_tol=1e-9), compute
for layer in table["layers"]:
    seconds = layer["compute_seconds"] + sum(row["seconds"] for row in layer["collectives"])
    assert math.isclose(seconds, layer["seconds"], rel_tol=1e-9), layer["name"]
    assert layer["bytes"] == sum(row["bytes"] for row in layer["collectives"]), layer["name"]

# A row is that of its busiest rank; the total is the sum of the rank that is busiest overall.
assert table["bytes"] <= sum(row["bytes"] for row in rows)
assert table["memory_bytes"] == sum(table["memory"].values())
