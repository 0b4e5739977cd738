"""scattered_ring.py N DIR: a ring of N vertices in which neighbours have numbers far apart; a table and features of them."""
import pathlib
import sys

count, where = int(sys.argv[1]), pathlib.Path(sys.argv[2])
number = [1 + 27 * i % count for i in range(count)]  # 27 has no factor of 2
edges = {(number[i], number[(i + step) % count]) for i in range(count) for step in (-1, 1)}
header = "%%MatrixMarket matrix coordinate pattern general\n"
(where / "graph_summary.mtx").write_text(header + f"{count} {count} {len(edges)}\n" + "".join(f"{a} {b}\n" for a, b in edges))
(where / "graph_summary_features.mtx").write_text(header + f"{count} 3 1\n1 1\n")
(where / "graph_summary.csv").write_text("0\n1\n" * (count // 2))
