"""never_worse.py EXAMPLES MACHINES [--part N] [--jobs N] [--batch N] [--data DIR] [--pipelines]: on 2 to 4,096 ranks of every
machine, `planc explain` of every example that trains has no plan of the literature beside its answer that could be the
answer and is faster: not by the sum of its seconds, and not by its step with overlap where steps with overlap decided.
--part: of all cases so many by chance, the same each time, over the example's number of layers, one at least: about as much
time for each example. --batch: so many samples a rank, not the example's own. --data: where graphs are; without it, or if
there is no such directory, their examples are left out. Graphs are planned for up to 256 ranks: further ranks have hardly a
vertex. --pipelines: beside the answer is also 1F1B, with 2, 4 and 8 stages of about equal work and the other ranks for the
batch; where layers have heads, also with these in two parts (Megatron-style in three dimensions); not for graphs and
for losses that are no sums over samples, which have no micro-batches. A line for each example says how far the run is."""
import argparse
import concurrent.futures
import itertools
import pathlib
import random
import re
import subprocess
import sys
import tempfile

RANKS = [2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 96, 128, 256, 384, 512, 1000, 1024, 2048, 3072, 4096]
MOST_OF_GRAPH = 256
DEPTHS = [2, 4, 8]
AUTOMATIC = "mesh grid = [rows, cols]\nlayout best on grid = auto\n"

trains = re.compile(r"^train ", re.M)
reads_graph = re.compile(r"^data \w+ = graph", re.M)
automatic_layout = re.compile(r"^layout (\w+) on \w+ = auto", re.M)
baseline = re.compile(r"^  (pure \w+|Megatron-style|one-weird-trick|batch x \w+)  ")
ratio = re.compile(r"(?<!\S)(\d+\.\d\d) x(?!\S)")
simulated = re.compile(r"^simulated with overlap: (\S+ \w+) a step", re.M)
step = re.compile(r": (\S+ \w+) a step")
heads = re.compile(r"^dim (head|kv) = .*^dim hidden = ", re.M | re.S)
layers = re.compile(r"^layer  .*\n((?:.+\n)+)", re.M)
too_many = re.compile(r"\d+ micro-batches of a batch of \d+")
no_pipeline = re.compile(r"\d+ stages for \d+ layers|micro-batches need a loss that is a sum over samples")
does_not_fit = re.compile(r"warning: layout 'even' needs up to .* a rank, machine")
no_plan = re.compile(r"ranks do not make up the mesh|no plan fits the memory|\d+ micro-batches of a batch of \d+")


class Example:
    def __init__(self, path, work, data):
        self.path, text = path, path.read_text(encoding="utf-8")
        self.data = ["--data", data] if reads_graph.search(text) else []
        found = automatic_layout.search(text)
        self.layout = found[1] if found else work / "automatic.plan"
        self.heads = heads.search(text)


def planc(action, example, layout, machine, ranks, batch):
    command = ["planc", action, example.path, "--layout", layout, "--ranks", str(ranks), "--machine",
               f"std/machines/{machine}.plan", *example.data]
    if batch and not example.data:
        command += ["--dim", f"batch={batch * ranks}"]
    return subprocess.run(command, capture_output=True, text=True)


def compare_baselines(text):
    """How many plans of the literature are beside the answer that `planc explain` printed, and which are faster."""
    lines = [line for line in text.splitlines() if baseline.match(line)]
    candidates = [line for line in lines if "not a candidate" not in line]
    columns = 2 if simulated.search(text) else 1
    wrong = [] if lines else ["no plan of the literature is beside the answer"]
    for line in candidates:
        ratios = [float(each) for each in ratio.findall(line)]
        if len(ratios) != columns or min(ratios) < 1:
            wrong.append(line.strip())
    return len(candidates), wrong


def seconds(found):
    number, unit = found[1].split()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def even_pipelines(heads, ranks):
    """Layouts: for each depth a few, of ever fewer micro-batches."""
    for depth, cols in itertools.product(DEPTHS, [1, 2] if heads else [1]):
        rows = ranks // depth // cols
        if rows * depth * cols != ranks:
            continue
        axes = f"stage: {depth}{f', rows: {rows}' if rows > 1 else ''}{f', cols: {cols}' if cols > 1 else ''}"
        rules = f"{'batch -> rows; ' if rows > 1 else ''}{f'{heads[1]} -> cols; hidden -> cols; ' if cols > 1 else ''}"
        yield [f"layout even on [{axes}] {{ {rules}pipeline -> stage {{ schedule = one_f_one_b; microbatches = {count} }} }}\n"
               for count in [4 * depth, 2 * depth, depth]]


