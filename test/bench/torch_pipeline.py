"""The perceptron of Inputs/pipeline.plan in PyTorch, as two stages under 1F1B written by hand over gloo.

  torch_pipeline.py RANK PORT STEPS BATCH HIDDEN MICRO_BATCHES      prints the median seconds of a step on rank 0

Tensors travel by isend and irecv; the receive of the next micro-batch is under way while one is computed. A step is
zero_grad, all micro-batches, update, and reading the loss, which the last rank sends to the first as planc's programs do.
"""

import os
import statistics
import sys
import time

import torch
from torch import distributed, nn
from torch.nn import functional as F

SKIPPED = 5
BLOCKS = 4  # of a stage


class Stage:
    def __init__(self, rank, batch, hidden, count):
        self.rank, self.count, self.shape = rank, count, (batch // count, hidden)
        self.layers = nn.Sequential(*(m for _ in range(BLOCKS) for m in (nn.Linear(hidden, hidden), nn.ReLU())))
        self.optimizer = torch.optim.SGD(self.layers.parameters(), lr=0.01)
        self.x, self.target = (torch.rand(count, *self.shape) for _ in range(2))
        self.sends, self.pending = [], []

    def expect(self, m):
        """Begins to receive what the other stage makes of micro-batch m: activations, or their gradient."""
        if m < self.count:
            into = torch.empty(self.shape)
            self.pending.append((into, distributed.irecv(into, 1 - self.rank, tag=m)))

    def arrived(self, m):
        into, request = self.pending.pop(0)
        request.wait()
        self.expect(m + 1)
        return into

    def send(self, tensor, m):
        self.sends.append(distributed.isend(tensor, 1 - self.rank, tag=m))

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.expect(0)
        loss = self.first() if self.rank == 0 else self.last()
        self.optimizer.step()
        for request in self.sends:
            request.wait()
        self.sends.clear()
        distributed.broadcast(loss, 1)
        return loss.item()

    def first(self):
        alive = []

        def forward(m):
            alive.append(self.layers(self.x[m]))
            self.send(alive[-1].detach(), m)

        forward(0)
        for m in range(1, self.count + 1):
            if m < self.count:
                forward(m)
            alive.pop(0).backward(self.arrived(m - 1))
        return torch.zeros(())

    def last(self):
        total = torch.zeros(())
        for m in range(self.count):
            received = self.arrived(m).requires_grad_()
            loss = F.mse_loss(self.layers(received), self.target[m]) / self.count
            loss.backward()
            self.send(received.grad, m)
            total += loss.detach()
        return total


def main():
    rank, port, steps, batch, hidden, count = map(int, sys.argv[1:])
    torch.set_num_threads(1)
    torch.manual_seed(rank)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    distributed.init_process_group("gloo", rank=rank, world_size=2)
    stage = Stage(rank, batch, hidden, count)
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        stage.step()
        times.append(time.perf_counter() - start)
    if rank == 0:
        print(statistics.median(times[SKIPPED:]))
    distributed.destroy_process_group()  # else its threads may still run at the exit, which then aborts


if __name__ == "__main__":
    main()
