#!/usr/bin/env python3
"""How long planc plans: seconds of processor time, the median of some rounds. Run nothing else beside it.

  test/bench/planning.py [times|infeasible|extents|gaps] [--planc build/bin/planc] [--rounds 3] [--networks DIR] [--only gpt]

times        gpt with 4 to 96 blocks on 4 and 512 ranks of `local` and on 4,096 of `summit`, with pipelines and where the
             layout forbids them; the networks of DIR on 4 ranks of `local`, llama also with 8 GiB a rank, and on 64 of
             `summit`; four convolutional networks on 512 ranks of `skylake`
infeasible   all of these with 1 MiB of memory a rank: the bytes that are needed, or the plan that fits after all
extents      sizes far beyond what networks have, and a byte of memory; with the most memory that planc took
gaps         every example with a layout `best` and the networks of DIR on 4, 16 and 64 ranks, the convolutional ones on 4, 64 and
             512 of `skylake`: the gap that `planc verify` confirms, with the seconds of the search and of the verification

Networks are planned on a mesh of two axes, examples by their layout `best`. The times of the first three are those of
`planc cost`, which also schedules the plan that was found.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared/data"
LAYOUT = "mesh grid = [rows, cols]\nlayout best on grid = auto"
CONVOLUTIONAL = """import "std/networks/{0}.plan"
dim batch = 512
dim class = 1000
data noise = synthetic(seed = 1)
train {0} on noise {{
    loss      = cross_entropy({0}(image), label)
    optimizer = sgd(rate = 0.1, momentum = 0.9)
    steps     = 1
}}
"""
CONVOLUTIONAL_NETWORKS = ("alexnet", "vgg16", "resnet50", "inception_v3")


class Run:
    """A command, with its seconds of processor time and the MiB that it took."""

    def __init__(self, command):
        with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as complained:
            process = subprocess.Popen([str(word) for word in command], stdout=said, stderr=complained)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            complained.seek(0)
            self.output, self.complaint = said.read(), complained.read().strip()
        self.failed = process.returncode != 0
        if process.returncode < 0:
            self.complaint = f"ended by signal {-process.returncode}"
        self.seconds, self.mebibytes = usage.ru_utime, usage.ru_maxrss / 1024


def replaced(text, *changes):
    for old, new in changes:
        assert text.count(old) == 1, f"there is not one '{old}'"
        text = text.replace(old, new)
    return text


def example(name):
    return (ROOT / f"examples/{name}.plan").read_text()


def deep_gpt(blocks):
    return replaced(example("gpt"), ("0..4 as block", f"0..{blocks} as block"), ("blocks = 4)", f"blocks = {blocks})"))


def written(directory, name, text):
    file = directory / f"{name}.plan"
    file.write_text(text)
    return file


def options(ranks, machine, *others):
    return ["--ranks", ranks, "--machine", f"std/machines/{machine}.plan", *others]


def timed(directory, networks):
    """Name, file and options."""
    any_plan = written(directory, "any_plan", LAYOUT)
    no_pipelines = written(directory, "no_pipelines", LAYOUT + " { forbid pipeline }")
    for layout, which in ((any_plan, ""), (no_pipelines, ", no pipelines")):
        for ranks, machine in ((4, "local"), (512, "local"), (4096, "summit")):
            for blocks in (4, 12, 48, 96):
                file = written(directory, f"gpt{blocks}", deep_gpt(blocks))
                yield f"gpt of {blocks} blocks{which}", file, options(ranks, machine, "--layout", layout)
    for file in networks:
        limits = [[], ["--machine-set", "memory=8 GiB"]] if file.stem == "llama" else [[]]
        for limit in limits:
            yield file.stem + (" in 8 GiB" if limit else ""), file, options(4, "local", "--layout", any_plan, *limit)
        yield file.stem, file, options(64, "summit", "--layout", any_plan)
    for network in CONVOLUTIONAL_NETWORKS:
        file = written(directory, network, CONVOLUTIONAL.format(network))
        yield network, file, options(512, "skylake", "--layout", any_plan)


def extended(directory, networks):
    best = ["--layout", "best"]
    alexnet = written(directory, "alexnet", CONVOLUTIONAL.format("alexnet") + LAYOUT)
    kernel = written(directory, "kernel", replaced(example("resnet_cifar"), ("[128, 2]", "[65537, 2]")))
    for batch in (2**16, 2**28):
        yield f"alexnet, batch {batch}", alexnet, options(512, "skylake", "--dim", f"batch={batch}", *best)
    yield "gpt, batch 2147483648", ROOT / "examples/gpt.plan", options(4, "local", "--dim", f"batch={2**31}", *best)
    yield "resnet_cifar, [65537, 2]", kernel, options(64, "local", *best)
    yield "lenet_mnist, 1 byte", ROOT / "examples/lenet_mnist.plan", options(4, "local", "--machine-set", "memory=1 B", *best)


def certified(directory, networks):
    trains = re.compile("^train ", re.M)
    for file in sorted((ROOT / "examples").glob("*.plan")):
        text = file.read_text()
        if not trains.search(text) or "layout best" not in text:
            continue
        graph = "= graph" in text
        for ranks in (4, 16) if graph else (4, 16, 64):
            yield file.stem, file, options(ranks, "local", "--layout", "best", *(["--data", DATA / "cora"] if graph else []))
    any_plan = written(directory, "any_plan", LAYOUT)
    for file in networks:
        for ranks in (4, 16, 64):
            yield file.stem, file, options(ranks, "local", "--layout", any_plan)
    for network in CONVOLUTIONAL_NETWORKS:
        file = written(directory, network, CONVOLUTIONAL.format(network))
        for ranks in (4, 64, 512):
            yield network, file, options(ranks, "skylake", "--layout", any_plan)


def last_line(run):
    return run.complaint.splitlines()[-1] if run.complaint else "failed"


def measure_times(planc, file, given, rounds):
    runs = [Run([planc, "cost", file, *given]) for _ in range(rounds)]
    seconds = statistics.median(run.seconds for run in runs)
    said = last_line(runs[0]) if runs[0].failed else ""
    return f"{seconds:6.2f} s {max(run.mebibytes for run in runs):6.0f} MiB  {said}"


def measure_gaps(planc, file, given, rounds):
    with tempfile.NamedTemporaryFile() as certificate:
        search = Run([planc, "plan", file, *given, "--certificate", certificate.name])
        if search.failed:
            return last_line(search)
        data = given[given.index("--data"):][:2] if "--data" in given else []
        verification = Run([planc, "verify", certificate.name, file, *data])
    bound = re.search(r"^lower bound .*", verification.output, re.M)
    gap = re.search(r"the optimality gap .*is (\S+) %", verification.output)  # not printed if it is 0
    said = f"gap {gap[1] if gap else 0} %" if bound else last_line(verification)
    return f"search {search.seconds:6.2f} s, verification {verification.seconds:6.2f} s: {said}"


WHAT = {"times": (timed, []), "infeasible": (timed, ["--machine-set", "memory=1 MiB"]), "extents": (extended, []),
        "gaps": (certified, [])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=WHAT, default="times")
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--networks", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a regular expression for names")
    given = parser.parse_args()
    networks = sorted(given.networks.glob("*.plan")) if given.networks else []
    cases, more = WHAT[given.what]
    measure = measure_gaps if given.what == "gaps" else measure_times
    with tempfile.TemporaryDirectory() as work:
        for name, file, settings in cases(pathlib.Path(work), networks):
            if not re.search(given.only, name) or (more and "8 GiB" in name):
                continue
            result = measure(given.planc, file, settings + more, given.rounds)
            print(f"{name:28} {settings[1]:5} of {pathlib.Path(settings[3]).stem:8} {result}", flush=True)


main()
