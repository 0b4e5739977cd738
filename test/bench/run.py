#!/usr/bin/python3
"""wide_mlp against PyTorch in one run on this machine, one thread a rank.

  test/bench/run.py [--rounds 3] [--steps 30]

Measures in turn, so that a change of the machine's speed meets all alike, and prints the medians over the rounds:
the step time of one rank, of two ranks with layout `best` against DistributedDataParallel, and the share of the sgemm
rate that one rank reaches. Needs Debian's python3-torch and a built planc.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLANC = ROOT / "build/bin/planc"
WORK = ROOT / "build/bench"
SKIPPED = 5
# Products of a step on 128 samples: 2 operations each, three per weight but for the first layer's input gradient.
FLOPS = 2 * 128 * (2 * 784 * 4096 + 3 * 4096 * 4096 + 3 * 4096 * 10)


def environment():
    """OpenBLAS 0.3.21 takes new processors for old ones: PyTorch gets the kernels that planc's programs choose."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    core = "SkylakeX" if "avx512f" in flags else "Haswell"
    return {**os.environ, "OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def compile_program(ranks):
    program = WORK / f"wide_mlp_{ranks}"
    subprocess.run([PLANC, ROOT / "examples/wide_mlp.plan", "--ranks", str(ranks), "-o", program], check=True)
    return program


def planc_seconds(program, ranks, steps):
    log = WORK / "wide_mlp.jsonl"
    command = [ROOT / "scripts/mpirun", str(ranks), program, "--steps", str(steps), "--log", log, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return statistics.median([entry["seconds"] for entry in entries if "step" in entry][SKIPPED:])


def torch_seconds(ranks, steps):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = [
        subprocess.Popen(
            [sys.executable, HERE / "torch_wide_mlp.py", str(rank), str(ranks), str(port), str(steps)],
            env=environment(), stdout=subprocess.PIPE, text=True,
        )
        for rank in range(ranks)
    ]
    output = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise SystemExit("PyTorch's run failed")
    return float(output[0])


def sgemm_rate():
    command = [sys.executable, HERE / "sgemm_rate.py"]
    return float(subprocess.run(command, env=environment(), check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=30)
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: PyTorch is not installed (Debian: python3-torch)")
        return 77
    WORK.mkdir(parents=True, exist_ok=True)
    programs = {ranks: compile_program(ranks) for ranks in (1, 2)}

    measured = {"sgemm": [], "planc 1": [], "torch 1": [], "planc 2": [], "torch 2": []}
    for _ in range(options.rounds):
        measured["sgemm"].append(sgemm_rate())
        for ranks, program in programs.items():
            measured[f"planc {ranks}"].append(planc_seconds(program, ranks, options.steps))
            measured[f"torch {ranks}"].append(torch_seconds(ranks, options.steps))
    median = {name: statistics.median(values) for name, values in measured.items()}

    for ranks, peer in [(1, "PyTorch"), (2, "DistributedDataParallel")]:
        ours, theirs = median[f"planc {ranks}"], median[f"torch {ranks}"]
        print(f"{ranks} rank{'s' if ranks > 1 else ''}: planc {ours * 1e3:.1f} ms a step, {peer} {theirs * 1e3:.1f} ms, "
              f"ratio {ours / theirs:.2f}")
    reached = FLOPS / median["planc 1"] / 1e9
    print(f"1 rank reaches {reached:.0f} Gflop/s, {reached / median['sgemm']:.0%} of sgemm's {median['sgemm']:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
