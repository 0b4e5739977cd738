"""total_within.py PERCENT RESULTS [SLOWER]: checks that the total communication that `planc simulate --format=json`
predicts is within PERCENT of the simulated one (of a pipeline, whose messages have no time of their own, the step), and
that the simulated step is shorter than that of the results SLOWER."""
import json
import sys

percent = float(sys.argv[1])
results, *slower = [json.load(open(path)) for path in sys.argv[2:]]
communication = results["communication"] if results["collectives"] else results["step"]
off = 100 * abs(communication["predicted"] / communication["simulated"] - 1)
if off > percent:
    sys.exit(f"{communication['predicted']} predicted, {communication['simulated']} simulated, off by {off:.1f} %")
for other in slower:
    if results["step"]["simulated"] >= other["step"]["simulated"]:
        sys.exit(f"{results['what']}: {results['step']}, {other['what']}: {other['step']}")
