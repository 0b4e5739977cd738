"""A program on a graph names what has changed since it was compiled, or is wrong, in one line of one rank.

  graph_failures.py FOLDER     FOLDER holds the case `directed` of small_graphs.py
"""

import pathlib
import re
import subprocess
import sys

from layouts import MPIRUN, run

CASES = [  # file, what is replaced by what, the line
    ("edges.csv", r"\Z", "0,12,1\n", r"edges\.csv: has 35 nonzeros, but the program was compiled for 34; compile it again"),
    ("edges.csv", r"\n\d+,\d+", "\n12,12", r"edges\.csv: has other edges than when the program was compiled; compile it again"),
    ("edges.csv", r"\n\d+,\d+", "\n0,13", r"edges\.csv:2: target 13 is outside: there are 13, counted from 0"),
    ("vertices.csv", r"[^\n]*\n\Z", "", r"vertices\.csv: has 12 vertices; declared are 13"),
    ("vertices.csv", r"\n\d", "\n7", r"vertices\.csv:2: column 0: expected a label from 0 to 2, got 7"),
    ("vertices.csv", r"\n\d", "\nabc", r"vertices\.csv:2: column 0: expected a number, got 'abc'"),
    ("vertices.csv", r"\n\d,train", "\n0", r"vertices\.csv:2: expected at least 13 columns, got 12"),
    ("vertices.csv", r"train", "none", r"data small: no vertex is to train on: the column of the split has 'train' or 0 there"),
]


def main():
    folder = pathlib.Path(sys.argv[1])
    run("planc", folder / "directed.plan", "--ranks", "2", "--layout", "one_d", "-o", folder / "program")
    failed = 0
    for name, old, new, line in CASES:
        file = folder / name
        right = file.read_text()
        file.write_text(re.sub(old, new, right, count=0 if old == "train" else 1))
        result = subprocess.run([MPIRUN, "2", folder / "program", "--quiet"], capture_output=True, text=True)
        file.write_text(right)
        errors = re.sub(r"\[warn\] Epoll .*\n", "", result.stderr)  # mpirun's own, when it ends ranks
        if result.returncode != 1 or not re.fullmatch(rf"planrt: (rank 0: )?\S*{line}\n", errors):
            failed += 1
            print(f"{name}: ended with {result.returncode}: {result.stderr}instead of {line}")
    run(MPIRUN, "2", folder / "program", "--quiet")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
