"""A run on a graph resumes on other ranks and under another layout with the losses of an uninterrupted one.

  resumed_graph.py FOLDER     FOLDER holds the case `directed` of small_graphs.py
"""

import json
import pathlib
import shutil
import sys

from layouts import MPIRUN, run


def losses(path):
    return {entry["step"]: entry["loss"] for entry in map(json.loads, path.read_text().splitlines()) if "step" in entry}


def main():
    folder = pathlib.Path(sys.argv[1])
    plan, kept, log, rest_log = (folder / name for name in ("directed.plan", "kept", "log.jsonl", "rest.jsonl"))
    shutil.rmtree(kept, ignore_errors=True)
    rest_log.unlink(missing_ok=True)
    for layout, ranks in (("one_d", 3), ("one_and_a_half_d", 4)):
        run("planc", plan, "--ranks", ranks, "--layout", layout, "-o", folder / layout)
    run(MPIRUN, 3, folder / "one_d", "--epochs", 4, "--quiet", "--log", log)
    whole = losses(log)
    run(MPIRUN, 3, folder / "one_d", "--epochs", 2, "--quiet", "--checkpoint", kept)
    run(MPIRUN, 4, folder / "one_and_a_half_d", "--epochs", 4, "--quiet", "--log", rest_log, "--checkpoint", kept,
        "--resume")
    rest = losses(rest_log)
    if sorted(rest) != [3, 4] or any(abs(rest[step] - whole[step]) > 1e-6 * whole[step] for step in rest):
        raise SystemExit(f"resumed: {rest}, in one run: {whole}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
