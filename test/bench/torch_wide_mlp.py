"""wide_mlp of examples/ in PyTorch, with DistributedDataParallel over gloo where there are several ranks.

  torch_wide_mlp.py RANK RANKS PORT STEPS      prints the median seconds of a step on rank 0
"""

import os
import statistics
import sys
import time

import torch

BATCH, SKIPPED = 128, 5


def main():
    rank, ranks, port, steps = map(int, sys.argv[1:])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(784, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 10)
    )
    if ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    image, label = torch.rand(BATCH // ranks, 784), torch.randint(10, (BATCH // ranks,))

    times = []
    for _ in range(steps):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(image), label)
        loss.backward()
        optimizer.step()
        loss.item()
        times.append(time.perf_counter() - start)
    if rank == 0:
        print(statistics.median(times[SKIPPED:]))


if __name__ == "__main__":
    main()
