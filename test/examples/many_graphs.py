"""Tables of several kinds in one data set, each with a network: files for layouts.py.

  many_graphs.py CASE FOLDER     writes FOLDER/CASE.plan and its data

pooled   many graphs as blocks of one matrix, one of them empty; labels and parts are those of graphs
links    pairs of vertices, labelled; the second one of some is drawn
bonds    features of edges, in messages and in attention
"""

import pathlib
import random
import sys

SIZES = [5, 1, 4, 7, 0, 6, 3, 8, 4, 5]  # vertices of each graph
VERTICES = sum(SIZES)
EDGES = 60
PAIRS = 50
TRAIN = """
mesh grid = [rows, cols]
{layouts}layout parts on grid {{ microbatches = 2 }}
layout best on grid = auto

train {case} on tables {{
    loss      = {loss}
    optimizer = sgd(rate = 0.02, momentum = 0.5)
    epochs    = 20
    layout    = best
}}
"""

HEAD = f"""import "std/graph.plan"
import "std/dense.plan"

dim graph  = {len(SIZES)}
dim vertex = {VERTICES}
dim word   = 4
dim hidden = 6
dim class  = 3
"""

POOLED = """
network pooled(
    a: sparse[vertex, vertex', f32],
    g: sparse[graph, vertex, f32],
    of: sparse[vertex, graph, f32],
    x: f32[vertex, word],
    size: f32[graph],
) -> f32[graph, class] {
    h      = tanh(dense(gin(a, dropout(x, rate = 0.2)), hidden))
    apart  = h - spmm(of, spmm(g, h, reduce = mean))
    k      = tanh(dense(gin(a, apart), hidden))
    pool   = spmm(g, k) * size + spmm(g, k, reduce = max) + attention_pool(g, h)
    logits = dense(dropout(pool, rate = 0.1), class)
    return logits
}

data tables = graph("graphs.csv", header = true) {
    a     = edges("edges.csv", weight = 2)
    g     = groups("vertices.csv", column = 1)
    of    = lookup("vertices.csv", column = 1)
    x     = columns(2..6, table = "vertices.csv") * 0.5
    size  = column(2) / 4
    label = column(0)
    split = column(1)
}
"""

POOLED_LAYOUTS = """layout vertices on grid { vertex -> [rows, cols] }
layout graphs on grid { graph -> [rows, cols] }
layout both on grid { graph -> rows; vertex -> cols }
layout in_turn on grid { vertex -> [rows, cols]; pool { vertex -> none; graph -> [rows, cols] }; logits { graph -> [rows, cols] } }
layout features on grid { vertex -> rows; h { hidden -> cols }; pool { hidden -> cols } }
"""

LINKS = f"""dim pair   = {PAIRS}

network links(
    a: sparse[vertex, vertex', f32],
    from: sparse[pair, vertex, f32],
    to: sparse[pair, vertex, f32],
    x: f32[vertex, word],
) -> f32[pair, class: 2] {{
    h      = tanh(gcn(a, x, hidden))
    z      = gcn(a, h, hidden)
    logits = link_logits(from, to, z, class: 2)
    return logits
}}

data tables = graph("pairs.csv", header = true) {{
    a     = edges("edges.csv", weight = 2)
    from  = lookup("pairs.csv", column = 0)
    to    = lookup("pairs.csv", column = 1, negatives_of = 0, seed = 5)
    x     = columns(2..6, table = "vertices.csv")
    label = column(2)
    split = column(3)
}}
"""

LINKS_LAYOUTS = """layout vertices on grid { vertex -> [rows, cols] }
layout pairs on grid { vertex -> [rows, cols]; logits { vertex -> none; pair -> [rows, cols] } }
layout both on grid { vertex -> rows; pair -> cols }
layout features on grid { vertex -> rows; hidden -> cols }
"""

BONDS = f"""dim edge   = {EDGES}

network bonds(
    g: sparse[graph, vertex, f32],
    from: sparse[edge, vertex, f32],
    into: sparse[vertex, edge, f32],
    x: f32[vertex, word],
    length: f32[edge, part: 2],
) -> f32[graph, class] {{
    f      = dense(length, hidden)
    h      = tanh(gine(from, into, dense(x, hidden), f))
    score  = columns_of(into, reduce_sum(spmm(from, h) * f, over = hidden))
    shares = edge_softmax(into, edges(into) * score)
    k      = spmm(into, spmm(from, h), weights = shares)
    logits = dense(spmm(g, k), class)
    return logits
}}

data tables = graph("graphs.csv", header = true) {{
    g      = groups("vertices.csv", column = 1)
    from   = lookup("edges.csv", column = 0)
    into   = groups("edges.csv", column = 1)
    x      = columns(2..6, table = "vertices.csv")
    length = columns(2..4, table = "edges.csv")
    label  = column(0)
    split  = column(1)
}}
"""

BONDS_LAYOUTS = """layout vertices on grid { vertex -> [rows, cols] }
layout of_edges on grid { edge -> [rows, cols] }
layout both on grid { vertex -> rows; edge -> cols }
layout features on grid { vertex -> rows; hidden -> cols }
"""

CASES = {
    "pooled": (POOLED, POOLED_LAYOUTS, "cross_entropy(pooled(a, g, of, x, size), label)"),
    "links": (LINKS, LINKS_LAYOUTS, "cross_entropy(links(a, from, to, x), label)"),
    "bonds": (BONDS, BONDS_LAYOUTS, "cross_entropy(bonds(g, from, into, x, length), label)"),
}


def write(path, header, rows):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in [header, *rows]))


def part_of(number):
    return ("train", "validation", "test", "train")[number % 4]


def make(case, folder):
    data, layouts, loss = CASES[case]
    draw = random.Random(3)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{case}.plan").write_text(HEAD + data + TRAIN.format(case=case, layouts=layouts, loss=loss))
    of, first = [], []
    for graph, size in enumerate(SIZES):
        first.append(len(of))
        of += [graph] * size
    vertices = [(f"v{v}", graph, *(f"{draw.uniform(-2, 2):.3f}" for _ in range(4))) for v, graph in enumerate(of)]
    edges = set()
    while len(edges) < EDGES:
        u = draw.randrange(VERTICES)
        edges.add((u, first[of[u]] + draw.randrange(SIZES[of[u]])))
    pairs = [(u, v, 1) for u, v in draw.sample(sorted(edges), PAIRS // 2)]
    pairs += [(u, "", 0) for u, _, _ in pairs]
    write(folder / "vertices.csv", ("name", "graph", "a", "b", "c", "d"), vertices)
    write(folder / "edges.csv", ("source", "target", "weight", "angle"),
          [(*edge, f"{draw.uniform(0.2, 2):.4f}", f"{draw.uniform(-1, 1):.4f}") for edge in sorted(edges)])
    write(folder / "pairs.csv", ("source", "target", "label", "split"), [(*pair, part_of(i)) for i, pair in enumerate(pairs)])
    write(folder / "graphs.csv", ("label", "split", "size"), [(draw.randrange(3), part_of(g), n) for g, n in enumerate(SIZES)])


if __name__ == "__main__":
    make(sys.argv[1], pathlib.Path(sys.argv[2]))
