"""Every synchronous pipeline schedule trains an example like one rank does, and every schedule communicates what planc
predicts.

  networks.py EXAMPLE.plan --work DIR [--data DIR] [--depths 2 4] [--inside "head -> cols"] [--microbatches 8]
              [--cols "[1, 3]"] [--schedules NAME …] [--clip-norm 1] [--cut-everywhere N]

Writes a copy of the example with a layout for each schedule and depth, in which the other axis of the mesh, if `--inside`
names a rule, splits the layers of each stage over two ranks, or over as many as `--cols` says, for all stages or for each.
test/examples/layouts.py then checks each of them: losses to 1e-5 over 20 steps, bytes and messages of `planc cost` exactly,
memory. Schedules that change the weights within the step have losses of their own. `--inside` may name several rules:
"batch -> cols; store params -> cols". `--clip-norm` gives the optimizer one. Chimera takes even depths only. With
`--cut-everywhere N` there are two stages and N layouts for each schedule (of those with a stage on each rank), cut before N
layers, evenly apart, the last one among them; before every layer if N is 0. Exit code 0 where all agree.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

LAYOUTS = pathlib.Path(__file__).resolve().parents[2] / "examples/layouts.py"
SCHEDULES = ["gpipe", "one_f_one_b", "interleaved", "zero_bubble", "zb_v", "chimera"]
CHANGING = {"pipedream", "pipedream_2bw"}  # the weights, within the step


def layout(name, schedule, depth, options, cut=None):
    axes = f"stage: {depth}" + (f", cols: {options.cols}" if options.inside else "")
    chunks = "; chunks = 2" if schedule == "interleaved" else ""
    cut = f"; cut before {cut}" if cut else ""
    return (f"layout {name} on [{axes}] {{ {options.inside}{'; ' if options.inside else ''}"
            f"pipeline -> stage {{ schedule = {schedule}{chunks}; microbatches = {options.microbatches}{cut} }} }}\n")


def places_of_cuts(plan, count):
    """So many layers, the last one among them; all but the first if the count is 0 or too large. A path that others continue
    is left out: `cut before` it means the first of them."""
    table = subprocess.run(["planc", "cost", plan, "--summary", "--format=csv"], capture_output=True, text=True, check=True).stdout
    layers = [line.split(",")[0] for line in table.splitlines()[1:]]
    layers = [layer for layer in layers[1:] if not any(other.startswith(layer + ".") for other in layers)]
    count = min(count or len(layers), len(layers))
    return [layers[(i + 1) * len(layers) // count - 1] for i in range(count)]


def clipped(text, clip_norm):
    """The example with a norm of all gradients."""
    if clip_norm is None:
        return text
    text, count = re.subn(r"(optimizer\s*=\s*\w+\()", rf"\1clip_norm = {clip_norm}, ", text)
    if count == 0:
        sys.exit("the example has no optimizer")
    return text


def check(copy, names, ranks, options):
    """Exit codes of the layouts that compute what one rank does, and of the others."""
    command = [sys.executable, LAYOUTS, copy, "--work", options.work, "--ranks", str(ranks),
               "--data", options.data or options.plan.resolve().parent]
    same = [name for name, schedule in names.items() if schedule not in CHANGING]
    other = [name for name in names if name not in same]
    calls = [[*command, "--layouts", "data_parallel", *same]]
    if other:
        calls.append([*command, "--other-losses", "--layouts", "data_parallel", *other])
    return [subprocess.run(call, check=False).returncode for call in calls]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--data")
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--inside", default="")
    parser.add_argument("--cols", default="2")
    parser.add_argument("--microbatches", type=int, default=8)
    parser.add_argument("--schedules", nargs="+", default=SCHEDULES)
    parser.add_argument("--clip-norm", type=float)
    parser.add_argument("--cut-everywhere", type=int, choices=range(1000), metavar="N")
    options = parser.parse_args()
    if options.cut_everywhere is not None:
        options.schedules = [name for name in options.schedules if name not in {"interleaved", "zb_v", "chimera"}]
    options.work.mkdir(parents=True, exist_ok=True)
    copy = options.work / options.plan.name
    text = clipped(options.plan.read_text(), options.clip_norm)
    failed = False
    cuts = [None] if options.cut_everywhere is None else places_of_cuts(options.plan, options.cut_everywhere)
    for depth in options.depths if cuts == [None] else [2]:
        names = {f"{schedule}_{depth}": schedule for schedule in options.schedules
                 if schedule != "chimera" or depth % 2 == 0}
        of_cuts = {f"{name}_{number}": (schedule, cut) for name, schedule in names.items() for number, cut in enumerate(cuts)}
        copy.write_text(text + "".join(layout(name, schedule, depth, options, cut) for name, (schedule, cut) in of_cuts.items()))
        names = {name: schedule for name, (schedule, _) in of_cuts.items()}
        cols = json.loads(options.cols) if options.inside else 1
        ranks = sum(cols) if isinstance(cols, list) else depth * cols
        failed = any(check(copy, names, ranks, options)) or failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
