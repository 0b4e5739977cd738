"""The networks of the .plan files in PyTorch: (weights by name, fields by name) -> loss.

The weights are those that planc's program saved, under its names and in its order of dimensions, so nothing is copied
over or transposed; where a network reads a weight by einsum, it uses the letters of its dimensions.
"""

import torch
from torch.nn import functional as F


def mlp(w, fields):
    def dense(x, layer):
        return x @ w[f"{layer}.w"] + w[f"{layer}.b"]

    hidden = torch.relu(dense(torch.tanh(dense(fields["image"], "h1")), "h2"))
    return F.cross_entropy(dense(hidden, "logits"), fields["label"])


def autoencoder(w, fields):
    image = fields["image"]
    code = torch.tanh(image @ w["outer"]) @ w["inner"]
    again = torch.sigmoid(torch.tanh(code @ w["inner"].T) @ w["outer"].T + w["shift"])
    return F.mse_loss(again, image)


def gated(w, fields):
    def rms(x, name):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * w[f"{name}.scale"]

    x = fields["x"]
    for i in range(3):
        n, path = rms(x, f"block[{i}].norm"), f"block[{i}].mlp"
        x = x + (F.silu(n @ w[f"{path}.gate"]) * (n @ w[f"{path}.up"])) @ w[f"{path}.down"]
    return F.cross_entropy(rms(x, "norm") @ w["head"], fields["label"])


def sine(w, fields):
    def soft(x, name):
        y = x @ w[f"{name}.w"] + w[f"{name}.b"]
        return y / (1 + y.abs())

    x = fields["x"]
    waves = soft(torch.sin(3 * soft(x, "waves.soft[0]")) + torch.cos(x.mean(-1, keepdim=True)), "waves.soft[1]")
    bump = torch.exp(-waves**2) * F.softplus(waves) - (waves**2 + 0.5) ** 0.75
    return F.mse_loss(bump @ w["w"], fields["y"])


def vit(w, fields):
    def normalise(x, name):
        return F.layer_norm(x, x.shape[-1:], w[f"{name}.gain"], w[f"{name}.shift"])

    def attend(x, name):
        q, k, v = (torch.einsum("bpm,mhf->bhpf", x, w[f"{name}.{part}"]) for part in ("query", "key", "value"))
        p = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1)
        return torch.einsum("bhpf,hfm->bpm", p @ v, w[f"{name}.out"])

    def feed_forward(x, name):
        return F.gelu(x @ w[f"{name}.up"] + w[f"{name}.up_bias"]) @ w[f"{name}.down"]

    patches = fields["image"] @ w["embed"]
    x = torch.cat([w["token"].expand(len(patches), 1, -1), patches], 1) + w["place"]
    x = normalise(x + attend(x, "first.attend"), "first.layer_normalise")
    x = normalise(x + feed_forward(x, "wide.grow_and_shrink"), "wide.layer_normalise")
    x = x + attend(normalise(x, "normed"), "second")
    x = x + feed_forward(normalise(x, "again"), "deep")
    return F.cross_entropy(x[:, 0] @ w["head_weight"], fields["label"])


def word2vec(w, fields):
    word, around = F.embedding(fields["centre"], w["words"]), F.embedding(fields["neighbour"], w["neighbours"])
    return F.softplus(-torch.einsum("bf,bsf->bs", word, around) * fields["sign"]).mean()


def mixer(w, fields):
    def dense(x, name):
        return x @ w[f"{name}.w"] + w[f"{name}.b"]

    def normalise(x, name):
        centred = x - x.mean(-1, keepdim=True)
        return w[f"{name}.gain"] * centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + 1e-3)

    x = dense(fields["image"], "stem")
    for i in range(2):
        path = f"block[{i}].y"
        across = normalise(x, f"{path}.n1").transpose(1, 2)
        x = x + dense(F.gelu(dense(across, f"{path}.grown")), f"{path}.mixed").transpose(1, 2)
        x = x + dense(F.gelu(dense(normalise(x, f"{path}.n2"), f"{path}.wide")), f"{path}.narrow")
    return F.cross_entropy(dense(normalise(x, "final").mean(1), "logits"), fields["label"])


