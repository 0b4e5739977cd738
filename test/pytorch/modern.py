"""The reduced networks of `stdlib/networks/` in PyTorch: (weights by name, fields by name) -> loss, as in models.py."""

import torch
from torch.nn import functional as F

from convolutional import batch_norm, conv, dense, dense_over_images, images


def conv_norm(x, w, name, activation, **settings):
    return activation(batch_norm(conv(x, w, f"{name}.filter", **settings), w, f"{name}.norm"))


def same(x):
    return x


def classified(x, w, fields):
    """The loss of the mean over the image."""
    return F.cross_entropy(dense(x.mean((2, 3)), w, "logits"), fields["label"])


def inverted_residual(x, w, name, activation, kernel=3, stride=1):
    y = conv_norm(x, w, f"{name}.wide", activation) if f"{name}.wide.filter.w" in w else x
    y = conv_norm(y, w, f"{name}.depthwise", activation, groups=y.shape[1], stride=stride, padding=kernel // 2)
    if f"{name}.scaled.shrink.w" in w:
        inner = activation(dense(y.mean((2, 3)), w, f"{name}.scaled.shrink"))
        y = y * torch.sigmoid(dense(inner, w, f"{name}.scaled.grow"))[:, :, None, None]
    y = conv_norm(y, w, f"{name}.project", same)
    return x + y if x.shape == y.shape else y


def mobile(w, fields, activation, stages):
    """Stages are number, kernel and stride of their blocks."""
    x = conv_norm(images(fields), w, "stem", activation, stride=2, padding=1)
    for stage, (depth, kernel, stride) in enumerate(stages):
        for i in range(depth):
            x = inverted_residual(x, w, f"body.stage[{stage}].block[{i}]", activation, kernel, stride if i == 0 else 1)
    return classified(conv_norm(x, w, "last", activation), w, fields)


def mobilenet(w, fields):
    return mobile(w, fields, F.relu6, [(1, 3, 1), (2, 3, 2), (1, 3, 1)])


def efficientnet(w, fields):
    return mobile(w, fields, F.silu, [(1, 3, 1), (2, 5, 2)])


def densenet(w, fields):
    def normed(x, name):
        return torch.relu(batch_norm(x, w, name))

    x = conv(images(fields), w, "stem", padding=1)
    for block, depth in enumerate([2, 3]):
        if block > 0:
            entry = f"body.block[{block}].entry"
            x = F.avg_pool2d(conv(normed(x, f"{entry}.norm"), w, f"{entry}.half"), 2)
        for i in range(depth):
            name = f"body.block[{block}].layer[{i}]"
            inner = conv(normed(x, f"{name}.norm1"), w, f"{name}.conv1")
            x = torch.cat([x, conv(normed(inner, f"{name}.norm2"), w, f"{name}.conv2", padding=1)], 1)
    return classified(normed(x, "body.norm"), w, fields)


def resnext(w, fields):
    def unit(x, name, **settings):
        return batch_norm(conv(x, w, f"{name}.conv", **settings), w, f"{name}.batch_norm")

    x = F.max_pool2d(torch.relu(unit(images(fields), "stem.conv1", stride=2, padding=3)), 3, 2, 1)
    for stage, stride in enumerate([1, 2]):
        name = f"body.stage[{stage}].block[0]"
        y = torch.relu(unit(x, f"{name}.conv1"))
        y = torch.relu(unit(y, f"{name}.conv2", stride=stride, padding=1, groups=8))
        skip = unit(x, f"{name}.skip", stride=stride) if f"{name}.skip.conv.w" in w else x
        x = torch.relu(unit(y, f"{name}.conv3") + skip)
    return classified(x, w, fields)


def layer_norm(x, w, name, epsilon=1e-5):
    return F.layer_norm(x, x.shape[-1:], w[f"{name}.scale"], w[f"{name}.b"], epsilon)


def convnext(w, fields):
    def over_channels(x, name):
        return layer_norm(x.movedim(1, -1), w, name, 1e-6).movedim(-1, 1)

    x = images(fields)
    for stage in range(2):
        path = f"body.stage[{stage}]"
        if stage == 0:
            x = over_channels(conv(x, w, f"{path}.entry.patches", stride=4), f"{path}.entry.norm")
        else:
            x = conv(over_channels(x, f"{path}.entry.norm"), w, f"{path}.entry.half", stride=2)
        for i in range(2):
            name = f"{path}.block[{i}]"
            y = conv(x, w, f"{name}.depthwise", padding=3, groups=x.shape[1]).movedim(1, -1)
            y = dense(F.gelu(dense(layer_norm(y, w, f"{name}.norm", 1e-6), w, f"{name}.grow")), w, f"{name}.shrink")
            x = x + (w[f"{name}.scale"] * y).movedim(-1, 1)
    return F.cross_entropy(dense(layer_norm(x.mean((2, 3)), w, "norm", 1e-6), w, "logits"), fields["label"])


def unet_norm(w, fields):
    def double(x, name):
        for part in ("first", "second"):
            x = conv_norm(x, w, f"{name}.{part}", torch.relu, padding=1)
        return x

    def down(x, name):
        return double(F.max_pool2d(x, 2), f"{name}.double")

    def up(x, skip, name):
        kernels = w[f"{name}.grown.w"].permute(2, 3, 0, 1)  # planc's [height, width, in, out], PyTorch's [in, out, height, width]
        grown = F.conv_transpose2d(x, kernels, w[f"{name}.grown.b"], stride=2)
        return double(torch.cat([skip, grown], 1), f"{name}.double")

    on_the_way = [double(images(fields), "body.whole")]
    for name in ("half", "fourth", "eighth", "bottom"):
        on_the_way.append(down(on_the_way[-1], f"body.{name}"))
    x = on_the_way.pop()
    for name in ("eighth", "fourth", "half", "whole"):
        x = up(x, on_the_way.pop(), f"body.up_{name}")
    return F.cross_entropy(conv(x, w, "logits"), fields["label"])


def cosmo(w, fields):
    x = fields["cube"].movedim(-1, 1)
    for stage in range(2):
        name = f"features.stage[{stage}].filter"
        kernels = w[f"{name}.w"].permute(4, 3, 0, 1, 2)
        x = F.conv3d(F.pad(x, (0, 1, 0, 1, 0, 1)), kernels, w[f"{name}.b"])
        x = F.max_pool3d(F.leaky_relu(x, 0.3), 2)
    x = F.leaky_relu(x.movedim(1, -1).flatten(1) @ w["parameter.fc1.w"].flatten(0, 3) + w["parameter.fc1.b"], 0.3)
    x = F.leaky_relu(dense(x, w, "parameter.fc2"), 0.3)
    return F.mse_loss(1.2 * torch.tanh(dense(x, w, "parameter.fc3")), fields["target"])


def resampled(w, fields):
    x = F.pad(F.pad(images(fields), (2, 2, 2, 2), "reflect"), (2, 2, 1, 1), value=0.5)
    x = conv_norm(x, w, "mixed.depthwise", F.silu, groups=3, padding=1)
    x = conv_norm(x, w, "mixed.pointwise", F.silu)
    x = F.interpolate(x, (17, 19), mode="bilinear", align_corners=False)
    x = F.interpolate(x, (9, 5), mode="bilinear", align_corners=True)
    x = F.interpolate(x, scale_factor=2)
    x = F.pixel_shuffle(F.pixel_unshuffle(x, 2) * torch.arange(32)[:, None, None] / 16, 2)
    x = F.adaptive_avg_pool2d(x, (4, 3)).cumsum(3)
    return F.cross_entropy(dense_over_images(x, w, "logits"), fields["label"])


def small_vae(w, fields):
    image = fields["image"]
    inner = torch.relu(dense(image, w, "mean.inner"))
    mean, log_variance = dense(inner, w, "mean.mean"), dense(inner, w, "mean.log_variance")
    drawn = mean + torch.exp(0.5 * log_variance) * fields["noise"]
    again = dense(torch.relu(dense(drawn, w, "again.inner")), w, "again.again")
    likelihood = F.binary_cross_entropy_with_logits(again, image, reduction="sum")
    return (likelihood - 0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()) / len(image)
