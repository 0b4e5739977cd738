"""Checks that the same initial weights give PyTorch's losses: 10 steps, to 1e-4 relative (1e-9 in double precision).

  compare.py CASE … --work DIR [--layouts NAME … --meshes rows=2,cols=3 …] [--everywhere]

planc's program writes its initial weights with --save-init; PyTorch reads them and trains the same network on the same
data, with its own gradients and the optimizers of optimizers.py. The whole data set is one batch, so that the order of
the samples does not matter. Without --layouts and --meshes each case has a few of its own. The case `modern` stands for all
reduced networks of modern_cases.py. With --everywhere, each case runs on 1, 2, 3, 4 and 6 ranks, under data parallelism,
its own layout and the best one; planc's programs compare messages and bytes with what was predicted. Exit code 77, with a line that says so, where PyTorch is not installed.
"""

import argparse
import dataclasses
import pathlib
import sys

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed (Debian: python3-torch)")
    sys.exit(77)

import cases
import modern_cases
import optimizers
import planc_run

STEPS = 10
CASES = {**cases.CASES, **modern_cases.CASES}
MESHES = {2: "rows=1,cols=2", 3: "rows=1,cols=3", 4: "rows=2,cols=2", 6: "rows=2,cols=3"}
LAYOUTS = """
layout over_the_batch on grid { batch -> [rows, cols] }
layout found_by_planc on grid = auto
"""


def everywhere(case, work):
    """The case with two more layouts, and its runs."""
    plan = work / f"{case.name}_everywhere.plan"
    plan.write_text(case.plan_file(work).read_text() + LAYOUTS)
    runs = ["--ranks 1"]
    for ranks, mesh in MESHES.items():
        runs += [f"--mesh {mesh}", f"--mesh {mesh} --layout over_the_batch", f"--ranks {ranks} --layout found_by_planc"]
    return dataclasses.replace(case, plan=plan, optimizer="", double=False), [f"{run} --fast-compile" for run in runs]


def train(case, fields, initial):
    """Losses of STEPS steps in PyTorch, and the running statistics after them."""
    statistics = {name: tensor.clone() for name, tensor in initial.items() if name.endswith(case.statistics)}
    weights = {name: tensor.clone().requires_grad_() for name, tensor in initial.items() if name not in statistics}
    losses, state = [], {}
    for t in range(STEPS):
        loss = case.loss({**weights, **statistics}, fields)
        gradients = dict(zip(weights, torch.autograd.grad(loss, list(weights.values()))))
        with torch.no_grad():
            if case.clip_norm:
                optimizers.clip(gradients, case.clip_norm)
            case.update(weights, gradients, t, state)
        losses.append(loss.item())
    return losses, statistics


class Peer:
    """PyTorch's training of a case, repeated only if a run begins with other weights than the one before."""

    def __init__(self, case, fields):
        self.case, self.fields, self.initial, self.result = case, fields, {}, None

    def train(self, initial):
        same = self.initial.keys() == initial.keys() and all(torch.equal(initial[name], self.initial[name]) for name in initial)
        if not same:
            self.initial, self.result = initial, train(self.case, self.fields, initial)
        return self.result


def compare(case, peer, data, work, options):
    """Returns a line on one run of planc's program; raises SystemExit if the losses differ."""
    training = planc_run.Training(case.plan_file(work), work, STEPS, options, data)
    theirs, statistics = peer.train(planc_run.read_safetensors(torch, training.initial))
    final = planc_run.read_safetensors(torch, training.final)
    for name, expected in statistics.items():
        if not torch.allclose(final[name], expected, rtol=case.tolerance, atol=case.tolerance):
            raise SystemExit(f"FAILED: {name} is {final[name]} and not {expected}")
    difference = max(abs(a - b) / abs(b) for a, b in zip(training.losses, theirs))
    line = (f"{case.name}, {options}: loss {training.losses[0]:.6f} to {training.losses[-1]:.6f}, PyTorch "
            f"{theirs[0]:.6f} to {theirs[-1]:.6f}, largest relative difference {difference:.1e}")
    if not difference <= case.tolerance:
        raise SystemExit("FAILED: " + line)
    if abs(theirs[-1] - theirs[0]) < 10 * case.tolerance * abs(theirs[0]):
        raise SystemExit("FAILED: the loss hardly moves, which proves nothing: " + line)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", choices=[*CASES, "modern"], metavar="CASE")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--layouts", nargs="+")
    parser.add_argument("--meshes", nargs="+")
    parser.add_argument("--everywhere", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.work.mkdir(parents=True, exist_ok=True)
    failed = 0
    names = [name for given in options.cases for name in (modern_cases.CASES if given == "modern" else [given])]
    for name in names:
        case = CASES[name]
        fields, data = case.fields(options.work)
        peer, runs = Peer(case, fields), case.runs
        if options.layouts or options.meshes:
            runs = [" ".join([f"--mesh {mesh}", *([f"--layout {layout}"] if layout else [])])
                    for layout in options.layouts or [None] for mesh in options.meshes or ["rows=2,cols=2"]]
        if options.everywhere:
            case, runs = everywhere(case, options.work)
        for run in runs:
            try:
                print(compare(case, peer, data, options.work, run), flush=True)
            except SystemExit as error:
                failed += 1
                print(f"{name}, {run}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
