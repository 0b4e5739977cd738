"""Convolutional networks of the .plan files in PyTorch: (weights by name, fields by name) -> loss, as in models.py.

planc's images are [batch, height, width, channel] and its windows [height, width, in, out], or [height, width, group,
group_in, group_out]; PyTorch's are [batch, channel, height, width] and [out, group_in, height, width].
"""

import torch
from torch.nn import functional as F


def images(fields):
    return fields["image"].permute(0, 3, 1, 2)


def conv(x, w, name, groups=1, **settings):
    weight = w[f"{name}.w"]
    weight = weight.permute(3, 2, 0, 1) if groups == 1 else weight.permute(2, 4, 3, 0, 1).flatten(0, 1)
    return F.conv2d(x, weight, w.get(f"{name}.b"), groups=groups, **settings)


def batch_norm(x, w, name, epsilon=1e-5):
    """The running statistics among the weights are moved."""
    return F.batch_norm(x, *(w[f"{name}.{part}"] for part in ("mean", "variance", "scale", "b")), True, 0.1, epsilon)


def dense(x, w, name):
    return x @ w[f"{name}.w"] + w[f"{name}.b"]


def dense_over_images(x, w, name):
    return x.flatten(1) @ w[f"{name}.w"].permute(2, 0, 1, 3).flatten(0, 2) + w[f"{name}.b"]


def lenet(w, fields):
    x = F.max_pool2d(torch.relu(conv(images(fields), w, "conv1", padding=2)), 2)
    x = F.max_pool2d(torch.relu(conv(x, w, "conv2")), 2)
    x = torch.relu(dense(torch.relu(dense_over_images(x, w, "fc1")), w, "fc2"))
    return F.cross_entropy(dense(x, w, "logits"), fields["label"])


def vgg11(w, fields):
    x = images(fields)
    for stage, depth in enumerate([1, 1, 2, 2, 2]):
        for i in range(depth):
            x = torch.relu(conv(x, w, f"features.stage[{stage}].conv[{i}]", padding=1))
        x = F.max_pool2d(x, 2)
    return F.cross_entropy(dense(torch.relu(dense_over_images(x, w, "fc1")), w, "fc2"), fields["label"])


def conv_and_norm(x, w, name, **settings):
    return batch_norm(conv(x, w, f"{name}.conv", **settings), w, f"{name}.batch_norm")


def residual(x, w, fields):
    """The loss of ResNet-18 after its stem: four stages of two blocks each."""
    for stage in range(4):
        for i in range(2):
            block, stride = f"body.stage[{stage}].block[{i}]", 2 if stage > 0 and i == 0 else 1
            y = torch.relu(conv_and_norm(x, w, f"{block}.conv1", stride=stride, padding=1))
            y = conv_and_norm(y, w, f"{block}.conv2", padding=1)
            x = torch.relu(y + (x if stride == 1 else conv_and_norm(x, w, f"{block}.skip", stride=stride)))
    return F.cross_entropy(dense(x.mean((2, 3)), w, "logits"), fields["label"])


def resnet18(w, fields):
    stem = torch.relu(conv_and_norm(images(fields), w, "stem.conv1", stride=2, padding=3))
    return residual(F.max_pool2d(stem, 3, 2, 1), w, fields)


def resnet_cifar(w, fields):
    return residual(torch.relu(conv_and_norm(images(fields), w, "stem", padding=1)), w, fields)


def branches(x, w, name):
    three = F.silu(conv(x, w, f"{name}.three_1"))
    return torch.cat([
        conv(x, w, f"{name}.one"),
        conv(three, w, f"{name}.three", padding=(1, 2), groups=2),
        conv(x, w, f"{name}.dilated", padding=2, dilation=2),
        conv(x, w, f"{name}.far", padding=(6, 3), dilation=(6, 3)),
        conv(x, w, f"{name}.depthwise", padding=1, groups=12),
        conv(F.pad(x, (1, 0, 1, 2)), w, f"{name}.even"),
        conv(F.avg_pool2d(x, 3, 1, 1), w, f"{name}.counted"),
        F.avg_pool2d(x, 5, 1, 2, count_include_pad=False),
        F.max_pool2d(x, 3, 1, 1),
    ], 1)


def reduction(x, w, name):
    return torch.cat([
        conv(x, w, f"{name}.three", stride=2),
        conv(x, w, f"{name}.uneven", stride=2, groups=5),
        F.avg_pool2d(x, 3, 2),
        F.max_pool2d(x, 3, 2),
    ], 1)


def inception(w, fields):
    stem = F.silu(conv(images(fields), w, "stem", stride=(2, 1), padding=2))
    norm = F.silu(batch_norm(branches(stem, w, "wide"), w, "norm", 0.001))
    pooled = F.avg_pool2d(torch.tanh(reduction(norm, w, "small")), 3, 2, 1, count_include_pad=False)
    padded = F.avg_pool2d(pooled, 2, 2, 1)
    return F.cross_entropy(dense_over_images(padded, w, "logits"), fields["label"])


def unet(w, fields):
    def same(x, name):
        return F.silu(conv(x, w, name, padding=1))

    def up(x, skip, name):
        return same(torch.cat([F.interpolate(x, scale_factor=2), skip], 1), f"{name}.mixed")

    first = same(images(fields), "first")
    second = same(F.avg_pool2d(first, 2), "second")
    bottom = same(F.max_pool2d(second, 2), "bottom")
    whole = up(up(bottom, second, "middle"), first, "whole")
    return F.cross_entropy(conv(whole, w, "logits"), fields["label"])
