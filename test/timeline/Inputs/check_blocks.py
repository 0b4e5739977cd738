"""check_blocks.py FOLDER PAGE FIGURE...: checks the pictures of the matrices of small_graphs.py's case `mixed` on a page.

FIGURE is MATRIX:RxC, MATRIX:RxC*N or MATRIX:CxR': R x C blocks, row by row, each of one rank or of N ranks in a row; with ' the
ranks are counted column by column. The pictures are those of the page, in this order, and each block is what the files say."""
import pathlib
import re
import sys


def read(folder):
    edges = [tuple(map(int, line.split(",")[:2])) for line in (folder / "edges.csv").read_text().split()[1:]]
    entries = [tuple(map(int, line.split()[:2])) for line in (folder / "words.mtx").read_text().splitlines()[2:]]
    return {"a": (14, 14, {each for u, v in edges for each in ((u, v), (v, u))}),
            "words": (14, 11, {(v - 1, w - 1) for v, w in entries})}


def cut(extent, parts):
    """Balanced: the first parts are larger."""
    ends = [0]
    for part in range(parts):
        ends.append(ends[-1] + extent // parts + (part < extent % parts))
    return [range(*each) for each in zip(ends, ends[1:])]


def expected(matrix, figure):
    rows, columns, entries = matrix
    down, across, copies, turned = re.fullmatch(r"(\d+)x(\d+)(?:\*(\d+))?('?)", figure).groups()
    copies = int(copies or 1)
    blocks = set()
    for r, own_rows in enumerate(cut(rows, int(down))):
        for c, own_columns in enumerate(cut(columns, int(across))):
            block = [(v, u) for v, u in entries if v in own_rows and u in own_columns]
            first = copies * (c * int(down) + r if turned else r * int(across) + c)
            ranks = ", ".join(str(first + i) for i in range(copies))
            share = len(block) * int(down) * int(across) / len(entries)
            blocks.add(f"rank{'s' if copies > 1 else ''} {ranks}: {len(block)} nonzeros, {share:.2f} of the mean, in "
                       f"{len({v for v, _ in block})} of {len(own_rows)} rows and "
                       f"{len({u for _, u in block})} of {len(own_columns)} columns")
    return blocks


def main():
    matrices = read(pathlib.Path(sys.argv[1]))
    page = pathlib.Path(sys.argv[2]).read_text()
    pictures = [text for text in re.findall(r"<svg.*?</svg>", page, re.S) if " nonzeros, " in text]
    figures = [figure.split(":") for figure in sys.argv[3:]]
    assert len(pictures) == len(figures), [re.search("<title>(.*?)<", each)[1] for each in pictures]
    for picture, (name, figure) in zip(pictures, figures):
        assert f"<title>{name} in " in picture, (name, picture[:400])
        found = set(re.findall(r"<title>(ranks? .*?)</title>", picture))
        assert found == expected(matrices[name], figure), (name, figure, found ^ expected(matrices[name], figure))


main()
