"""What compare.py compares: for each case its .plan file, its data, its network and its optimizer."""

import dataclasses
import pathlib
import re
import typing

import numpy
import torch

import convolutional
import many_graphs
import models
import optimizers

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOREIGN = HERE.parent / "foreign/Inputs"
SQUARE = "--mesh rows=2,cols=2"


@dataclasses.dataclass
class Case:
    name: str
    plan: pathlib.Path  # relative to the folder for files where `fields` writes it
    fields: typing.Callable  # folder for files -> (fields by name, the folder that --data names or None)
    loss: typing.Callable  # (weights, fields) -> scalar
    update: typing.Callable  # as in optimizers.py
    tolerance: float = 1e-4
    runs: tuple = ("--ranks 1", SQUARE)
    clip_norm: float = 0  # 0: not clipped
    statistics: tuple = ()  # ends of the names of running statistics, which are not trained but moved by the model
    optimizer: str = ""  # takes the place of the one in the .plan file
    double: bool = False  # in f64 what the .plan file says in f32

    def plan_file(self, work):
        if not self.optimizer and not self.double:
            return work / self.plan
        text = self.plan.read_text()
        if self.optimizer:
            text, places = re.subn(r"optimizer = sgd\(rate = 0\.1\)", f"optimizer = {self.optimizer}", text)
            if places != 1:
                raise SystemExit(f"{self.plan}: no place for an optimizer")
        if self.double:
            text, places = re.subn(r"\bf32\[", "f64[", text)
            if places != 2:
                raise SystemExit(f"{self.plan}: f32 is the element type of {places} and not of the operand and the result")
        path = work / f"{self.name}.plan"
        path.write_text(text)
        return path


def optdigits(work):
    table = torch.tensor(numpy.loadtxt(ROOT / "examples/data/optdigits.csv", delimiter=",", dtype=numpy.int64))
    return {"image": table[:, :64].float() / 16, "label": table[:, 64]}, None


def language(work, windows=8, length=128):
    """The first windows of examples/data/language.txt: characters as their places in the sorted list of all of them."""
    text = (ROOT / "examples/data/language.txt").read_bytes()[: windows * length + 1]
    folder = work / "gpt_data"
    folder.mkdir(exist_ok=True)
    (folder / "excerpt.txt").write_bytes(text)
    alphabet = sorted(set(text))
    indices = torch.tensor([alphabet.index(character) for character in text])
    return {"token": indices[:-1].view(windows, length), "next": indices[1:].view(windows, length)}, folder


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
    """`make`, with a function applied to some fields: sign = numpy.sign."""

    def changed(work):
        fields, folder = make(work)
        for field, change in changes.items():
            values = change(fields[field].numpy())
            numpy.save(folder / f"{field}.npy", values)
            fields[field] = torch.from_numpy(values)
        return fields, folder

    return changed


def matrix(path, dense=False):
    """A Matrix Market file as a sparse tensor; of a symmetric one both halves."""
    lines = [line for line in path.read_text().splitlines() if line]
    symmetric, body = "symmetric" in lines[0], [line for line in lines if not line.startswith("%")]
    rows, columns, _ = map(int, body[0].split())
    entries = numpy.array([[*line.split(), "1"][:3] for line in body[1:]], dtype=numpy.float64)
    places, values = entries[:, :2].astype(numpy.int64).T - 1, entries[:, 2]
    if symmetric:
        off = places[0] != places[1]
        places = numpy.concatenate([places, places[::-1, off]], axis=1)
        values = numpy.concatenate([values, values[off]])
    return torch.sparse_coo_tensor(torch.from_numpy(places.copy()), torch.from_numpy(values).float(), (rows, columns)).coalesce()


def with_self_loops(a):
    return (a + torch.sparse_coo_tensor(torch.arange(a.shape[0]).repeat(2, 1), torch.ones(a.shape[0]), a.shape)).coalesce()


def normalized(a, symmetric):
    """Divided by the sums of rows, or by their square roots and those of the columns."""
    by_row = torch.sparse.sum(a, 1).to_dense()
    row, column = a.indices()
    if symmetric:
        by_column = torch.sparse.sum(a, 0).to_dense()
        return torch.sparse_coo_tensor(a.indices(), a.values() / torch.sqrt(by_row[row] * by_column[column]), a.shape)
    return torch.sparse_coo_tensor(a.indices(), a.values() / by_row[row], a.shape)


def cora(work):
    """The adjacency matrix in the forms that layers need, features, labels, and which vertices train."""
    folder = ROOT.parent / "shared/data/cora"
    table = [line.split(",") for line in (folder / "vertices.csv").read_text().split()[1:]]
    a = matrix(folder / "adjacency.mtx")
    return {"a": a, "loops": with_self_loops(a), "symmetric": normalized(with_self_loops(a), True), "rows": normalized(a, False),
            "x": matrix(folder / "features.mtx").to_dense(),
            "label": torch.tensor([int(row[0]) for row in table]),
            "train": torch.tensor([row[1] == "train" for row in table])}, folder.parent


