"""compare.py PLANC FILE [OPTION...]: compares the simulated step with the price of the same plan.

The simulated communication must be that of the price. If all ranks have equal blocks (--even), both are equal to nine
digits. If not, the simulated one is at most as large, because a rank's own blocks are no larger than those of the
busiest rank of each row. On a machine whose memory is infinitely fast, so that a step's computation consists of its
operations only, the computation must agree within one part in a hundred, which the schedule saves (equal numbers are
computed once) or adds.
"""
import json
import subprocess
import sys


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def main():
    arguments = sys.argv[1:]
    even = "--even" in arguments
    planc, *options = [each for each in arguments if each != "--even"]
    price = json.loads(run(planc, "cost", *options, "--format=json"))
    trace = json.loads(run(planc, "timeline", *options, "--format=chrome"))
    computing, communicating, end = {}, {}, 0
    for event in trace["traceEvents"]:
        if event["ph"] != "X":
            continue
        end = max(end, event["ts"] + event["dur"])
        kind = event["args"]["event"]
        lane = computing if kind == "kernel" else communicating
        if kind not in ("run", "wait"):
            lane[event["pid"]] = lane.get(event["pid"], 0) + event["args"].get("alone", event["dur"]) / 1e6
    expected = price["communication_seconds"]
    most = max(communicating.values(), default=0)
    if most > expected * (1 + 1e-9) or (even and most < expected * (1 - 1e-9)):
        sys.exit(f"{options}: {most} s of communication, the price says {expected}")
    expected = price["compute_seconds"]
    most = max(computing.values())
    if abs(most - expected) > 0.01 * expected:
        sys.exit(f"{options}: {most} s of computation, the price says {expected}")
    if abs(end / 1e6 - price["overlap_seconds"]) > 1e-9 * end / 1e6:
        sys.exit(f"{options}: the trace ends after {end / 1e6} s, planc cost says {price['overlap_seconds']}")


main()
