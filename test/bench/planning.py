#!/usr/bin/env python3
"""How long planc plans: seconds of processor time, the median of some rounds. Run nothing else beside it.

  test/bench/planning.py [--planc build/bin/planc] [--rounds 3] [--networks DIR] [--only gpt]

gpt with 4 to 96 blocks on 4 and 512 ranks of `local` and on 4,096 of `summit`, with pipelines and where the layout forbids
them; the networks of DIR on 4 ranks of `local` and 64 of `summit`; four convolutional networks on 512 ranks of `skylake`.
All are planned on a mesh of two axes. The times are those of `planc cost`, which also schedules the plan that was found.
"""

import argparse
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


def seconds(command):
    """Of processor time, or what planc says instead of a plan."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        return run.stderr.strip().splitlines()[-1]
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def deep_gpt(blocks):
    text = (ROOT / "examples/gpt.plan").read_text()
    for old, new in (("0..4 as block", f"0..{blocks} as block"), ("blocks = 4)", f"blocks = {blocks})")):
        assert text.count(old) == 1, f"gpt.plan has not one '{old}'"
        text = text.replace(old, new)
    return text


def written(directory, name, text):
    file = directory / f"{name}.plan"
    file.write_text(text)
    return file


def cases(directory, networks):
    """Name, file, layout, ranks, machine."""
    any_plan = written(directory, "any_plan", LAYOUT)
    no_pipelines = written(directory, "no_pipelines", LAYOUT + " { forbid pipeline }")
    for layout, which in ((any_plan, ""), (no_pipelines, ", no pipelines")):
        for ranks, machine in ((4, "local"), (512, "local"), (4096, "summit")):
            for blocks in (4, 12, 48, 96):
                file = written(directory, f"gpt{blocks}", deep_gpt(blocks))
                yield f"gpt of {blocks} blocks{which}", file, layout, ranks, machine
    for file in sorted(networks.glob("*.plan")) if networks else []:
        for ranks, machine in ((4, "local"), (64, "summit")):
            yield file.stem, file, any_plan, ranks, machine
    for network in ("alexnet", "vgg16", "resnet50", "inception_v3"):
        yield network, written(directory, network, CONVOLUTIONAL.format(network)), any_plan, 512, "skylake"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--planc", type=pathlib.Path, default=ROOT / "build/bin/planc")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--networks", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a regular expression for names")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        for name, file, layout, ranks, machine in cases(pathlib.Path(work), given.networks):
            if not re.search(given.only, name):
                continue
            command = [given.planc, "cost", file, "--layout", layout, "--ranks", str(ranks), "--machine",
                       f"std/machines/{machine}.plan"]
            rounds = [seconds(command) for _ in range(given.rounds)]
            refused = [each for each in rounds if isinstance(each, str)]
            result = refused[0] if refused else f"{statistics.median(rounds):6.2f} s"
            print(f"{name:28} {ranks:5} of {machine:8} {result}", flush=True)


main()
