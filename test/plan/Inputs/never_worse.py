"""never_worse.py EXAMPLES MACHINES NAME...: of these examples, on 2 to 4,096 ranks of every machine, `planc explain` has no
plan of the literature beside its answer that is a candidate and faster. Times are sums without overlap; where another plan
than that of the least sum was chosen, because its step is shorter with overlap, none has a smaller sum than the least."""
import pathlib
import re
import subprocess
import sys

examples, machines, names = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
baseline = re.compile(r"^  (pure \w+|Megatron-style|one-weird-trick|batch x \w+) +(.*?) +(\d+\.\d\d) x")
cannot = re.compile(r"ranks do not make up the mesh|no plan fits the memory")
least_sum = re.compile(r"simulated with overlap: .*; that of the least sum, ([\d.]+) (s|ms|us|ns), takes ")
time_of = re.compile(r"([\d.]+) (s|ms|us|ns)$")
units = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
compared, planned, worse = 0, 0, []


def seconds(found):
    return float(found[1]) * units[found[2]]


for name in names:
    for machine in sorted(machines.glob("*.plan")):
        for ranks in (2, 8, 64, 512, 4096):
            run = subprocess.run(
                ["planc", "explain", examples / f"{name}.plan", "--layout", "best", "--ranks", str(ranks), "--machine",
                 f"std/machines/{machine.stem}.plan"], capture_output=True, text=True)
            where = f"{name} on {ranks} ranks of {machine.stem}"
            if run.returncode != 0:
                if not cannot.search(run.stderr):
                    worse.append(f"{where}: {run.stderr.strip()}")
                continue
            planned += 1
            for line in run.stdout.splitlines():
                found = baseline.match(line)
                if not found or "not a candidate" in line:
                    continue
                compared += 1
                ratio = float(found[3])
                if least := least_sum.search(run.stdout):
                    ratio = round(seconds(time_of.search(found[2])) / seconds(least), 2)
                if ratio < 1:
                    worse.append(f"{where}: {line.strip()}")
print("\n".join(worse) or f"never worse than {compared} plans of the literature in {planned} cases")
sys.exit(1 if worse else 0)
