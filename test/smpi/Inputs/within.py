"""within.py PERCENT RESULTS [KIND...]: what `planc simulate --format=json` predicts of every collective is within so many per
cent of what it simulates, and in all; of those KINDs it may be anything."""
import json
import sys

percent, path, kinds = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
with open(path) as file:
    results = json.load(file)
rows = [] if kinds else [("communication", results["communication"])]
rows += [
    (f"{row['kind']} of {row['tensor']} ({row['phase']})", row)
    for row in results["collectives"]
    if row["kind"] not in kinds and row["kind"] != "slice"
]
if not any(row["predicted"] > 0 for what, row in rows):
    sys.exit("nothing is communicated")
if results["communication"]["simulated"] <= 0 or results["step"]["simulated"] <= 0:
    sys.exit("nothing was simulated")
for what, row in rows:
    off = 100 * abs(row["predicted"] / row["simulated"] - 1)
    if off > percent:
        sys.exit(f"{what}: {row['predicted']} predicted, {row['simulated']} simulated, off by {off:.1f} %")
