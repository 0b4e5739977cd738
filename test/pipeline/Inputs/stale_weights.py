"""Checks pipelines whose weights change within the step against a serial reference of the stale-weight rule, in f64.

  stale_weights.py --work DIR [--cases NAME …] [--all]

`--all`: 2 to 4 stages with 1 to 2D + 1 micro-batches, under both schedules and two optimizers, besides.

The reference trains a perceptron by hand-written passes, one micro-batch after another. It keeps every version of every
stage's weights, and takes from them what the rule says (Narayanan et al., PipeDream, SOSP 2019, section 3.3: micro-batch t
on stage s of n works with version t - n + s; Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021, section 3.1:
group g works with version g - 1). Versions are counted from the beginning of a step.
"""

import argparse
import json
import pathlib
import random
import struct
import subprocess
import sys

import numpy

STEPS = 20
SAMPLES = 268
TOLERANCE = 1e-9

PLAN = """import "std/dense.plan"
dim batch = {batch}
network net(x: f64[batch, pixel: 6]) -> f64[batch, class: 5] {{
    h1 = tanh(dense(x, hidden: 12))
    h2 = tanh(dense(h1, hidden: 11))
    h3 = tanh(dense(h2, hidden: 10))
    logits = dense(h3, class: 5)
    return logits
}}
data samples = csv("samples.csv") {{
    split = column(0)
    x = columns(1..7)
    label = column(7)
}}
layout staged on [stage: {stages}{axes}] {{
    pipeline -> stage {{ schedule = {schedule}; microbatches = {microbatches}{accumulate}{cuts} }}
{rules}}}
train net on samples {{
    loss = cross_entropy(net(x), label)
    optimizer = {optimizer}
    steps = {steps}
    layout = staged
}}
"""

# The loss of step k is the square of the number of the k-th sample.
ORDER = """dim batch = 1
network same(x: f64[batch, one: 1]) -> f64[batch, one: 1] {
    param w: f64[one: 1] = ones
    y = x * w
    return y
}
data samples = csv("samples.csv") {
    split = column(0)
    x = columns(8..9)
    nothing = columns(9..10)
}
train same on samples {
    loss = mean_square_error(same(x), nothing)
    optimizer = sgd(rate = 1e-30)
    epochs = 8
}
"""

OPTIMIZERS = {
    "momentum": "sgd(rate = 0.05, momentum = 0.9)",
    "adam": "adam(rate = 0.02)",
    "cosine": "adamw(rate = cosine(0.03), weight_decay = 0.1)",
}

LAYERS = ["h1", "h2", "h3", "logits"]
CUTS = {1: [], 2: [2], 3: [1, 3], 4: [1, 2, 3]}


class Case:
    """`axes` and `rules`: what splits the stages besides."""

    def __init__(self, schedule, stages, microbatches, optimizer, batch=67, accumulate=0, axes="", rules=""):
        self.schedule, self.stages, self.microbatches = schedule, stages, microbatches
        self.optimizer, self.batch, self.accumulate, self.axes, self.rules = optimizer, batch, accumulate, axes, rules
        self.name = f"{schedule}_{stages}_{microbatches}_{optimizer}" + (f"_{accumulate}" if accumulate else "")
        self.name += ("" if batch == 67 else f"_of_{batch}") + ("_split" if axes else "")
        self.ranks = stages * (2 if axes else 1)

    def group(self):
        if self.schedule == "pipedream":
            return 1
        return self.accumulate or (self.microbatches + 1) // 2

    def text(self):
        cuts = CUTS[self.stages]
        return PLAN.format(
            batch=self.batch, stages=self.stages, axes=self.axes, schedule=self.schedule, microbatches=self.microbatches,
            accumulate=f"; accumulate = {self.accumulate}" if self.accumulate else "",
            cuts="; cut before " + ", ".join(LAYERS[cut] for cut in cuts) if cuts else "",
            rules=self.rules, optimizer=OPTIMIZERS[self.optimizer], steps=STEPS)


