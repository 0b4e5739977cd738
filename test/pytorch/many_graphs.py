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
    of = F.one_hot(column(vertices, "graph", int), len(graphs)).float()  # [vertex, graph]
    x = torch.stack([column(vertices, name) for name in "abcd"], 1) * 0.5
    counts = of.sum(0)[:, None]
    h = dense(w, gin(w, a, x, "h.gin"), "h.dense")
    apart = h - of @ (of.T @ h / counts.clamp(min=1))
    k = dense(w, gin(w, a, apart, "k.gin"), "k.dense")
    place = column(vertices, "graph", int)[:, None].expand_as(k)
    top = torch.zeros(len(graphs), k.shape[1]).scatter_reduce(0, place, k, "amax", include_self=False)
    weights = torch.exp(h @ w["pool.score"])[:, None] * of
    attended = (weights / weights.sum(0).clamp(min=1e-30)).T @ h
    pool = of.T @ k * (column(graphs, "size") / 4)[:, None] + top + attended
    train = torch.tensor([row["split"] == "train" for row in graphs])
    return F.cross_entropy((pool @ w["logits.w"] + w["logits.b"])[train], column(graphs, "label", int)[train])