def first_possible(layouts, action, example, *case):
    """What planc says of the first layout whose micro-batches the batch has."""
    with tempfile.NamedTemporaryFile("w", suffix=".plan", encoding="utf-8") as file:
        for layout in layouts:
            file.seek(0)
            file.truncate()
            file.write(layout)
            file.flush()
            run = planc(action, example, file.name, *case)
            if not too_many.search(run.stderr):
                break
        return run


def compare_pipelines(text, example, machine, ranks, batch):
    """As `compare_baselines`, with 1F1B. What decided the answer, its simulation or its price, decides here."""
    decided = simulated.search(text)
    answer, compared, wrong = seconds(decided or step.search(text)), 0, []
    for layouts in even_pipelines(example.heads, ranks):
        other = first_possible(layouts, "timeline" if decided else "explain", example, machine, ranks, batch)
        if does_not_fit.search(other.stderr):
            continue
        if other.returncode == 0:
            compared += 1
            if seconds(step.search(other.stdout)) < answer:
                wrong.append(f"{layouts[0].strip()}: {step.search(other.stdout)[1]} a step, the answer takes {answer:.3g} s")
        elif not too_many.search(other.stderr) and not no_pipeline.search(other.stderr):
            wrong.append(f"{layouts[0].strip()}: {other.stderr.strip()}")
    return compared, wrong


def compare(example, machine, ranks, batch, pipelines):
    """How many other plans were compared with the answer, -1 where planc has none, and what is wrong."""
    where = f"{example.path.stem} on {ranks} ranks of {machine}"
    run = planc("explain", example, example.layout, machine, ranks, batch)
    if run.returncode != 0:
        return -1, [] if no_plan.search(run.stderr) else [f"{where}: {run.stderr.strip()}"]
    compared, wrong = compare_baselines(run.stdout)
    if pipelines and not example.data:
        more, worse = compare_pipelines(run.stdout, example, machine, ranks, batch)
        compared, wrong = compared + more, wrong + worse
    return compared, [f"{where}: {each}" for each in wrong]


def cases_of(example, machines, given):
    cases = [(example, machine, ranks, given.batch, given.pipelines) for ranks in RANKS for machine in machines
             if not example.data or ranks <= MOST_OF_GRAPH]
    if not given.part:
        return cases
    table = layers.search(planc("explain", example, example.layout, machines[0], RANKS[0], 0).stdout)
    count = given.part // table[1].count("\n") if table else len(cases)
    return random.Random(example.path.stem).sample(cases, max(1, min(count, len(cases))))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=pathlib.Path)
    parser.add_argument("machines", type=pathlib.Path)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--pipelines", action="store_true")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--data", type=pathlib.Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        automatic = pathlib.Path(work) / "automatic.plan"
        automatic.write_text(AUTOMATIC, encoding="utf-8")
        texts = {path: path.read_text(encoding="utf-8") for path in sorted(given.examples.glob("*.plan"))}
        has_data = given.data is not None and given.data.is_dir()
        examples = [Example(path, automatic.parent, given.data) for path, text in texts.items()
                    if trains.search(text) and (has_data or not reads_graph.search(text))]
        machines = sorted(path.stem for path in given.machines.glob("*.plan"))
        cases = [cases_of(example, machines, given) for example in examples]
        compared, planned, wrong = 0, 0, 0
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            found = pool.map(lambda case: compare(*case), itertools.chain(*cases))
            for example, own in zip(examples, cases):
                answers = list(itertools.islice(found, len(own)))
                compared += sum(max(count, 0) for count, _ in answers)
                planned += sum(count >= 0 for count, _ in answers)
                lines = [line for _, each in answers for line in each]
                wrong += len(lines)
                print(*lines, f"{example.path.stem}: {len(own)} cases, {len(lines)} defects", sep="\n", flush=True)
    if wrong or not compared:
        sys.exit(f"{wrong} defects, {compared} other plans compared")
    print(f"never worse than {compared} other plans in {planned} cases of {sum(map(len, cases))}: {len(examples)} "
          f"examples, {len(machines)} machines")


main()
