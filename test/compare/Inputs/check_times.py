"""Checks that the times of a report are consistent.

  check_times.py REPORT.json

Exit code 0 if every row has a number for each rank, none is below 0, the collectives are those of the report, and for
each rank the sums are no smaller than their largest row.
"""

import json
import pathlib
import sys


def main():
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    times = report["times"]
    sums = [times[name] for name in ("computation", "communication", "besides", "step")]
    rows = times["work"] + times["collectives"] + sums
    for row in rows:
        assert len(row["measured"]) == report["ranks"], row
        assert min(row["measured"]) >= 0 and row["predicted"] >= 0, row
    assert len(times["collectives"]) == len(report["collectives"])
    assert {row["part"] for row in times["work"]} == {"forward", "backward", "update"}
    predicted = sum(row["predicted"] for row in times["work"] + times["collectives"])
    assert abs(predicted / times["step"]["predicted"] - 1) < 1e-3
    assert len(times["machine"]["cores"]) == report["ranks"] and min(times["machine"]["cores"]) > 0
    for rank in range(report["ranks"]):
        largest = max(row["measured"][rank] for row in times["work"])
        assert times["computation"]["measured"][rank] >= 0.99 * largest
        assert times["step"]["measured"][rank] >= 0.99 * times["computation"]["measured"][rank]
    return 0


if __name__ == "__main__":
    sys.exit(main())
