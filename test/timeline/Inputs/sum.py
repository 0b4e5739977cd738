"""sum.py PLANC RANKS MACHINE PERCENT FILE.plan…: without overlap, a schedule takes as long as `planc cost` says, within
some per cent.

They differ only by what the price estimates: which loops the schedule fuses, and what it computes once.
"""

import re
import subprocess
import sys

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def seconds(number: str, unit: str) -> float:
    return float(number) * UNITS[unit]


def main() -> int:
    planc, ranks, machine, percent, *files = sys.argv[1:]
    wrong = 0
    for file in files:
        command = [planc, "timeline", file, "--ranks", ranks, "--machine", machine]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = re.search(r"without overlap (\S+) (\w+); planc cost: (\S+) (\w+)", text)
        assert found, text
        scheduled = seconds(found[1], found[2])
        price = seconds(found[3], found[4])
        if abs(price / scheduled - 1) > float(percent) / 100:
            print(f"{file}: scheduled {scheduled:.3g} s, priced {price:.3g} s")
            wrong += 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
