"""compare_losses.py BOUND LOG LOG: checks that both logs have the same losses, up to a relative difference of
BOUND, and one loss for each step."""
import json
import sys


def losses(path):
    return [entry["loss"] for entry in map(json.loads, open(path)) if "loss" in entry]


bound, (first, second) = float(sys.argv[1]), map(losses, sys.argv[2:])
if not first or len(first) != len(second):
    sys.exit(f"{len(first)} and {len(second)} losses")
for one, other in zip(first, second):
    if abs(one - other) > bound * abs(other):
        sys.exit(f"{one} and {other} are {abs(one - other) / abs(other):.1e} apart")
