"""The networks of run.py in PyTorch, as its users write them: nn.Module, torch.optim, DistributedDataParallel over gloo.

  torch_peer.py NETWORK RANK RANKS PORT STEPS [channels_last]      prints the median seconds of a step on rank 0

With channels_last, the memory order of weights and images is [batch, height, width, channel], else PyTorch's default.
Extents, optimizer, global batch and element type are those of the .plan file. A step is zero_grad, forward, loss,
backward, update, and reading the loss, which planc's programs read too. The first steps are not counted.
"""

import math
import os
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

import torch_convolutional

SKIPPED = 5


class WideMlp(nn.Sequential):
    BATCH = 128

    def __init__(self):
        super().__init__(
            nn.Linear(784, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 10)
        )

    @staticmethod
    def sample(samples):
        return torch.rand(samples, 784), torch.randint(10, (samples,))

    def loss(self, x, y):
        return F.cross_entropy(self(x), y)

    def optimizer(self):
        return torch.optim.SGD(self.parameters(), lr=0.01, momentum=0.9)


class Attention(nn.Module):
    def __init__(self, model, heads, positions):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(model, 3 * model)  # query, key and value in one product
        self.out = nn.Linear(model, model)
        # no buffer: gloo cannot send truth values
        self.future = torch.ones(positions, positions, dtype=torch.bool).triu(1)

    def forward(self, x):
        batch, positions, model = x.shape
        parts = self.project(x).split(model, dim=2)
        query, key, value = (p.view(batch, positions, self.heads, -1).transpose(1, 2) for p in parts)
        scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(key.shape[-1]))
        weights = F.softmax(scores.masked_fill(self.future, float("-inf")), dim=-1)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, positions, model))


class Block(nn.Module):
    def __init__(self, model, heads, positions):
        super().__init__()
        self.first_norm, self.second_norm = nn.LayerNorm(model), nn.LayerNorm(model)
        self.attention = Attention(model, heads, positions)
        self.mlp = nn.Sequential(nn.Linear(model, 4 * model), nn.GELU(), nn.Linear(4 * model, model))

    def forward(self, x):
        x = x + self.attention(self.first_norm(x))
        return x + self.mlp(self.second_norm(x))


class Gpt(nn.Module):
    BATCH, POSITIONS, CHARACTERS, MODEL, HEADS, BLOCKS = 8, 128, 96, 256, 8, 4

    def __init__(self):
        super().__init__()
        self.token, self.place = nn.Embedding(self.CHARACTERS, self.MODEL), nn.Embedding(self.POSITIONS, self.MODEL)
        self.blocks = nn.Sequential(*(Block(self.MODEL, self.HEADS, self.POSITIONS) for _ in range(self.BLOCKS)))
        self.norm = nn.LayerNorm(self.MODEL)
        self.head = nn.Linear(self.MODEL, self.CHARACTERS, bias=False)
        self.head.weight = self.token.weight
        self.register_buffer("positions", torch.arange(self.POSITIONS))

    def forward(self, token):
        return self.head(self.norm(self.blocks(self.token(token) + self.place(self.positions))))

    @classmethod
    def sample(cls, samples):
        return tuple(torch.randint(cls.CHARACTERS, (samples, cls.POSITIONS)) for _ in range(2))

    def loss(self, x, y):
        return F.cross_entropy(self(x).flatten(0, 1), y.flatten())

    def optimizer(self):
        decayed = [p for p in self.parameters() if p.dim() > 1]
        others = [p for p in self.parameters() if p.dim() == 1]
        return torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-3
        )

    @staticmethod
    def rate(step):
        """Its share of the peak: 20 steps of warm-up, then a cosine to a tenth at step 200."""
        if step < 20:
            return (step + 1) / 21
        return 0.1 + 0.45 * (1 + math.cos(math.pi * min((step - 20) / 180, 1)))


class WithLoss(nn.Module):
    """Has the loss as its output, so that DistributedDataParallel wraps both network and loss."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, y):
        return self.network.loss(x, y)


NETWORKS = {
    "wide_mlp": WideMlp,
    "gpt": Gpt,
    "lenet": torch_convolutional.Lenet,
    "vgg11": torch_convolutional.Vgg11,
    "resnet18": torch_convolutional.Resnet18,
    "alexnet": torch_convolutional.Alexnet,
}


def main():
    name, (rank, ranks, port, steps) = sys.argv[1], map(int, sys.argv[2:6])
    layout = {"memory_format": torch.channels_last} if "channels_last" in sys.argv[6:] else {}
    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = NETWORKS[name]().to(**layout)
    optimizer = network.optimizer()
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, network.rate) if hasattr(network, "rate") else None
    model = WithLoss(network)
    if ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
        model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    x, y = network.sample(network.BATCH // ranks)
    x = x.contiguous(**layout)

    times = []
    for _ in range(steps):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = model(x, y)
        loss.backward()
        if schedule:  # gpt
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        if schedule:
            schedule.step()
        loss.item()
        times.append(time.perf_counter() - start)
    if rank == 0:
        print(statistics.median(times[SKIPPED:]))


if __name__ == "__main__":
    main()