CASES = [
    Case("pipedream", 1, 5, "momentum"),
    Case("pipedream", 2, 1, "momentum"),
    Case("pipedream", 2, 5, "adam"),
    Case("pipedream", 3, 2, "adam"),
    Case("pipedream", 4, 8, "momentum"),
    Case("pipedream", 4, 9, "cosine"),
    Case("pipedream", 3, 6, "momentum", batch=66),
    Case("pipedream", 2, 4, "adam", batch=64, axes=", rows: 2", rules="    batch -> rows\n    store params -> rows\n"),
    Case("pipedream", 2, 8, "momentum", axes=", cols: 2", rules="    hidden -> cols\n"),
    Case("pipedream_2bw", 1, 3, "momentum", accumulate=1),
    Case("pipedream_2bw", 2, 5, "adam", accumulate=2),
    Case("pipedream_2bw", 3, 8, "momentum", accumulate=3),
    Case("pipedream_2bw", 4, 8, "adam"),
    Case("pipedream_2bw", 4, 9, "cosine", accumulate=3),
    Case("pipedream_2bw", 3, 8, "adam", batch=64, accumulate=2),
    Case("pipedream_2bw", 2, 7, "momentum", batch=64, accumulate=2, axes=", rows: 2", rules="    batch -> rows\n    store params -> rows\n"),
]


def all_cases():
    sizes = [(stages, count) for stages in (2, 3, 4) for count in range(1, 2 * stages + 2)]
    return CASES + [Case(schedule, stages, count, optimizer, accumulate=0 if schedule == "pipedream" else stages)
                    for stages, count in sizes for schedule in ("pipedream", "pipedream_2bw")
                    for optimizer in ("momentum", "adam")]


# --- the reference -------------------------------------------------------------------------------------------------


def optimize(kind, w, g, state, t, updates):
    """The next weights and state; `t` counts the updates before, of which each step has `updates`."""
    if kind == "momentum":
        v = 0.9 * state[0] + g
        return w - 0.05 * v, (v,)
    m, v = 0.9 * state[0] + 0.1 * g, 0.999 * state[1] + 0.001 * g * g
    direction = (m / (1 - 0.9 ** (t + 1))) / (numpy.sqrt(v / (1 - 0.999 ** (t + 1))) + 1e-8)
    if kind == "adam":
        return w - 0.02 * direction, (m, v)
    rate = 0.03 * (1 + numpy.cos(numpy.pi * min(t / updates / STEPS, 1))) / 2
    return w - rate * (direction + 0.1 * w), (m, v)


def passes(weights, x, labels):
    """The loss, summed over the samples, and its gradients. `weights`: by layer, w and b, each as the rule says."""
    values = [x]
    for layer in LAYERS:
        z = values[-1] @ weights[layer + ".w"] + weights[layer + ".b"]
        values.append(z if layer == "logits" else numpy.tanh(z))
    shifted = values[-1] - values[-1].max(axis=1, keepdims=True)
    logarithms = shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))
    loss = -logarithms[numpy.arange(len(x)), labels].sum()
    g = numpy.exp(logarithms)
    g[numpy.arange(len(x)), labels] -= 1
    gradients = {}
    for place in range(len(LAYERS) - 1, -1, -1):
        layer = LAYERS[place]
        gradients[layer + ".w"] = values[place].T @ g
        gradients[layer + ".b"] = g.sum(axis=0)
        if place > 0:
            g = (g @ weights[layer + ".w"].T) * (1 - values[place] ** 2)
    return loss, gradients