def recurrent(w, fields):
    x, h = fields["x"], w["start"]
    for now in x.unbind(1):
        gate = torch.sigmoid(now @ w["gate_inward"] + h @ w["gate_around"])
        h = gate * h + (1 - gate) * torch.tanh(now @ w["inward"] + h @ w["around"])
    return F.cross_entropy(h @ w["outward"], fields["label"])


def click(w, fields):
    raw = fields["numbers"] @ w["bottom"]
    single = torch.where(raw > 0, raw, w["slope"] * raw)
    vectors = torch.cat([single[:, None], F.embedding(fields["categories"], w["table"])], 1)
    flat = (vectors @ vectors.transpose(1, 2)).triu(1).flatten(1)
    score = torch.maximum(flat @ w["top"], torch.tensor(-0.1)) @ w["last"]
    return F.mse_loss(torch.sigmoid(score), fields["clicked"])


def gpt(w, fields):
    """Radford et al. 2019: pre-norm blocks of causal attention and feed-forward, one table for tokens and logits."""

    def normalise(x, name):
        return F.layer_norm(x, x.shape[-1:], w[f"{name}.scale"], w[f"{name}.b"])

    def dense(x, name):
        return x @ w[f"{name}.w"] + w[f"{name}.b"]

    def attend(x, name):
        def project(part):
            return (x @ w[f"{name}.{part}.w"].flatten(1) + w[f"{name}.{part}.b"].flatten()).view(
                *x.shape[:2], *w[f"{name}.{part}.b"].shape
            ).transpose(1, 2)

        query, key, value = project("query"), project("key"), project("value")
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        seen = torch.softmax(scores.masked_fill(future, float("-inf")), -1) @ value
        return seen.transpose(1, 2).flatten(2) @ w[f"{name}.output.w"].flatten(0, 1) + w[f"{name}.output.b"]

    x = F.embedding(fields["token"], w["table"]) + w["placed.table"]
    blocks = 0
    while f"block[{blocks}].norm1.scale" in w:
        path = f"block[{blocks}]"
        x = x + attend(normalise(x, f"{path}.norm1"), f"{path}.attention")
        x = x + dense(F.gelu(dense(normalise(x, f"{path}.norm2"), f"{path}.mlp.grow")), f"{path}.mlp.shrink")
        blocks += 1
    logits = normalise(x, "norm") @ w["table"].T
    return F.cross_entropy(logits.flatten(0, 1), fields["next"].flatten())


def batch_norm(w, fields):
    """The running statistics among the weights are moved."""

    def normalise(x, name, momentum, epsilon):
        flat = F.batch_norm(x.flatten(0, -2), *(w[f"{name}.{part}"] for part in ("mean", "variance", "scale", "b")), True,
                            momentum, epsilon)
        return flat.view(x.shape)

    def dense(x, name):
        return x @ w[f"{name}.w"] + w[f"{name}.b"]

    h1 = torch.tanh(normalise(fields["x"] @ w["h1.dense.w"], "h1.batch_norm", 0.1, 1e-5))
    h2 = normalise(dense(h1, "h2.dense"), "h2.batch_norm", 0.3, 1e-3)
    logits = torch.relu(h2).flatten(1) @ w["logits.w"].flatten(0, 1) + w["logits.b"]
    return F.cross_entropy(logits, fields["label"])


