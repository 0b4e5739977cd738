"""Of the rows of x, a sparse product fetches those that are needed: of Cora split over 2, 4 and 8 ranks, known numbers.

  needed_rows.py PROGRAM … --data DIR --work DIR [--metis | --touched | --covers]

Counted from the file by a few lines of Python that know nothing of planc: a rank's rows of the adjacency
have nonzeros in so many columns of other ranks, all ranks together. Blocks are cut at once, so the mesh has one axis.
The name of a program ends in the number of its ranks. --touched: the columns are split, so rows of the result are sent
to be summed; the adjacency is symmetric, so as many. --covers: as many rows of both kinds together as minimal covers
have, which were counted with another program for bipartite matching.
"""
import argparse
import json
import pathlib
import subprocess

ROWS = {2: 2218, 4: 4322, 8: 6062}
COVERS = {2: 1714, 4: 3360, 8: 4796}
BY_METIS = {2: 290, 4: 520, 8: 880}  # at most, a tenth above what one version does
HIDDEN, CLASSES, FLOAT = 16, 7, 4

arguments = argparse.ArgumentParser()
arguments.add_argument("programs", nargs="+", type=pathlib.Path)
arguments.add_argument("--data", required=True)
arguments.add_argument("--work", required=True, type=pathlib.Path)
arguments.add_argument("--metis", action="store_true")
arguments.add_argument("--touched", action="store_true")
arguments.add_argument("--covers", action="store_true")
options = arguments.parse_args()
options.work.mkdir(parents=True, exist_ok=True)
tensors = ("h", "logits") if options.touched else ("h.project", "logits.project")
mpirun = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "mpirun"
for program in options.programs:
    ranks = int(program.name[-1])
    rows = ROWS[ranks]
    report = options.work / f"{ranks}.json"
    subprocess.run([mpirun, str(ranks), program, "--data", options.data, "--steps", "1", "--comm-report", report, "--quiet"], check=True)
    collectives = json.loads(report.read_text())["collectives"]
    if options.covers:
        for layer, width in (("h", HIDDEN), ("logits", CLASSES)):
            for phase in ("forward", "input gradient"):
                moved = [one for one in collectives if (one["collective"], one["layer"], one["phase"]) == ("exchange", layer, phase)]
                assert {len(one["measured"]) for one in moved} <= {ranks} and len(moved) == 2, (layer, phase, moved)
                rows = sum(rank["bytes"] for one in moved for rank in one["measured"]) / (width * FLOAT)
                assert rows == COVERS[ranks], (ranks, layer, phase, rows)
        continue
    exchanges = [one for one in collectives if one["collective"] == "exchange" and one["tensor"] in tensors]
    moved = {one["tensor"]: sum(rank["bytes"] for rank in one["measured"]) for one in exchanges if one["phase"] == "forward"}
    if options.metis:
        rows = moved[tensors[0]] // (HIDDEN * FLOAT)
        assert rows <= BY_METIS[ranks], (ranks, rows)
    assert moved == {tensors[0]: rows * HIDDEN * FLOAT, tensors[1]: rows * CLASSES * FLOAT}, (ranks, moved)
