"""same_losses.py WANTED.jsonl GOT.jsonl [--key test_loss] [--least N]

Checks that every value in GOT equals that of the same step (or epoch) in WANTED, to 1e-5 relative, and that there are at
least N values (1). Otherwise exits with code 1 and one line that names the value.
"""

import argparse
import json
import pathlib
import sys

TOLERANCE = 1e-5


def values(path, key):
    """The values by step, or those of evaluations by epoch."""
    entries = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    return {entry.get("step", entry.get("epoch")): entry[key] for entry in entries if key in entry and "best_epoch" not in entry}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wanted")
    parser.add_argument("got")
    parser.add_argument("--key", default="loss")
    parser.add_argument("--least", type=int, default=1)
    options = parser.parse_args()
    wanted, got = values(options.wanted, options.key), values(options.got, options.key)
    if len(got) < options.least:
        sys.exit(f"{options.got}: {len(got)} values of {options.key}, expected {options.least} at least")
    for number, value in got.items():
        if number not in wanted or abs(value - wanted[number]) > TOLERANCE * abs(wanted[number]):
            sys.exit(f"{options.key} {number}: {value}, expected {wanted.get(number)}")


if __name__ == "__main__":
    main()