def losses(w, fields):
    image, target, share = fields["image"].movedim(-1, 1), fields["target"], fields["share"]
    kernels = w["normed.conv.w"]  # planc's [height, width, in, out]
    x = F.conv2d(image, kernels.permute(3, 2, 0, 1), w["normed.conv.b"], padding=1)
    x = F.group_norm(x, 4, w["normed.group_norm.scale"], w["normed.group_norm.b"])
    own = F.instance_norm(torch.relu(x), weight=w["own.scale"], bias=w["own.b"])
    y = own.movedim(1, -1).flatten(1) @ w["logits.w"].flatten(0, 2) + w["logits.b"]
    probability = torch.sigmoid(y)
    each = F.binary_cross_entropy_with_logits(y, share, reduction="none")  # as torchvision.ops.sigmoid_focal_loss
    right = probability * share + (1 - probability) * (1 - share)
    focal = ((0.25 * share + 0.75 * (1 - share)) * (1 - right) ** 2 * each).mean()
    weight = torch.tensor([1, 0.5, 2, 1, 3])
    labels = F.cross_entropy(y, fields["label"], weight, ignore_index=2, label_smoothing=0.1)
    return (0.5 * labels + each.mean() + focal
            - 0.1 * (1 - F.cosine_similarity(y, target, dim=-1)).mean()
            + 0.2 * (F.relu(1 - y * fields["sign"]).mean() + F.huber_loss(y, target, delta=0.7)) + F.l1_loss(y, target) / 3)


def transposed(w, fields):
    image = fields["image"].movedim(-1, 1)
    kernels = w["grown.w"].permute(2, 3, 0, 1)  # planc's [height, width, in, out], PyTorch's [in, out, height, width]
    x = torch.relu(F.conv_transpose2d(image, kernels, w["grown.b"], stride=2, padding=(1, 2), output_padding=(1, 0)))
    of_groups = w["parts.w"].permute(2, 3, 4, 0, 1).flatten(0, 1)  # [height, width, group, in, out]
    x = torch.relu(F.conv_transpose2d(x, of_groups, stride=(1, 3), dilation=2, groups=4))
    x = F.conv2d(x, w["narrow.w"].permute(3, 2, 0, 1), w["narrow.b"], stride=2)
    y = x.movedim(1, -1).flatten(1) @ w["logits.w"].flatten(0, 2) + w["logits.b"]
    return F.cross_entropy(y, fields["label"])


def shared(w, fields):
    """Two towers and three recurrent cells, each with one set of weights; the running statistics are moved by each call."""

    def tower(x):
        grown = x @ w["tower.grow.dense.w"]
        normed = F.batch_norm(grown, *(w[f"tower.grow.batch_norm.{part}"] for part in ("mean", "variance", "scale", "b")), True)
        return torch.relu(normed) @ w["tower.narrow.w"] + w["tower.narrow.b"]

    def flat(name):
        """PyTorch's weights [gate * out, in], of planc's [in, gate, out], and its biases."""
        weights = [w[f"{name}.{part}"].flatten(1).T for part in "wu"]
        return *weights, *(w[f"{name}.{part}"].flatten() for part in "bd")

    batch = fields["label"].numel()
    h, c, g, r = (torch.zeros(batch, 14) for _ in range(4))
    for letter in fields["letters"].unbind(1):
        h, c = torch.lstm_cell(letter, (h, c), *flat("lstm"))
        g = torch.gru_cell(h, g, *flat("gru"))
        r = torch.rnn_tanh_cell(g, r, *flat("rnn"))
    both = torch.cat([torch.abs(tower(fields["left"]) - tower(fields["right"])), h + c + g + r], 1)
    return F.cross_entropy(both @ w["logits.w"] + w["logits.b"], fields["label"])


def small(w, fields):
    def dense(x, name):
        return x @ w[f"{name}.w"] + w[f"{name}.b"]

    h1 = torch.tanh(dense(fields["x"], "h1"))
    normalised = F.layer_norm(h1, h1.shape[-1:], w["norm.scale"], w["norm.b"])
    return F.cross_entropy(dense(F.gelu(dense(normalised, "h2")), "logits"), fields["label"])


