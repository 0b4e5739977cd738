"""Tables of several kinds in one data set, each with a network: files for layouts.py.

  many_graphs.py CASE FOLDER     writes FOLDER/CASE.plan and its data

pooled   many graphs as blocks of one matrix, one of them empty; labels and parts are those of graphs
"""

import pathlib
import random
import sys

SIZES = [5, 1, 4, 7, 0, 6, 3, 8, 4, 5]  # vertices of each graph
VERTICES = sum(SIZES)
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
    a     = edges("edges.csv")
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

CASES = {"pooled": (POOLED, POOLED_LAYOUTS, "cross_entropy(pooled(a, g, of, x, size), label)")}


def write(path, header, rows):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in [header, *rows]))


def part_of(number):
    return ("train", "validation", "test", "train")[number % 4]


def make(case, folder):
    data, layouts, loss = CASES[case]
    draw = random.Random(3)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{case}.plan").write_text(HEAD + data + TRAIN.format(case=case, layouts=layouts, loss=loss))
    edges, vertices, first = set(), [], 0
    for graph, size in enumerate(SIZES):
        edges |= {(first + draw.randrange(size), first + draw.randrange(size)) for _ in range(2 * size)}
        vertices += [(f"v{first + v}", graph, *(f"{draw.uniform(-2, 2):.3f}" for _ in range(4))) for v in range(size)]
        first += size
    write(folder / "edges.csv", ("source", "target", "weight"), [(u, v, f"{draw.uniform(0.2, 2):.4f}") for u, v in sorted(edges)])
    write(folder / "vertices.csv", ("name", "graph", "a", "b", "c", "d"), vertices)
    write(folder / "graphs.csv", ("label", "split", "size"), [(draw.randrange(3), part_of(g), n) for g, n in enumerate(SIZES)])


if __name__ == "__main__":
    make(sys.argv[1], pathlib.Path(sys.argv[2]))
