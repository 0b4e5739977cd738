"""sum.py PLANC RANKS MACHINE PERCENT FILE.plan…: no simulated step is longer than the sum that `planc cost` prints; on one
rank, where nothing can overlap, it is the same, or shorter by some per cent at most.

Both price the same parts by the same function, but add them up in another order. A pipeline has no sum: its step is that of
its schedule, in which messages do not share links, and is within 5 %.
"""

import json
import subprocess
import sys

ROUNDING = 1e-9


def main() -> int:
    planc, ranks, machine, percent, *files = sys.argv[1:]
    if ranks != "1" and percent != "0":
        sys.exit("on several ranks a step may be as much shorter as it overlaps")
    least = 1 - float(percent) / 100 - ROUNDING if ranks == "1" else 0
    wrong = 0
    for file in files:
        command = [planc, "cost", file, "--ranks", ranks, "--machine", machine, "--format=json"]
        cost = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        step, total = cost["overlap_seconds"], cost["seconds"]
        below, most = (0.95, 1.05) if "pipeline" in cost else (least, 1 + ROUNDING)
        if not below * total <= step <= most * total:
            print(f"{file}, {ranks} ranks of {machine}: simulated {step:.9g} s, sum {total:.9g} s")
            wrong += 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
