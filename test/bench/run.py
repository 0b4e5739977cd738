#!/usr/bin/python3
"""Compares planc's programs with PyTorch in one run on this machine, with one thread a rank.

  test/bench/run.py [--networks wide_mlp gpt …] [--rounds 3] [--steps 30] [--planc build/bin/planc]

Measures in turn, so that a change of the machine's speed meets all alike, and prints the medians over the rounds: the
step time of one rank against PyTorch, of two ranks under layout `best` against DistributedDataParallel (where there is a
goal for it), and for wide_mlp the share of the sgemm rate that forward and backward pass reach. Needs Debian's
python3-torch. README.md says what is compared with what.
"""

import argparse
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/bench"
SKIPPED = 5
PEERS = {1: "PyTorch", 2: "DistributedDataParallel"}
EXAMPLES = ["wide_mlp", "gpt"]  # their plans are in examples/, those of the others in Inputs/
CONVOLUTIONAL = ["lenet", "vgg11", "resnet18", "alexnet"]
# by network and ranks; what has none is not measured
GOALS = {("wide_mlp", 1): 0.85, ("wide_mlp", 2): 0.4, ("gpt", 1): 0.8, ("gpt", 2): 0.8, ("lenet", 1): 0.8,
         ("vgg11", 1): 0.8, ("resnet18", 1): 0.8, ("alexnet", 1): 0.8, ("alexnet", 2): 0.55, "sgemm": 0.8}
# Products of a step of wide_mlp on 128 samples: 2 operations each, three per weight but for the first layer's input
# gradient.
WIDE_MLP_FLOPS = 2 * 128 * (2 * 784 * 4096 + 3 * 4096 * 4096 + 3 * 4096 * 10)
PARTS = 4  # micro-batches of the program that measures wide_mlp without its update


def environment():
    """OpenBLAS 0.3.21 mistakes new processors for old ones, so PyTorch gets the kernels that planc's programs choose."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    core = "SkylakeX" if "avx512f" in flags else "Haswell"
    return {**os.environ, "OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def compile_program(planc, plan, ranks):
    program = WORK / f"{plan.stem}_{ranks}"
    subprocess.run([planc, plan, "--layout", "best", "--ranks", str(ranks), "-o", program], check=True)
    return program


def wide_mlp_in_parts():
    """wide_mlp.plan with PARTS times the samples in as many micro-batches, each as large as the whole was."""
    text = (ROOT / "examples/wide_mlp.plan").read_text()
    text, batches = re.subn(r"dim batch( *)= 128", rf"dim batch\1= {PARTS * 128}", text)
    text, layouts = re.subn(r"layout best on grid = auto", rf"\g<0> {{ microbatches = {PARTS} }}", text)
    if (batches, layouts) != (1, 1):
        raise SystemExit("wide_mlp.plan is not as run.py knows it")
    path = WORK / "wide_mlp_in_parts.plan"
    path.write_text(text)
    return path


def planc_seconds(program, ranks, steps):
    log = WORK / f"{program.name}.jsonl"
    command = [ROOT / "scripts/mpirun", str(ranks), program, "--steps", str(steps), "--log", log, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    return statistics.median([entry["seconds"] for entry in entries if "step" in entry][SKIPPED:])


def medians(take, rounds, steps):
    """By name the median seconds of a step, over rounds in which each of `take` measures once."""
    measured = {name: [] for name in take}
    for number in range(rounds):
        for name, measure in take.items():
            measured[name].append(measure(steps))
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    return {name: statistics.median(seconds) for name, seconds in measured.items()}


def torch_seconds(network, ranks, steps):
    """The seconds of a step; for networks on images, in the faster of PyTorch's two memory formats."""
    formats = [[], ["channels_last"]] if network in CONVOLUTIONAL else [[]]
    return min(torch_seconds_in(network, ranks, steps, form) for form in formats)


def torch_seconds_in(network, ranks, steps, form):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = [
        subprocess.Popen(
            [sys.executable, HERE / "torch_peer.py", network, str(rank), str(ranks), str(port), str(steps), *form],
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


def ranks_of(network):
    return [ranks for ranks in PEERS if (network, ranks) in GOALS]


def measurements(networks, planc):
    """{what: () -> number}, in the order in which a round takes them."""
    result = {"sgemm": lambda steps: sgemm_rate()}
    for network in networks:
        plan = (ROOT / "examples" if network in EXAMPLES else HERE / "Inputs") / f"{network}.plan"
        for ranks in ranks_of(network):
            program = compile_program(planc, plan, ranks)
            result[network, ranks, "planc"] = lambda steps, p=program, r=ranks: planc_seconds(p, r, steps)
            result[network, ranks, "peer"] = lambda steps, n=network, r=ranks: torch_seconds(n, r, steps)
    if "wide_mlp" in networks:
        program = compile_program(planc, wide_mlp_in_parts(), 1)
        result["parts"] = lambda steps: planc_seconds(program, 1, max(steps // PARTS, SKIPPED + 5))
    return result


def report(networks, median):
    print("\n| network | ranks | planc, ms a step | peer, ms a step | ratio | wanted |")
    print("| --- | --- | --- | --- | --- | --- |")
    for network in networks:
        for ranks in ranks_of(network):
            ours, theirs = median[network, ranks, "planc"], median[network, ranks, "peer"]
            print(f"| {network} | {ranks} | {ours * 1e3:.1f} | {PEERS[ranks]} {theirs * 1e3:.1f} | {ours / theirs:.2f} "
                  f"| ≤ {GOALS[network, ranks]} |")
    if "wide_mlp" not in networks:
        return
    whole, rate = median["wide_mlp", 1, "planc"], median["sgemm"]
    part = (median["parts"] - whole) / (PARTS - 1)  # one more micro-batch has all but the update
    print(f"\nwide_mlp on one rank: {whole * 1e3:.1f} ms a step, {part * 1e3:.1f} without its update; forward and backward "
          f"pass at {WIDE_MLP_FLOPS / part / 1e9:.0f} Gflop/s, {WIDE_MLP_FLOPS / part / 1e9 / rate:.0%} of sgemm's "
          f"{rate:.0f} (wanted ≥ {GOALS['sgemm']:.0%})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", choices=EXAMPLES + CONVOLUTIONAL, default=EXAMPLES + CONVOLUTIONAL)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    options = parser.parse_args()
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: PyTorch is not installed (Debian: python3-torch)")
        return 77
    WORK.mkdir(parents=True, exist_ok=True)

    take = measurements(options.networks, options.planc)
    measured = {what: [] for what in take}
    for number in range(options.rounds):
        for what, measure in take.items():
            measured[what].append(measure(options.steps))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    report(options.networks, {what: statistics.median(values) for what, values in measured.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
