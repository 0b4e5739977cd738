"""The cases of compare.py for reduced networks of `stdlib/networks/`, and for layers that they do not use."""

import numpy

import attentive
import modern
import optimizers
from cases import HERE, SQUARE, Case, drawn, squashed


def reduced(model, rate, fields, layouts=(), **changes):
    """In f64, since where rounding decides whether a relu passes a gradient, the losses in f32 part after a few steps."""
    name = model.__name__
    make = drawn(name, True, **fields)
    return Case(name, HERE / f"Inputs/{name}.plan", squashed(name, make, **changes) if changes else make, model,
                optimizers.sgd(optimizers.constant(rate), momentum=0.9), 1e-9,
                ("--ranks 1", SQUARE, *(f"{SQUARE} --layout {layout}" for layout in layouts)), statistics=(".mean", ".variance"))


def labelled(*shape, classes=5):
    return {"image": shape, "label": (shape[:1], classes)}


def words(batch, length, vocabulary):
    return {"token": ((batch, length), vocabulary), "next": ((batch, length), vocabulary)}


def padding(seen):
    """From the first 0 of each row on, but at least one place is kept."""
    seen = numpy.minimum.accumulate((seen > 0).astype(numpy.int64), axis=1)
    seen[:, 0] = 1
    return seen


def positive(x):
    return (x > 0).astype(numpy.float64)


CASES = {
    case.name: case
    for case in [
        reduced(modern.mobilenet, 0.1, labelled(8, 16, 12, 3), ("channels",)),
        reduced(modern.efficientnet, 0.1, labelled(8, 14, 12, 3)),
        reduced(modern.densenet, 0.1, labelled(8, 8, 6, 3)),
        reduced(modern.resnext, 0.02, labelled(8, 16, 12, 3)),
        reduced(modern.convnext, 0.5, labelled(8, 24, 16, 3), ("domain",)),
        reduced(modern.unet_norm, 0.05, {"image": (6, 32, 16, 3), "label": ((6, 32, 16), 3)}),
        reduced(modern.cosmo, 0.05, {"cube": (8, 8, 8, 4, 4), "target": (8, 4)}),
        reduced(modern.resampled, 0.02, labelled(8, 10, 7, 3), ("domain",)),
        reduced(modern.small_vae, 0.05, {"image": (16, 12), "noise": (16, 3)}, image=positive),
        reduced(attentive.patches, 0.1, labelled(8, 12, 8, 3)),
        reduced(attentive.attended, 0.05,
                {"x": (8, 6, 10), "memory": (8, 5, 9), "seen": ((8, 6), 8), "label": ((8,), 5)}, seen=padding),
        reduced(attentive.small_llama, 0.5, words(6, 10, 19)),
        reduced(attentive.small_bert, 0.2,
                {**words(6, 10, 19), "segment": ((6, 10), 2), "seen": ((6, 10), 8), "label": ((6, 10), 19), "weight": (6, 10)},
                seen=padding, weight=positive),
        reduced(attentive.small_clip, 0.1, {"image": (8, 8, 12, 3), "token": ((8, 7), 23)}),
        reduced(attentive.translation, 0.1,
                {"source": ((6, 7), 17), "seen": ((6, 7), 8), "target": ((6, 9), 17), "next": ((6, 9), 17)}, seen=padding),
        reduced(attentive.mixtures, 0.1, words(6, 10, 17)),
        reduced(attentive.small_dlrm, 0.5, {"number": (16, 5), "category": ((16, 4), 5), "click": (16,)}, click=positive),
        reduced(attentive.letters, 0.5, words(8, 6, 13)),
    ]
}
