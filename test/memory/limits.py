"""limits.py FILE.plan RANKS COUNT [PLANC_OPTION …]: plans under COUNT limits on memory, evenly up to what the fastest plan
takes. One byte is refused with the bytes that are needed; from the first limit that is not refused on, each plan keeps
its limit, to the byte, and no larger limit gives a slower step. What was found under those that are refused is enough. Prints the seconds of processor time of each."""
import json
import pathlib
import re
import resource
import subprocess
import sys

DIGITS = 0.005  # of the bytes in a message
TOLERANCE = 0.02  # of a step: among plans of nearly the same price the choice is not exact
UNITS = {"bytes": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
refused = re.compile(r"no plan fits the memory: (a rank needs|the smallest one found takes) (?:about )?([\d.,]+) (\w+)")


def plan(command, limit=None):
    """The plan as JSON, or the bytes that are said and whether no plan takes less; and the seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run(command + (["--machine-set", f"memory={limit} B"] if limit else []), capture_output=True, text=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if run.returncode == 0:
        return json.loads(run.stdout), seconds
    found = refused.search(run.stderr)
    if not found:
        sys.exit(f"under {limit} bytes: {run.stderr.strip()}")
    return (float(found[2].replace(",", "")) * UNITS[found[3]], found[1] == "a rank needs"), seconds


def main():
    path, ranks, count, options = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    command = ["planc", "cost", path, "--ranks", ranks, "--format=json"] + options
    free, seconds = plan(command)
    most = free["arena_bytes"]
    print(f"{pathlib.Path(path).stem} on {ranks} ranks without a limit: {most} bytes, {seconds:.2f} s")
    answer, seconds = plan(command, 1)
    if isinstance(answer, dict) or answer[0] <= 1:
        sys.exit(f"1 byte is enough: {answer}")
    print(f"1 byte: refused in {seconds:.2f} s, {answer[0]:.0f} bytes are needed")
    most_needed, fitted, slowest, found = answer[0], 0, float("inf"), float("inf")
    for i in range(1, count + 1):
        limit = most * i // count
        answer, seconds = plan(command, limit)
        if not isinstance(answer, dict):
            said, is_bound = answer
            found = found if is_bound else min(said, found)
            print(f"{limit} bytes: refused in {seconds:.2f} s, {said:.0f} bytes are {'needed' if is_bound else 'found'}")
            if fitted or said < limit * (1 - DIGITS):
                sys.exit("although fewer bytes are enough")
            most_needed = max(most_needed, said if is_bound else 0)
            continue
        fitted += 1
        if answer["arena_bytes"] > limit:
            sys.exit(f"{limit} bytes are not kept: {answer['arena_bytes']}")
        if answer["arena_bytes"] < most_needed * (1 - DIGITS):
            sys.exit(f"{answer['arena_bytes']} bytes are enough, not {most_needed:.0f}")
        step = answer.get("overlap_seconds") or answer["seconds"]
        print(f"{limit} bytes: a step of {step:.6g} s takes {answer['arena_bytes']}, planned in {seconds:.2f} s")
        if step > slowest * (1 + TOLERANCE):
            sys.exit(f"slower than under a smaller limit, {slowest:.6g} s")
        slowest = min(slowest, step)
    if not fitted:
        sys.exit("what the fastest plan takes is not enough for it")
    if found < float("inf"):
        enough = int(found * (1 + 2 * DIGITS))
        answer, seconds = plan(command, enough)
        if not isinstance(answer, dict) or answer["arena_bytes"] > enough:
            sys.exit(f"{enough} bytes are not enough, but {found:.0f} were found")
        explained = ["planc", "explain", path, "--ranks", ranks, "--machine-set", f"memory={enough} B"] + options
        subprocess.run(explained, check=True, stdout=subprocess.DEVNULL)
        print(f"{enough} bytes: what was found is enough, planned in {seconds:.2f} s")


main()
