"""matrices.py PLANC MPIRUN WORK FILE RANKS LAYOUT [OPTION...]: the bytes of the blocks of sparse matrices that `planc cost` predicts are
those that the busiest rank of the program has."""
import json
import os
import subprocess
import sys

planc, mpirun, work, file, ranks, layout, *options = sys.argv[1:]
given = [file, "--ranks", ranks, "--layout", layout, *options]
cost = json.loads(subprocess.run([planc, "cost", *given, "--format=json"], check=True, capture_output=True).stdout)
program, report = os.path.join(work, "program"), os.path.join(work, "report.json")
os.makedirs(work, exist_ok=True)
subprocess.run([planc, *given, "-o", program], check=True)
subprocess.run([mpirun, ranks, program, "--quiet", "--steps", "1", "--comm-report", report, *options], check=True)
with open(report, encoding="utf-8") as read:
    measured = max(json.load(read)["memory"]["matrices"])
if cost["matrix_bytes"] != measured:
    sys.exit(f"{cost['matrix_bytes']} bytes predicted, {measured} measured")
