"""A program on a graph names what has changed since it was compiled, or is wrong, in one line of one rank.

  graph_failures.py FOLDER CASE LAYOUT     FOLDER holds CASE: `directed` of small_graphs.py, `pooled` of many_graphs.py
"""

import pathlib
import re
import subprocess
import sys

from layouts import MPIRUN, run

DIRECTED = [  # file, what is replaced by what, the line
    ("edges.csv", r"\Z", "0,12,1\n", r"edges\.csv: has 35 nonzeros, but the program was compiled for 34; compile it again"),
    ("edges.csv", r"\n\d+,\d+", "\n12,12", r"edges\.csv: has other edges than when the program was compiled; compile it again"),
    ("edges.csv", r"\n\d+,\d+", "\n0,13", r"edges\.csv:2: target 13 is outside: there are 13, counted from 0"),
    ("vertices.csv", r"[^\n]*\n\Z", "", r"vertices\.csv: has 12 rows; declared are 13"),
    ("vertices.csv", r"\n\d", "\n7", r"vertices\.csv:2: column 0: expected a label from 0 to 2, got 7"),
    ("vertices.csv", r"\n\d", "\nabc", r"vertices\.csv:2: column 0: expected a number, got 'abc'"),
    ("vertices.csv", r"\n\d,train", "\n0", r"vertices\.csv:2: expected at least 13 columns, got 12"),
    ("vertices.csv", r"train", "none", r"data small: nothing is to train on: the column of the split has 'train' or 0 there"),
]

POOLED = [
    ("vertices.csv", r"\nv0,0", "\nv0,10", r"vertices\.csv:2: column 1: 10 is outside: there are 10, counted from 0"),
    ("vertices.csv", r"\nv0,0", "\nv0,-1", r"vertices\.csv:2: column 1: -1 is outside: there are 10, counted from 0"),
    ("vertices.csv", r"\nv0,0", "\nv0,", r"vertices\.csv:2: column 1: expected a whole number, got ''"),
    ("vertices.csv", r"\nv0,0", "\nv0,1", r"vertices\.csv: has other edges than when the program was compiled; compile it again"),
    ("vertices.csv", r"[^\n]*\n\Z", "", r"vertices\.csv: has 42 rows; declared are 43"),
    ("vertices.csv", r"(\nv0,0),[^,]*", r"\1,x", r"vertices\.csv:2: column 2: expected a number, got 'x'"),
    ("graphs.csv", r"[^\n]*\n\Z", "", r"graphs\.csv: has 9 rows; declared are 10"),
    ("graphs.csv", r"\Z", "0,test,3\n", r"graphs\.csv: has 11 rows; declared are 10"),
    ("graphs.csv", r"\n\d", "\n7", r"graphs\.csv:2: column 0: expected a label from 0 to 2, got 7"),
    ("graphs.csv", r"train", "none", r"data tables: nothing is to train on: the column of the split has 'train' or 0 there"),
]


def main():
    folder, case, layout = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    run("planc", folder / f"{case}.plan", "--ranks", "2", "--layout", layout, "-o", folder / "program")
    failed = 0
    for name, old, new, line in {"directed": DIRECTED, "pooled": POOLED}[case]:
        file = folder / name
        right = file.read_text()
        file.write_text(re.sub(old, new, right, count=0 if old == "train" else 1))
        result = subprocess.run([MPIRUN, "2", folder / "program", "--quiet"], capture_output=True, text=True, timeout=30)
        file.write_text(right)
        said = re.sub(r"^\[warn\].*\n", "", result.stderr, flags=re.MULTILINE)  # by mpirun's own library
        if result.returncode != 1 or not re.fullmatch(rf"planrt: (rank 0: )?\S*{line}\n", said):
            failed += 1
            print(f"{name}: ended with {result.returncode}: {said}instead of {line}")
    run(MPIRUN, "2", folder / "program", "--quiet")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
