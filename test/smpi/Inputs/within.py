"""within.py PERCENT RESULTS [KIND...]: checks that the prediction of `planc simulate --format=json` is within PERCENT of
the simulation for every collective, and in total. Collectives of the KINDs are not checked."""
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
