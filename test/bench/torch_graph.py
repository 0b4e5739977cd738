"""The network of Inputs/graph.plan in PyTorch, with torch.sparse.

  torch_graph.py FORMAT STEPS VERTICES NONZEROS      prints the median seconds of a step, or nothing if PyTorch cannot

FORMAT: coo or csr. A step is zero_grad, forward pass, loss, backward pass, update, and reading the loss.
"""

import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

SKIPPED = 5
WIDTHS = [128, 64, 64, 16]


class Gcn(nn.Module):
    def __init__(self, matrix):
        super().__init__()
        self.matrix = matrix
        self.layers = nn.ModuleList(nn.Linear(a, b, bias=False) for a, b in zip(WIDTHS, WIDTHS[1:]))
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(width)) for width in WIDTHS[1:])

    def forward(self, x):
        for number, (layer, bias) in enumerate(zip(self.layers, self.biases)):
            x = torch.sparse.mm(self.matrix, layer(x)) + bias
            if number + 1 < len(self.layers):
                x = F.relu(x)
        return x


def drawn_matrix(vertices, nonzeros, form):
    places = torch.randperm(vertices * vertices // 16)[:nonzeros] * 16 + torch.randint(16, (nonzeros,))
    rows, columns = places // vertices, places % vertices
    degree = torch.bincount(rows, minlength=vertices).float()
    matrix = torch.sparse_coo_tensor(torch.stack([rows, columns]), 1 / degree[rows], (vertices, vertices)).coalesce()
    return matrix.to_sparse_csr() if form == "csr" else matrix


def main():
    form, steps, vertices, nonzeros = sys.argv[1], *map(int, sys.argv[2:])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = Gcn(drawn_matrix(vertices, nonzeros, form))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    x, label = torch.rand(vertices, WIDTHS[0]), torch.randint(WIDTHS[-1], (vertices,))
    seconds = []
    for _ in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        try:
            loss = F.cross_entropy(network(x), label)
            loss.backward()
        except RuntimeError as error:  # some builds lack products of a format
            print(f"PyTorch's {form}: {str(error).splitlines()[0]}", file=sys.stderr)
            return 0
        optimizer.step()
        loss.item()
        seconds.append(time.perf_counter() - begin)
    print(statistics.median(seconds[SKIPPED:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
