"""The cases of test/examples/many_graphs.py, without dropout: their data and their networks in PyTorch."""

import csv
import importlib.util
import pathlib
import re

import torch
from torch.nn import functional as F

spec = importlib.util.spec_from_file_location("examples", pathlib.Path(__file__).parents[1] / "examples/many_graphs.py")
examples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(examples)


def column(rows, name, kind=float):
    return torch.tensor([kind(row[name]) for row in rows])


def written(case):
    """Writes the case into its folder; returns its tables by name, and the folder."""

    def fields(work):
        folder = work / case
        examples.make(case, folder)
        plan = folder / f"{case}.plan"
        plan.write_text(re.sub(r"dropout\((\w+), rate = [0-9.]+\)", r"\1", plan.read_text()))
        return {path.stem: list(csv.DictReader(path.open())) for path in folder.glob("*.csv")}, folder

    return fields


def chosen(rows, name, below, empty=None):
    """[row, number]: 1 at the number that the column has; where it is empty, that of `empty`."""
    numbers = [int(row[name] or other) for row, other in zip(rows, empty or [None] * len(rows))]
    return F.one_hot(torch.tensor(numbers), below).float()


def features(tables):
    return torch.stack([column(tables["vertices"], name) for name in "abcd"], 1)


def of_training(logits, rows):
    train = torch.tensor([row["split"] == "train" for row in rows])
    return F.cross_entropy(logits[train], column(rows, "label", int)[train])


def adjacency(tables):
    a = torch.zeros(examples.VERTICES, examples.VERTICES)
    edges = tables["edges"]
    return a.index_put((column(edges, "target", int), column(edges, "source", int)), column(edges, "weight"))


def dense(w, x, name):
    return torch.tanh(x @ w[f"{name}.w"] + w[f"{name}.b"])


def gin(w, a, x, name):
    return (1 + w[f"{name}.epsilon"]) * x + a @ x


def pooled(w, tables):
    a, graphs, vertices = adjacency(tables), tables["graphs"], tables["vertices"]
    of = chosen(vertices, "graph", len(graphs))
    x = features(tables) * 0.5
    counts = of.sum(0)[:, None]
    h = dense(w, gin(w, a, x, "h.gin"), "h.dense")
    apart = h - of @ (of.T @ h / counts.clamp(min=1))
    k = dense(w, gin(w, a, apart, "k.gin"), "k.dense")
    place = column(vertices, "graph", int)[:, None].expand_as(k)
    top = torch.zeros(len(graphs), k.shape[1]).scatter_reduce(0, place, k, "amax", include_self=False)
    weights = torch.exp(h @ w["pool.score"])[:, None] * of
    attended = (weights / weights.sum(0).clamp(min=1e-30)).T @ h
    pool = of.T @ k * (column(graphs, "size") / 4)[:, None] + top + attended
    return of_training(pool @ w["logits.w"] + w["logits.b"], graphs)


def bonds(w, tables):
    edges, graphs, vertices = tables["edges"], tables["graphs"], tables["vertices"]
    from_, into = chosen(edges, "source", len(vertices)), chosen(edges, "target", len(vertices)).T
    length = torch.stack([column(edges, "weight"), column(edges, "angle")], 1)
    f = length @ w["f.w"] + w["f.b"]
    x = features(tables) @ w["h.dense.w"] + w["h.dense.b"]
    h = torch.tanh((1 + w["h.gine.epsilon"]) * x + into @ torch.relu(from_ @ x + f))
    sources = from_ @ h
    weights = into * torch.exp((sources * f).sum(1))
    k = weights / weights.sum(1, keepdim=True).clamp(min=1e-30) @ sources
    pool = chosen(vertices, "graph", len(graphs)).T @ k
    return of_training(pool @ w["logits.w"] + w["logits.b"], graphs)


def bits(seed, name, index):
    """64 bits of block `index` of a stream: Philox4x32-10 (Salmon et al. 2011), with the FNV-1a hash of its name."""
    low, stream = 0xFFFFFFFF, 0xCBF29CE484222325
    for letter in name.encode():
        stream = (stream ^ letter) * 0x100000001B3 % 2**64
    counter, key = [index & low, index >> 32, stream & low, stream >> 32], [seed & low, seed >> 32]
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [second >> 32 ^ counter[1] ^ key[0], second & low, first >> 32 ^ counter[3] ^ key[1], first & low]
        key = [key[0] + 0x9E3779B9 & low, key[1] + 0xBB67AE85 & low]
    return counter[0] | counter[1] << 32


def negatives(pairs, numbers, seed):
    """For each pair without a target, a number that is not joined to its source."""
    given = [(int(row["source"]), int(row["target"])) for row in pairs if row["target"]]
    drawn = []
    for line, row in enumerate(pairs):
        source = int(row["source"])
        taken = {source} | {v for u, v in given if u == source} | {u for u, v in given if v == source}
        left = [number for number in range(numbers) if number not in taken]
        drawn.append(left[bits(seed, "negatives", line) * len(left) >> 64])
    return drawn


def links(w, tables):
    a, pairs = adjacency(tables), tables["pairs"]
    h = torch.tanh(a @ features(tables) @ w["h.project.w"] + w["h.b"])
    z = a @ h @ w["z.project.w"] + w["z.b"]
    sources = chosen(pairs, "source", len(a))
    targets = chosen(pairs, "target", len(a), negatives(pairs, len(a), 5))
    score = (sources @ z * (targets @ z)).sum(1)
    train = torch.tensor([row["split"] == "train" for row in pairs])
    return F.binary_cross_entropy_with_logits(score[train], column(pairs, "label")[train])
