"""The convolutional networks of run.py in PyTorch; torch_peer.py has the others."""

import torch
from torch import nn
from torch.nn import functional as F


class Images(nn.Module):
    """Trains on images of `SIDE` × `SIDE`; `layers` are the network."""

    CHANNELS, CLASSES, RATE = 3, 10, 0.001

    @classmethod
    def sample(cls, samples):
        return torch.rand(samples, cls.CHANNELS, cls.SIDE, cls.SIDE), torch.randint(cls.CLASSES, (samples,))

    def loss(self, x, y):
        return F.cross_entropy(self.layers(x), y)

    def optimizer(self):
        return torch.optim.SGD(self.parameters(), lr=self.RATE, momentum=0.9)


class Lenet(Images):
    BATCH, SIDE, CHANNELS, RATE = 128, 28, 1, 0.01

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(inplace=True), nn.Linear(120, 84), nn.ReLU(inplace=True), nn.Linear(84, 10),
        )


class Vgg11(Images):
    BATCH, SIDE = 64, 32

    def __init__(self):
        super().__init__()
        layers, inward = [], 3
        for width, depth in [(64, 1), (128, 1), (256, 2), (512, 2), (512, 2)]:
            for _ in range(depth):
                layers += [nn.Conv2d(inward, width, 3, padding=1), nn.ReLU(inplace=True)]
                inward = width
            layers.append(nn.MaxPool2d(2))
        self.layers = nn.Sequential(
            *layers, nn.Flatten(), nn.Linear(512, 4096), nn.ReLU(inplace=True), nn.Dropout(),
            nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(4096, self.CLASSES),
        )


class BasicBlock(nn.Module):
    def __init__(self, inward, width, stride):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.Conv2d(inward, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width),
        )
        self.skip = nn.Identity()
        if inward != width or stride != 1:
            self.skip = nn.Sequential(nn.Conv2d(inward, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        return F.relu(self.convolutions(x) + self.skip(x), inplace=True)


class Resnet18(Images):
    BATCH, SIDE = 32, 32

    def __init__(self):
        super().__init__()
        layers, inward = [nn.Conv2d(3, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)], 64
        for width in (64, 128, 256, 512):
            layers += [BasicBlock(inward, width, 1 if width == 64 else 2), BasicBlock(width, width, 1)]
            inward = width
        self.layers = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, self.CLASSES))


class Alexnet(Images):
    BATCH, SIDE, CLASSES = 16, 227, 1000

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 96, 11, 4), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(96, 256, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Conv2d(256, 384, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(384, 384, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
            nn.Flatten(), nn.Dropout(), nn.Linear(256 * 6 * 6, 4096), nn.ReLU(inplace=True),
            nn.Dropout(), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, self.CLASSES),
        )