def logistic(x):
    return 1 / (1 + numpy.exp(-x))


def foreign(name, fields, loss, update, tolerance=1e-4, runs=("--ranks 1", SQUARE)):
    return Case(name, FOREIGN / f"{name}.plan", fields, loss, update, tolerance, runs)


def optimizer(name, written, update, clip_norm=0.0, runs=("--ranks 1", SQUARE, f"{SQUARE} --layout shares")):
    """Optimizer `written` in the language against `update`."""
    fields = drawn("optimizer", x=(64, 9), label=((64,), 5))
    return Case(name, HERE / "Inputs/optimizer.plan", fields, models.small, update, 1e-4, runs, clip_norm, optimizer=written)


def graph(name, model, update, runs=("--ranks 1", SQUARE)):
    return Case(name, HERE / f"Inputs/{name}.plan", cora, model, update, runs=runs)


def tables(name, layouts):
    plan = pathlib.Path(name) / f"{name}.plan"
    return Case(name, plan, many_graphs.written(name), getattr(many_graphs, name),
                optimizers.sgd(optimizers.constant(0.02), momentum=0.5),
                runs=("--ranks 1", *(f"{SQUARE} --layout {layout}" for layout in layouts)))


def convolutions(name, image, classes, rate, layouts, tolerance=1e-4):
    """On one rank and under each of `layouts`; a name that ends with _f64 is that of a network in double precision.

    In f32 about one preactivation a step is so near to 0 that rounding decides whether its relu passes the gradient; one
    that differs changes the weights' way by up to 1e-2. The rates in f32 are so small that the losses still agree,
    those in f64, where this does not happen, so large that every error would grow.
    """
    double = name.endswith("_f64")
    plan = name.removesuffix("_f64")
    return Case(name, HERE / f"Inputs/{plan}.plan", drawn(name, double, image=image, label=((image[0],), classes)),
                getattr(convolutional, plan), optimizers.sgd(optimizers.constant(rate), momentum=0.9), tolerance,
                ("--ranks 1", *layouts), statistics=(".mean", ".variance"),
                optimizer=f"sgd(rate = {rate}, momentum = 0.9)", double=double)


DOMAIN = f"{SQUARE} --layout domain"
MIXED = f"{SQUARE} --layout mixed"
HALVES = "--mesh rows=2,cols=1 --layout domain"

NO_DECAY = [(lambda name: name.endswith((".b", ".scale")), {"weight_decay": 0.0})]
NOT_ADAPTED = [(lambda name: name.endswith((".b", ".scale")), {"weight_decay": 0.0, "adapt": False})]

GATED = {"x": (37, 22), "label": ((37,), 7)}

