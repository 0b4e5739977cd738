"""Of the rows of x, a sparse product fetches those that are needed: of Cora split over 2, 4 and 8 ranks, known numbers.

  needed_rows.py PROGRAM_2 PROGRAM_4 PROGRAM_8 --data DIR --work DIR [metis]

Counted from the file by a few lines of Python that know nothing of planc: a rank's rows of the adjacency
have nonzeros in so many columns of other ranks, all ranks together. Blocks are cut at once, so the mesh has one axis.
"""
import json
import pathlib
import subprocess
import sys

ROWS = {2: 2218, 4: 4322, 8: 6062}
BY_METIS = {2: 290, 4: 520, 8: 880}  # at most, a tenth above what one version does
HIDDEN, CLASSES, FLOAT = 16, 7, 4

programs, data, work = sys.argv[1:4], sys.argv[5], pathlib.Path(sys.argv[7])
work.mkdir(parents=True, exist_ok=True)
mpirun = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "mpirun"
for program, (ranks, rows) in zip(programs, ROWS.items()):
    report = work / f"{ranks}.json"
    subprocess.run([mpirun, str(ranks), program, "--data", data, "--steps", "1", "--comm-report", report, "--quiet"], check=True)
    exchanges = [one for one in json.loads(report.read_text())["collectives"] if one["collective"] == "exchange" and one["tensor"] in ("h.project", "logits.project")]
    moved = {one["tensor"]: sum(rank["bytes"] for rank in one["measured"]) for one in exchanges if one["phase"] == "forward"}
    if sys.argv[8:] == ["metis"]:
        rows = moved["h.project"] // (HIDDEN * FLOAT)
        assert rows <= BY_METIS[ranks], (ranks, rows)
    assert moved == {"h.project": rows * HIDDEN * FLOAT, "logits.project": rows * CLASSES * FLOAT}, (ranks, moved)
