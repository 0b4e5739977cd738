"""same_numbers.py A.csv B.csv --rows N: two tables of N rows have the same numbers, to 1e-9."""

import argparse
import csv
import sys

parser = argparse.ArgumentParser()
parser.add_argument("files", nargs=2)
parser.add_argument("--rows", type=int, required=True)
options = parser.parse_args()
first, second = ([[float(cell) for cell in row] for row in csv.reader(open(name))] for name in options.files)
if len(first) != options.rows or [len(row) for row in first] != [len(row) for row in second]:
    sys.exit(f"{len(first)} and {len(second)} rows, expected {options.rows}")
for number, (a, b) in enumerate(zip(first, second)):
    if any(abs(x - y) > 1e-9 * max(1, abs(x)) for x, y in zip(a, b)):
        sys.exit(f"row {number}: {a} and {b}")
