"""How the size of the emitted program grows with the number of equal layers.

  growth.py PLAN DIRECTORY LINES

Emits PLAN with 4, 8, 16 and 32 in place of its 8 layers. Exit code 0 if each further layer takes no more than LINES lines:
its rows in the tables. Functions and names of places are those of distinct layers.
"""

import pathlib
import subprocess
import sys


def lines(plan, directory, depth):
    text = pathlib.Path(plan).read_text()
    assert text.count("in 0..8 ") == 1
    path = pathlib.Path(directory) / f"deep{depth}.plan"
    path.write_text(text.replace("in 0..8 ", f"in 0..{depth} "))
    emitted = subprocess.run(["planc", path.name, "--ranks", "2", "--mesh", "rows=2,cols=1", "--emit=cpp"],
                             cwd=directory, check=True, capture_output=True, text=True)
    return emitted.stdout.count("\n")


def main():
    plan, directory, allowed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    depths = [4, 8, 16, 32]
    counts = [lines(plan, directory, depth) for depth in depths]
    print("lines:", dict(zip(depths, counts)))
    growth = [(after - before) / (deeper - depth)
              for depth, deeper, before, after in zip(depths, depths[1:], counts, counts[1:])]
    return 0 if max(growth) <= allowed else 1


if __name__ == "__main__":
    sys.exit(main())
