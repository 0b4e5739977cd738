"""same_training.py SEVERAL PLAIN --updates N

SEVERAL makes N updates a step, PLAIN one: the losses of SEVERAL.jsonl are means over N losses of PLAIN.jsonl, and the
weights of SEVERAL.safetensors are those of PLAIN.safetensors, in f64.
"""

import argparse
import json
import pathlib
import struct
import sys

TOLERANCE = 1e-12


def losses(name):
    return [entry["loss"] for entry in map(json.loads, pathlib.Path(f"{name}.jsonl").read_text().splitlines()) if "step" in entry]


def weights(name):
    content = pathlib.Path(f"{name}.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    return {tensor: [number for (number,) in struct.iter_unpack("<d", content[8 + length + begin : 8 + length + end])]
            for tensor, (begin, end) in ((tensor, entry["data_offsets"]) for tensor, entry in header.items())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("several")
    parser.add_argument("plain")
    parser.add_argument("--updates", type=int, required=True)
    options = parser.parse_args()
    got, each = losses(options.several), losses(options.plain)
    if len(each) != options.updates * len(got) or not got:
        sys.exit(f"{len(got)} losses and {len(each)}")
    for step, loss in enumerate(got):
        wanted = sum(each[step * options.updates : (step + 1) * options.updates]) / options.updates
        if abs(loss - wanted) > TOLERANCE:
            sys.exit(f"step {step + 1}: loss {loss}, expected {wanted}")
    got, wanted = weights(options.several), weights(options.plain)
    if got.keys() != wanted.keys():
        sys.exit(f"{sorted(got)} and {sorted(wanted)}")
    for name, numbers in wanted.items():
        if max(abs(a - b) for a, b in zip(got[name], numbers)) > TOLERANCE:
            sys.exit(f"{name} is not the same")


if __name__ == "__main__":
    main()