def version(case, stage, micro_batch):
    if case.schedule == "pipedream":
        return max(0, micro_batch - (case.stages - 1 - stage))
    return max(0, micro_batch // case.group() - 1)


def stage_of(case, name):
    place = LAYERS.index(name.split(".")[0])
    return sum(place >= cut for cut in CUTS[case.stages])


def parts_of(batch, count):
    """The larger parts first."""
    return [batch // count + (1 if i < batch % count else 0) for i in range(count)]


def reference(case, weights, batches):
    """The losses of all steps, and the weights after them."""
    state = {name: (numpy.zeros_like(w), numpy.zeros_like(w)) for name, w in weights.items()}
    sizes = parts_of(case.batch, case.microbatches)
    updates = -(-case.microbatches // case.group())
    losses, done = [], 0
    for x, labels in batches:
        versions = [weights]  # by version: all weights, though stages reach a version at different times
        total, first, gradients, samples = 0.0, 0, {}, 0
        for m, size in enumerate(sizes):
            stale = {name: versions[version(case, stage_of(case, name), m)][name] for name in weights}
            loss, own = passes(stale, x[first : first + size], labels[first : first + size])
            total, first, samples = total + loss, first + size, samples + size
            gradients = {name: gradients.get(name, 0) + g for name, g in own.items()}
            if (m + 1) % case.group() and m + 1 < len(sizes):
                continue
            following = {}
            for name, w in versions[-1].items():
                following[name], state[name] = optimize(case.optimizer, w, gradients[name] / samples, state[name], done, updates)
            versions.append(following)
            gradients, samples, done = {}, 0, done + 1
        losses.append(total / case.batch)
        weights = versions[-1]
    return losses, weights


# --- planc's program -----------------------------------------------------------------------------------------------


def run(*command, cwd):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}{result.stderr}")


def read_weights(path):
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    weights = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        weights[name] = numpy.frombuffer(content[8 + length + begin : 8 + length + end]).reshape(entry["shape"])
    return weights


def losses_of(log):
    return [entry["loss"] for entry in map(json.loads, log.read_text().splitlines()) if "step" in entry]


def write_samples(work):
    source = random.Random(3)
    rows = []
    for number in range(SAMPLES):
        x = [round(source.uniform(-1, 1), 6) for _ in range(6)]
        label = int(sum(value > 0 for value in x)) % 5
        rows.append((x, label))
    with open(work / "samples.csv", "w") as file:
        for number, (x, label) in enumerate(rows):
            print(0 if number < SAMPLES - 1 else 1, *x, label, number, 0, sep=",", file=file)
    return numpy.array([x for x, _ in rows]), numpy.array([label for _, label in rows])


def order_of_samples(work, mpirun):
    """By epoch, the numbers of the samples. It depends on the seed alone."""
    (work / "order.plan").write_text(ORDER)
    run("planc", "order.plan", "--ranks", 1, "-o", work / "order", cwd=work)
    run(mpirun, 1, work / "order", "--quiet", "--log", work / "order.jsonl", cwd=work)
    numbers = [round(loss**0.5) for loss in losses_of(work / "order.jsonl")]
    return [numbers[i : i + SAMPLES - 1] for i in range(0, len(numbers), SAMPLES - 1)]


def predicted_traffic(case, work):
    """(bytes, calls) that the busiest rank hands to MPI in all steps, as planc cost says."""
    cost = subprocess.run(["planc", "cost", f"{case.name}.plan", "--format=json"], capture_output=True, text=True, cwd=work)
    cost = json.loads(cost.stdout)
    return STEPS * cost["bytes"], STEPS * cost["messages"]


def measured_traffic(report):
    report = json.loads(report.read_text())
    sums = [(0, 0)] * report["ranks"]
    for row in report["collectives"]:
        for rank, entry in enumerate(row["measured"]):
            sums[rank] = (sums[rank][0] + entry["bytes"], sums[rank][1] + entry["calls"])
    return max(sums)


def check(case, samples, epochs, work, mpirun):
    (work / f"{case.name}.plan").write_text(case.text())
    program, log = work / case.name, work / f"{case.name}.jsonl"
    first, last = work / f"{case.name}.first.safetensors", work / f"{case.name}.last.safetensors"
    run("planc", f"{case.name}.plan", "-o", program, cwd=work)
    run(mpirun, case.ranks, program, "--quiet", "--log", log, "--save-init", first, "--save", last, "--comm-report",
        work / f"{case.name}.comm.json", cwd=work)
    per_epoch = len(epochs[0]) // case.batch
    x, labels = samples
    batches = []
    for step in range(STEPS):
        begin = step % per_epoch * case.batch
        chosen = epochs[step // per_epoch][begin : begin + case.batch]
        batches.append((x[chosen], labels[chosen]))
    wanted, weights = reference(case, read_weights(first), batches)
    got, final = losses_of(log), read_weights(last)
    difference = max(abs(a - b) / abs(b) for a, b in zip(got, wanted))
    of_weights = max(numpy.abs(final[name] - w).max() for name, w in weights.items())
    line = (f"{case.name}: loss {got[0]:.6f} to {got[-1]:.6f}, reference {wanted[0]:.6f} to {wanted[-1]:.6f}, largest "
            f"difference of losses {difference:.1e}, of weights {of_weights:.1e}")
    if len(got) != STEPS or not difference <= TOLERANCE or not of_weights <= TOLERANCE:
        return "FAILED: " + line
    # planc cost prices all micro-batches as large as the last one; what the program says is exact.
    alike = case.batch % case.microbatches == 0
    if alike and predicted_traffic(case, work) != measured_traffic(work / f"{case.name}.comm.json"):
        return "FAILED: planc cost predicts other traffic than was measured: " + line
    if abs(got[0] - got[-1]) < 0.05:
        return "FAILED: the loss hardly moves, which proves nothing: " + line
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--cases", nargs="+")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    mpirun = pathlib.Path(__file__).resolve().parents[3] / "scripts/mpirun"
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    samples = write_samples(work)
    epochs = order_of_samples(work, mpirun)
    failed = False
    for case in all_cases() if options.all else CASES:
        if options.cases is None or case.name in options.cases:
            line = check(case, samples, epochs, work, mpirun)
            failed |= line.startswith("FAILED")
            print(line, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
