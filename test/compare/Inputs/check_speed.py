"""Checks that a report has the time of the known product, at calibration and on each rank.

  check_speed.py REPORT.json
"""

import json
import pathlib
import sys

report = json.loads(pathlib.Path(sys.argv[1]).read_text())
reference = report["times"]["reference"]
assert abs(reference["predicted"] / 512.1e-6 - 1) < 1e-6, reference
assert len(reference["measured"]) == report["ranks"] and min(reference["measured"]) > 0, reference
