"""cagnet.py PLANC FILE LAYOUT MESH SCHEME: the words that profile cagnet20 says for each layer of gcn_rmat are those of the
scheme, by closed forms written down anew from CAGNET's code; all-reduces of x words by P ranks are 2 (P - 1) / P x. The
busiest rank of planc's own program with this layout moves no more."""
import json
import math
import subprocess
import sys

WIDTHS = [(128, 64), (64, 64), (64, 16)]  # features before and behind each layer


def all_reduce(words, ranks):
    return 2 * (ranks - 1) / ranks * words


def words(scheme, n, nnz, before, behind, ranks, c):
    both = before + behind
    if scheme == "1D":
        return n * both + all_reduce(before * behind, ranks)
    if scheme == "1.5D":
        return both * n / c + all_reduce(both * n * c / ranks, c) + all_reduce(before * behind, ranks // c)
    if scheme == "2D":
        q = math.isqrt(ranks)
        return 6 * nnz / q + 2 * q + 3 * n * both / q + 2 * n * before / ranks + before * behind
    q = round(ranks ** (1 / 3))
    face = q * q
    return (6 * nnz / face + 2 * q + 2 * face + 3 * n * both / face + 3 * n * behind / face
            + all_reduce(both * n / face, q) * (1 + q) + all_reduce(before * behind / face, q) + before * behind)


planc, file, layout, mesh, scheme = sys.argv[1:6]
sizes = [int(axis.split("=")[1]) for axis in mesh.split(",")]


def ask(*options):
    command = [planc, "cost", file, "--format=json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


graph = ask("--summary")["matrices"][0]
table = ask("--layout", layout, "--mesh", mesh, "--profile=cagnet20")
exact = ask("--layout", layout, "--mesh", mesh)
layers = table["layers"]
assert [layer["name"] for layer in layers] == ["h1", "h2", "logits"], layers
total = 0
for layer, (before, behind) in zip(layers, WIDTHS):
    said = sum(term["wire_bytes"] for term in layer["terms"]) / 4
    wanted = words(scheme, graph["rows"], graph["nonzeros"], before, behind, math.prod(sizes), sizes[1])
    assert abs(said / wanted - 1) < 1e-12, (layer["name"], said, wanted)
    total += said
assert 0 < exact["bytes"] <= 4 * total, (exact["bytes"], 4 * total)
print(f"{scheme} on {math.prod(sizes)} ranks: {len(layers)} layers, exact moves {exact['bytes'] / 4 / total:.3f} of them")