CASES = {
    case.name: case
    for case in [
        Case("mlp", HERE / "Inputs/full_batch.plan", optdigits, models.mlp,
             optimizers.sgd(optimizers.constant(0.2), momentum=0.9), runs=("--ranks 1", "--ranks 4")),
        Case("gpt", HERE / "Inputs/gpt.plan", language, models.gpt,
             optimizers.adam(optimizers.warm_up(3, optimizers.cosine(1e-3, 9, 1e-4)),
                             optimizers.Settings(0.1, [(lambda name: name.endswith(".b"), {"weight_decay": 0.0}),
                                                       (lambda name: name.endswith(".scale"),
                                                        {"weight_decay": 0.0, "rate_factor": 2.0})]),
                             decoupled=True),
             runs=("--ranks 1", "--ranks 4 --layout megatron", f"{SQUARE} --layout hybrid"), clip_norm=0.5),
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
        Case("batch_norm", HERE / "Inputs/batch_norm.plan", drawn("batch_norm", x=(46, 3, 9), label=((46,), 5)),
             models.batch_norm, optimizers.sgd(optimizers.constant(0.1), momentum=0.9),
             runs=("--ranks 1", SQUARE, f"{SQUARE} --layout shares"), statistics=(".mean", ".variance")),
        Case("losses", HERE / "Inputs/losses.plan",
             squashed("losses", drawn("losses", image=(26, 5, 4, 6), label=((26,), 5), share=(26, 5), sign=(26, 5),
                                      target=(26, 5)), share=lambda x: (x > 0).astype(numpy.float32), sign=numpy.sign),
             models.losses,
             optimizers.sgd(optimizers.constant(0.05), momentum=0.9)),
        Case("transposed", HERE / "Inputs/transposed.plan", drawn("transposed", image=(14, 5, 4, 6), label=((14,), 5)),
             models.transposed, optimizers.sgd(optimizers.constant(0.02), momentum=0.9),
             runs=("--ranks 1", *(f"{SQUARE} --layout {layout}" for layout in ("split", "domain", "channels")))),
        Case("shared", HERE / "Inputs/shared.plan",
             drawn("shared", left=(46, 9), right=(46, 9), letters=(46, 5, 7), label=((46,), 5)), models.shared,
             optimizers.sgd(optimizers.constant(0.1), momentum=0.9),
             runs=("--ranks 1", SQUARE, f"{SQUARE} --layout shares"), statistics=(".mean", ".variance")),
        graph("gcn", models.gcn, optimizers.adam(optimizers.constant(0.01)),
              ("--ranks 1", *(f"{SQUARE} --layout {layout}" for layout in ("one_d", "one_and_a_half_d", "two_d", "features")))),
        graph("gin", models.gin, optimizers.adam(optimizers.constant(0.01))),
        graph("sage", models.sage, optimizers.adam(optimizers.constant(0.01))),
        graph("appnp", models.appnp, optimizers.adam(optimizers.constant(0.01))),
        graph("gat", models.gat, optimizers.adam(optimizers.constant(0.01)),
              ("--ranks 1", *(f"{SQUARE} --layout {layout}" for layout in ("one_d", "one_and_a_half_d", "heads")))),
        graph("gatv2", models.gatv2, optimizers.adam(optimizers.constant(0.01))),
        tables("pooled", ("vertices", "both", "in_turn")),
        tables("links", ("vertices", "pairs")),
        tables("bonds", ("vertices", "both")),
        graph("sage_max", models.sage_max, optimizers.adam(optimizers.constant(0.01))),
        convolutions("lenet", (30, 28, 28, 1), 10, 0.002, (SQUARE, DOMAIN, HALVES)),
        convolutions("vgg11", (8, 32, 32, 3), 10, 4e-6, (SQUARE, DOMAIN)),
        convolutions("vgg11_f64", (8, 32, 32, 3), 10, 0.002, (HALVES,), 1e-9),
        convolutions("resnet18", (8, 32, 32, 3), 10, 2e-6, (SQUARE, DOMAIN)),
        convolutions("resnet18_f64", (8, 32, 32, 3), 10, 0.002, (DOMAIN,), 1e-9),
        convolutions("resnet_cifar", (8, 32, 32, 3), 10, 1e-5, ("--ranks 2", HALVES)),
        convolutions("inception", (11, 23, 18, 3), 5, 0.02, (SQUARE, DOMAIN, MIXED)),
        convolutions("inception_f64", (11, 23, 18, 3), 5, 0.02, (SQUARE, DOMAIN, MIXED), 1e-9),
        Case("unet", HERE / "Inputs/unet.plan", drawn("unet", True, image=(12, 12, 8, 3), label=((12, 12, 8), 4)),
             convolutional.unet, optimizers.sgd(optimizers.constant(0.2), momentum=0.9), 1e-9,
             ("--ranks 1", SQUARE, DOMAIN, MIXED), optimizer="sgd(rate = 0.2, momentum = 0.9)", double=True),
        optimizer("nesterov", "sgd(rate = step_decay(0.4, every = 3, factor = 0.5), momentum = 0.9, nesterov = true, "
                  "weight_decay = 0.01)",
                  optimizers.sgd(optimizers.step_decay(0.4, 3, 0.5), optimizers.Settings(0.01), 0.9, True)),
        optimizer("adamw", "adamw(rate = warmup(steps = 3, then = cosine(0.05, steps = 6, floor = 0.01), start = 0.005), "
                  "weight_decay = 0.3, clip_norm = 0.2) { *.b { weight_decay = 0 }; *.scale { weight_decay = 0 } }",
                  optimizers.adam(optimizers.warm_up(3, optimizers.cosine(0.05, 6, 0.01), 0.005),
                                  optimizers.Settings(0.3, NO_DECAY), decoupled=True), 0.2),
        optimizer("adam_l2", "adam(rate = linear_scaling(0.1, batch = 256), weight_decay = 0.1)",
                  optimizers.adam(optimizers.constant(0.1 * 64 / 256), optimizers.Settings(0.1))),
        optimizer("lars", "lars(rate = polynomial(20, steps = 10, floor = 1, power = 2), momentum = 0.9, trust = 0.01, "
                  "weight_decay = 0.02) { *.b { weight_decay = 0; adapt = false; rate_factor = 0.01 }; "
                  "*.scale { weight_decay = 0; adapt = false; rate_factor = 0.01 } }",
                  optimizers.lars(optimizers.polynomial(20, 10, 1, 2),
                                  optimizers.Settings(0.02, [(matches, {**changes, "rate_factor": 0.01})
                                                             for matches, changes in NOT_ADAPTED]), 0.9, 0.01)),
        optimizer("lamb", "lamb(rate = 0.03, weight_decay = 0.05, clip_norm = 0.5) { *.b { weight_decay = 0; adapt = false }; "
                  "*.scale { weight_decay = 0; adapt = false } }",
                  optimizers.lamb(optimizers.constant(0.03), optimizers.Settings(0.05, NOT_ADAPTED)), 0.5),
        optimizer("lamb_all", "lamb(rate = warmup(steps = 2, then = 0.05))",
                  optimizers.lamb(optimizers.warm_up(2, optimizers.constant(0.05)))),
    ]
}
