"""Reads a comparison as JSON: the differences that it lists make up that of its totals."""
import json
import math
import sys

diff = json.load(open(sys.argv[1]))
rows = [row for layer in diff["layers"] for row in layer["rows"]] + diff["reshards"] + diff["buckets"]
assert rows, "nothing differs"


def added(rows, key):
    return sum(row.get(f"{key}_b", 0) - row.get(f"{key}_a", 0) for row in rows)


step = next(row for row in diff["totals"] if row["what"] == "step")
assert math.isclose(step["seconds_a"], diff["a"]["seconds"]), step
assert math.isclose(step["seconds_b"], diff["b"]["seconds"]), step
assert math.isclose(added(rows, "seconds"), added([step], "seconds"), rel_tol=1e-9), (added(rows, "seconds"), step)
for layer in diff["layers"]:
    difference = layer.get("seconds_b", 0) - layer.get("seconds_a", 0)
    assert math.isclose(added(layer["rows"], "seconds"), difference, rel_tol=1e-9, abs_tol=1e-15), layer["name"]
*kinds, total = diff["memory"]
assert total["what"] == "memory" and added(kinds, "bytes") == added([total], "bytes"), diff["memory"]
for row in rows:
    assert any(row.get(f"{key}_a") != row.get(f"{key}_b") for key in ("seconds", "bytes", "axes")), row
