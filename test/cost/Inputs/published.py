#!/usr/bin/env python3
"""Compares tables of `planc cost --profile=… --format=json` with published numbers.

    published.py ratio FILE ROWS COLS RATIO          pure batch over the best grid, within 0.06, and which grid that is
    published.py epoch FILE SAMPLES BATCH SECONDS…   seconds an epoch of SAMPLES / BATCH steps (rounded up): pure batch,
                                                     then the meshes of the table from the least rows on, within 0.005
    published.py forward FILE LAYER=MICROSECONDS…    of the products, within 0.01 microseconds
    published.py fused FILE MST BUCKET               milliseconds of one all-reduce of all gradients, within half of the
                                                     last digit that is given
"""
import json
import math
import sys


def fail(text):
    sys.exit("published.py: " + text)


def compare(what, got, wanted, tolerance):
    print(f"{what}: {got:.6g}, published {wanted:g}")
    if abs(got - wanted) > tolerance:
        fail(f"{what} is {got:.6g}, published {wanted:g} ± {tolerance:g}")


def ratio(table, rows, cols, wanted):
    if table["mesh"] != {"rows": int(rows), "cols": int(cols)}:
        fail(f"the best grid is {table['mesh']}, published {rows} x {cols}")
    compare("ratio", table["pure_batch_seconds"] / table["seconds"], float(wanted), 0.06)


def epoch(table, samples, batch, *wanted):
    steps = math.ceil(float(samples) / int(batch))
    meshes = sorted(table["meshes"], key=lambda mesh: mesh["mesh"]["rows"])
    seconds = [table["pure_batch_seconds"]] + [mesh["seconds"] for mesh in meshes]
    for i, published in enumerate(wanted):
        compare(f"epoch {i}", steps * seconds[i], float(published), 0.005)


def forward(table, *wanted):
    seconds = {
        layer["name"]: sum(term["seconds"] for term in layer["terms"] if term["phase"] == "forward")
        for layer in table["layers"]
    }
    for each in wanted:
        layer, published = each.split("=")
        compare(layer, seconds[layer] * 1e6, float(published), 0.01)


def fused(table, *wanted):
    if len(table["variants"]) != len(wanted):
        fail("the table has other variants")
    for term, published in zip(table["variants"], wanted):
        digits = len(published.partition(".")[2])
        compare(term["what"], term["seconds"] * 1e3, float(published), 0.51 * 10**-digits)


def main():
    kind, path, *rest = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    {"ratio": ratio, "epoch": epoch, "forward": forward, "fused": fused}[kind](table, *rest)


main()
