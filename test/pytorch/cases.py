"""What compare.py compares: for each case its .plan file, its data, its network and its optimizer."""

import dataclasses
import pathlib
import typing

import numpy
import torch

import models
import optimizers

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOREIGN = HERE.parent / "foreign/Inputs"
SQUARE = "--mesh rows=2,cols=2"


@dataclasses.dataclass
class Case:
    name: str
    plan: pathlib.Path
    fields: typing.Callable  # folder for files -> (fields by name, the folder that --data names or None)
    loss: typing.Callable  # (weights, fields) -> scalar
    update: typing.Callable  # as in optimizers.py
    tolerance: float = 1e-4
    runs: tuple = ("--ranks 1", SQUARE)


def optdigits(work):
    table = torch.tensor(numpy.loadtxt(ROOT / "examples/data/optdigits.csv", delimiter=",", dtype=numpy.int64))
    return {"image": table[:, :64].float() / 16, "label": table[:, 64]}, None


def drawn(name, double=False, **fields):
    """Random fields, written as NAME.npy: a shape for numbers, (shape, below) for whole numbers."""

    def make(work):
        random, folder, result = numpy.random.default_rng(1), work / f"{name}_data", {}
        folder.mkdir(exist_ok=True)
        for field, shape in fields.items():
            if isinstance(shape[0], tuple):
                values = random.integers(0, shape[1], shape[0], dtype=numpy.int64)
            else:
                values = random.standard_normal(shape).astype(numpy.float64 if double else numpy.float32)
            numpy.save(folder / f"{field}.npy", values)
            result[field] = torch.from_numpy(values)
        return result, folder

    return make


def squashed(name, make, **changes):
    """`make`, with some fields made something else of: sign = numpy.sign."""

    def changed(work):
        fields, folder = make(work)
        for field, change in changes.items():
            values = change(fields[field].numpy())
            numpy.save(folder / f"{field}.npy", values)
            fields[field] = torch.from_numpy(values)
        return fields, folder

    return changed


def logistic(x):
    return 1 / (1 + numpy.exp(-x))


def foreign(name, fields, loss, update, tolerance=1e-4, runs=("--ranks 1", SQUARE)):
    return Case(name, FOREIGN / f"{name}.plan", fields, loss, update, tolerance, runs)


GATED = {"x": (37, 22), "label": ((37,), 7)}

CASES = {
    case.name: case
    for case in [
        Case("mlp", HERE / "Inputs/full_batch.plan", optdigits, models.mlp,
             optimizers.sgd(optimizers.constant(0.2), momentum=0.9), runs=("--ranks 1", "--ranks 4")),
        foreign("autoencoder", squashed("autoencoder", drawn("autoencoder", image=(46, 30)), image=logistic),
                models.autoencoder, optimizers.adam(optimizers.constant(0.01))),
        foreign("gated", drawn("gated", **GATED), models.gated,
                optimizers.sgd(optimizers.constant(0.2), momentum=0.9)),
        foreign("gated_f64", drawn("gated_f64", double=True, **GATED), models.gated,
                optimizers.sgd(optimizers.constant(0.2), momentum=0.9), 1e-9),
        foreign("sine", drawn("sine", double=True, x=(41, 3), y=(41, 2)), models.sine,
                optimizers.adam(optimizers.constant(0.02), optimizers.Settings(0.1), beta1=0.8), 1e-9),
        foreign("vit", drawn("vit", image=(26, 6, 12), label=((26,), 4)), models.vit,
                optimizers.sgd(optimizers.constant(0.05), momentum=0.9)),
        foreign("word2vec", squashed("word2vec", drawn("word2vec", centre=((53,), 41), neighbour=((53, 5), 41),
                                                       sign=(53, 5)), sign=numpy.sign),
                models.word2vec, optimizers.adam(optimizers.constant(0.05))),
        foreign("mixer", drawn("mixer", image=(19, 9, 10), label=((19,), 5)), models.mixer,
                optimizers.sgd(optimizers.constant(0.1), momentum=0.5)),
        foreign("recurrent", drawn("recurrent", x=(31, 5, 6), label=((31,), 3)), models.recurrent,
                optimizers.sgd(optimizers.constant(0.3), momentum=0.9)),
        foreign("click", squashed("click", drawn("click", numbers=(44, 7), categories=((44, 3), 29), clicked=(44,)),
                                  clicked=lambda x: (x > 0).astype(numpy.float32)),
                models.click, optimizers.adam(optimizers.constant(0.02))),
    ]
}
