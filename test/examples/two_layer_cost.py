"""`planc cost` counts the vectors that Mesh-TensorFlow's paper reduces in its two-layer example, exactly.

b is batch, h hidden; r and c are the sizes of rows and cols; a word has 4 bytes. There are no biases, and the scalar loss
does not count. Shazeer et al. 2018, section 3; the first layer's input needs no gradient, so `hidden` reduces nothing
backward.
"""

import json
import pathlib
import subprocess
import sys

PLAN = pathlib.Path(__file__).resolve().parents[2] / "examples/two_layer.plan"
b, io, h, r, c = 64, 128, 512, 2, 4


def reduced(layout):
    """{(layer, phase, axis): words} of the all-reduces, except that of the loss."""
    command = ["planc", "cost", PLAN, "--layout", layout, "--mesh", f"rows={r},cols={c}", "--format=json"]
    cost = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    if cost["reshards"]:
        raise SystemExit(f"{layout}: reshards where the paper has none: {cost['reshards']}")
    found = {}
    for layer in cost["layers"]:
        for collective in layer["collectives"]:
            if collective["phase"] == "loss":
                continue
            if collective["kind"] != "all-reduce":
                raise SystemExit(f"{layout}: {collective['kind']} in {layer['name']}")
            found[layer["name"], collective["phase"], *collective["axes"]] = collective["bytes"] / 4
    return found


EXPECTED = {
    "data_parallel": {("h", "weight gradient", "rows", "cols"): io * h, ("y", "weight gradient", "rows", "cols"): io * h},
    "model_parallel": {("y", "forward", "rows", "cols"): b * io},
    "hybrid": {
        ("y", "forward", "cols"): b // r * io,
        ("h", "weight gradient", "rows"): io * h // c,
        ("y", "weight gradient", "rows"): io * h // c,
    },
}

failed = False
for layout, expected in EXPECTED.items():
    found = reduced(layout)
    print(f"{layout}: {found}")
    if found != expected:
        failed = True
        print(f"FAILED: the paper has {expected}")
sys.exit(failed)
