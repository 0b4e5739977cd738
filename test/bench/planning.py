#!/usr/bin/env python3
"""How long planc plans: seconds of processor time, the median of some rounds, without running anything else beside it.

  test/bench/planning.py [--planc build/bin/planc] [--rounds 3] [--networks DIR] [--only gpt]

gpt with 4 to 96 blocks on 4 and 512 ranks of `local` and on 4,096 of `summit`, with and without pipelines, which a layout
may forbid; the networks of DIR on 4 ranks of `local` and 64 of `summit`; four convolutional networks on 512 ranks of
`skylake`. The times are those of `planc cost`, which also schedules the plan that was found.
"""

import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
AUTOMATIC = "layout best on grid = auto"
CONVOLUTIONAL = """import "std/networks/{0}.plan"
dim batch = 512
dim class = 1000
mesh grid = [rows, cols]
layout best on grid = auto
data noise = synthetic(seed = 1)
train {0} on noise {{
    loss      = cross_entropy({0}(image), label)
    optimizer = sgd(rate = 0.1, momentum = 0.9)
    steps     = 1
}}
"""


def seconds(command):
    """Of processor time, or what planc says instead of a plan."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return run.stderr.strip().splitlines()[-1]
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def deep_gpt(blocks, pipelines):
    text = (ROOT / "examples/gpt.plan").read_text()
    text = text.replace("0..4 as block", f"0..{blocks} as block").replace("blocks = 4)", f"blocks = {blocks})")
    return text if pipelines else text.replace(AUTOMATIC, AUTOMATIC + " { forbid pipeline }")


def cases(networks):
    """Name, text, options of planc."""
    for pipelines in (True, False):
        for ranks, machine in ((4, "local"), (512, "local"), (4096, "summit")):
            for blocks in (4, 12, 48, 96):
                name = f"gpt of {blocks} blocks" + ("" if pipelines else ", no pipelines")
                yield name, deep_gpt(blocks, pipelines), ranks, machine
    for path in sorted(networks.glob("*.plan")) if networks else []:
        for ranks, machine in ((4, "local"), (64, "summit")):
            yield path.stem, path.read_text(), ranks, machine
    for network in ("alexnet", "vgg16", "resnet50", "inception_v3"):
        yield network, CONVOLUTIONAL.format(network), 512, "skylake"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--networks", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a regular expression for names")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        file = pathlib.Path(work) / "network.plan"
        for name, text, ranks, machine in cases(given.networks):
            if not re.search(given.only, name):
                continue
            file.write_text(text)
            command = [given.planc, "cost", file, "--layout", "best", "--ranks", str(ranks), "--machine",
                       f"std/machines/{machine}.plan"]
            rounds = [seconds(command) for _ in range(given.rounds)]
            refused = [each for each in rounds if isinstance(each, str)]
            result = refused[0] if refused else f"{statistics.median(rounds):6.2f} s"
            print(f"{name:28} {ranks:5} of {machine:8} {result}", flush=True)


main()