def of_training(logits, fields):
    return F.cross_entropy(logits[fields["train"]], fields["label"][fields["train"]])


def gcn(w, fields):
    def layer(x, name):
        return torch.sparse.mm(fields["symmetric"], x @ w[f"{name}.project.w"]) + w[f"{name}.b"]

    return of_training(layer(torch.relu(layer(fields["x"], "h")), "logits"), fields)


def gin(w, fields):
    def layer(x, name):
        return (1 + w[f"{name}.epsilon"]) * x + torch.sparse.mm(fields["a"], x)

    def dense(x, name):
        return x @ w[f"{name}.w"] + w[f"{name}.b"]

    h = torch.relu(dense(layer(fields["x"], "sums"), "h"))
    return of_training(dense(layer(h, "again"), "logits"), fields)


def sage(w, fields):
    def layer(x, name):
        return x @ w[f"{name}.own"] + torch.sparse.mm(fields["rows"], x @ w[f"{name}.project.w"]) + w[f"{name}.b"]

    return of_training(layer(torch.relu(layer(fields["x"], "h")), "logits"), fields)


def appnp(w, fields):
    z = start = torch.relu(fields["x"] @ w["h.w"] + w["h.b"]) @ w["logits.w"] + w["logits.b"]
    for _ in range(3):
        z = 0.9 * torch.sparse.mm(fields["symmetric"], z) + 0.1 * start
    return of_training(z, fields)


def attention(fields, scores, values):
    """The sum of `values` over the edges of each target, weighted by the softmax of `scores` [edge, head]."""
    target, source = fields["loops"].indices()
    vertices = fields["loops"].shape[0]
    place = target[:, None].expand(-1, scores.shape[1])
    top = scores.new_full((vertices, scores.shape[1]), -torch.inf).scatter_reduce(0, place, scores.detach(), "amax")
    powers = torch.exp(scores - top[target])
    shares = powers / scores.new_zeros(vertices, scores.shape[1]).index_add(0, target, powers)[target]
    return values.new_zeros(values.shape).index_add(0, target, shares[:, :, None] * values[source])


def gat(w, fields):
    target, source = fields["loops"].indices()

    def heads(x, name):
        h = torch.einsum("vi,ihf->vhf", x, w[f"{name}.project.w"])
        of_target, of_source = (h * w[f"{name}.of_target"]).sum(-1), (h * w[f"{name}.of_source"]).sum(-1)
        return attention(fields, F.leaky_relu(of_target[target] + of_source[source], 0.2), h)

    y = heads(fields["x"], "y.attention").flatten(1) + w["y.b"]
    return of_training(heads(torch.tanh(y), "logits.attention").mean(1) + w["logits.b"], fields)


def gatv2(w, fields):
    target, source = fields["loops"].indices()

    def heads(x, name):
        h, of_target = (torch.einsum("vi,ihf->vhf", x, w[f"{name}.{part}"]) for part in ("project.w", "own.w"))
        scores = (F.leaky_relu(of_target[target] + h[source], 0.2) * w[f"{name}.attention"]).sum(-1)
        return attention(fields, scores, h)

    y = heads(fields["x"], "y").flatten(1)
    return of_training(heads(torch.tanh(y), "z").flatten(1), fields)


def sage_max(w, fields):
    target, source = fields["a"].indices()

    def layer(x, name):
        inner = torch.relu(x @ w[f"{name}.pool.w"] + w[f"{name}.pool_b"])
        place = target[:, None].expand(-1, inner.shape[1])
        top = inner.new_zeros(inner.shape).scatter_reduce(0, place, inner[source], "amax", include_self=False)
        return x @ w[f"{name}.own"] + top @ w[f"{name}.project.w"] + w[f"{name}.b"]

    return of_training(layer(torch.tanh(layer(fields["x"], "h")), "logits"), fields)
