"""Small graphs, each with a network: files for layouts.py.

  small_graphs.py CASE FOLDER     writes FOLDER/CASE.plan and its data

directed   values of both signs, a vertex without edges, one without a class
empty      no edge at all
tiny       three vertices, on more ranks
attention  weights of all kinds on the entries: of attention with dropout, of inner products, of the file; and maxima
steep      attention with scores up to 1e4 and vertices without entries
isolated   the same without any edge; few: on fewer vertices than ranks
leaves     sums and maxima over entries of inputs, of parameters of each vertex, and of random masks
mixed      sparse features (rectangular), means, a product of inputs alone, a matrix product inside of other dimensions
"""

import pathlib
import random
import sys

PLAN = """import "std/graph.plan"

dim vertex = {vertices}
dim word   = 11
dim hidden = 6
dim class  = 3

{network}
data small = graph("vertices.csv", header = true) {{
    a     = edges("edges.csv"{options})
    words = matrix_market("words.mtx")
    x     = columns(2..13) * 0.5
    label = column(0)
    split = column(1)
}}

mesh grid = [rows, cols]
layout one_d on grid {{ vertex -> [rows, cols] }}
layout one_and_a_half_d on grid {{ vertex -> rows; vertex' -> cols }}
layout two_d on grid {{ vertex -> rows; h {{ hidden -> cols }}; logits {{ class -> cols }} }}
{heads}layout features on grid {{ h {{ hidden -> [rows, cols] }}; logits {{ class -> [rows, cols] }} }}
layout stored on grid {{ vertex -> rows; store params -> [rows, cols] }}
layout parts on grid {{ vertex -> rows; microbatches = 2 }}
layout best on grid = auto

train graph on small {{
    loss      = cross_entropy(graph({arguments}), label)
    optimizer = sgd(rate = 0.2, momentum = 0.9)
    epochs    = 20
    layout    = best
}}
"""

HEADS = "layout heads on grid { head -> [rows, cols] }\n"

GCN = """network graph(a: sparse[vertex, vertex', f32], x: f32[vertex, word]) -> f32[vertex, class] {
    h      = tanh(gcn(a, dropout(x, rate = 0.2), hidden))
    logits = gcn(a, h, class)
    return logits
}
"""

MIXED = """network graph(a: sparse[vertex, vertex', f32], words: sparse[vertex, word, f32], x: f32[vertex, word]) -> f32[vertex, class] {
    param table: [word, hidden] = normal(0, 0.5)
    param mix: [word, hidden] = normal(0, 0.5)
    near   = einsum(spmm(a, x, reduce = mean), mix -> [vertex, hidden])
    h      = tanh(spmm(words, table) + near)
    two    = reshape(h, [vertex, head: 2, part: 3])
    turned = transpose(two, [head, vertex, part])
    sums   = spmm(a, turned, reduce = mean)
    flat   = reshape(transpose(sums, [vertex, head, part]), [vertex, hidden])
    logits = gcn(a, flat, class)
    return logits
}
"""

ATTENTION = """network graph(a: sparse[vertex, vertex', f32], x: f32[vertex, word]) -> f32[vertex, class] {
    h      = tanh(gat(a, x, hidden, heads = 3, drop = 0.3))
    g      = tanh(gatv2_heads(a, h, head: 2, part: 3))
    near   = spmm(a, g, weights = sddmm(a, g, g) * edges(a))
    top    = sage_max(a, reshape(near, [vertex, hidden]), hidden, inner: 5)
    logits = gat(a, top, class, heads = 2, average = true)
    return logits
}
"""

STEEP = """network graph(a: sparse[vertex, vertex', f32], x: f32[vertex, word]) -> f32[vertex, class] {
    h      = gat(a, 2000.0 * x, hidden, heads = 2)
    logits = gat(a, 0.0001 * h, class)
    return logits
}
"""

LEAVES = """network graph(a: sparse[vertex, vertex', f32], x: f32[vertex, word]) -> f32[vertex, class] {
    param place: [vertex, hidden] = normal(0, 0.5)
    param turn: [word, hidden] = normal(0, 0.5)
    most   = spmm(a, x, reduce = max)
    kept   = spmm(a, dropout(place, rate = 0.3))
    alike  = spmm(a, x, weights = edge_softmax(a, sddmm(a, place, place)))
    h      = tanh(einsum(most + alike, turn -> [vertex, hidden]) + kept)
    logits = gcn(a, h, class)
    return logits
}
"""

CASES = {
    "directed": (13, 40, GCN, "a, x", ", normalize = row"),
    "empty": (10, 0, GCN, "a, x", ""),
    "tiny": (3, 4, GCN, "a, x", ", self_loops = true, normalize = symmetric"),
    "attention": (13, 40, ATTENTION, "a, x", ""),
    "steep": (13, 40, STEEP, "a, x", ""),
    "isolated": (10, 0, ATTENTION, "a, x", ""),
    "few": (3, 4, ATTENTION, "a, x", ", self_loops = true"),
    "leaves": (13, 40, LEAVES, "a, x", ""),
    "mixed": (14, 50, MIXED, "a, words, x", ", undirected = true"),
}


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    vertices, count, network, arguments, options = CASES[name]
    draw = random.Random(7)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.plan").write_text(PLAN.format(heads=HEADS if "gat" in network else "", vertices=vertices, network=network, arguments=arguments, options=options))
    used = range(vertices - 1) if vertices > 3 else range(vertices)
    edges = sorted({(draw.choice(used), draw.choice(used)) for _ in range(count)})
    if "undirected" in options:
        edges = [edge for edge in edges if edge[0] < edge[1]]
    weights = ["1"] * len(edges) if "symmetric" in options else [f"{draw.uniform(0.2, 2):.4f}" for _ in edges]
    (folder / "edges.csv").write_text("source,target,weight\n" + "".join(f"{u},{v},{w}\n" for (u, v), w in zip(edges, weights)))
    entries = sorted({(draw.randrange(vertices), draw.randrange(11)) for _ in range(3 * vertices)})
    (folder / "words.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n{vertices} 11 {len(entries)}\n" +
                                      "".join(f"{v + 1} {w + 1} {draw.uniform(-1, 1):.4f}\n" for v, w in entries))
    rows = ["label,split," + ",".join(f"x{i}" for i in range(11))]
    for vertex in range(vertices):
        part = ("train", "validation", "test", "train")[vertex % 4]
        label = str(draw.randrange(3))
        if vertices > 3 and vertex == 5:
            part, label = "none", "-1"  # in no part, so it needs no class
        rows.append(",".join([label, part, *(f"{draw.uniform(-2, 2):.3f}" for _ in range(11))]))
    (folder / "vertices.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
