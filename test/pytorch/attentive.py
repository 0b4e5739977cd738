"""The reduced networks of `stdlib/networks/` on sequences and tables in PyTorch, as in models.py."""

import torch
from torch.nn import functional as F

from convolutional import conv, dense, images
from modern import layer_norm


def project(x, w, name):
    """[batch, head, position, feature]"""
    return torch.einsum("bpm,mhf->bhpf", x, w[f"{name}.w"]) + w[f"{name}.b"][:, None]


def causal(length):
    return torch.ones(length, length, dtype=torch.bool).tril()


def attention(x, w, name, memory=None, seen=None):
    """`seen` is true for what is not masked."""
    memory = x if memory is None else memory
    query, key, value = project(x, w, f"{name}.query"), project(memory, w, f"{name}.key"), project(memory, w, f"{name}.value")
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if seen is not None:
        scores = scores.masked_fill(~seen, -torch.inf)
    mixed = torch.softmax(scores, -1) @ value
    return torch.einsum("bhpf,hfm->bpm", mixed, w[f"{name}.output.w"]) + w[f"{name}.output.b"]


def mlp(x, w, name, activation):
    return dense(activation(dense(x, w, f"{name}.grow")), w, f"{name}.shrink")


def pre_norm(x, w, name, activation=F.gelu, seen=None, epsilon=1e-5):
    x = x + attention(layer_norm(x, w, f"{name}.norm1", epsilon), w, f"{name}.attention", seen=seen)
    return x + mlp(layer_norm(x, w, f"{name}.norm2", epsilon), w, f"{name}.mlp", activation)


def patch_embedding(image, w, name, size):
    return conv(image, w, f"{name}.filter", stride=size).flatten(2).transpose(1, 2)


def with_token(x, w, name):
    return torch.cat([w[f"{name}.token.token"].expand(len(x), 1, -1), x], 1) + w[f"{name}.placed.table"]


def patches(w, fields):
    x = with_token(patch_embedding(images(fields), w, "vit.patches", 4), w, "vit")
    for i in range(2):
        x = pre_norm(x, w, f"vit.block[{i}]", epsilon=1e-6)
    vit = layer_norm(x, w, "vit.norm", 1e-6)[:, 0]
    x = patch_embedding(images(fields), w, "mixer.patches", 4)
    for i in range(2):
        name = f"mixer.block[{i}]"
        x = x + mlp(layer_norm(x, w, f"{name}.norm1", 1e-6).transpose(1, 2), w, name, F.gelu).transpose(1, 2)
        x = x + mlp(layer_norm(x, w, f"{name}.norm2", 1e-6), w, f"{name}.mlp", F.gelu)
    mixer = layer_norm(x, w, "mixer.norm", 1e-6).mean(1)
    return F.cross_entropy(dense(vit + mixer, w, "logits"), fields["label"])


def rms_norm(x, w, name):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w[f"{name}.scale"]


def rotated(x, base=10000):
    """As in Hugging Face's Llama: x is [.., position, feature]."""
    position, feature = x.shape[-2:]
    frequencies = 1 / base ** (torch.arange(0, feature, 2, dtype=x.dtype) / feature)
    angles = torch.outer(torch.arange(position, dtype=x.dtype), frequencies)
    angles = torch.cat([angles, angles], -1)
    first, second = x.chunk(2, -1)
    return x * angles.cos() + torch.cat([-second, first], -1) * angles.sin()


def small_llama(w, fields):
    x = F.embedding(fields["token"], w["body.words.table"])
    for i in range(2):
        name = f"body.block[{i}]"
        n = rms_norm(x, w, f"{name}.norm1")
        query = rotated(torch.einsum("bpm,mghf->bghpf", n, w[f"{name}.attention.query.w"]))
        key, value = (torch.einsum("bpm,mgf->bgpf", n, w[f"{name}.attention.{part}.w"]) for part in ("key", "value"))
        scores = query @ rotated(key)[:, :, None].transpose(-1, -2) / query.shape[-1] ** 0.5
        mixed = torch.softmax(scores.masked_fill(~causal(x.shape[1]), -torch.inf), -1) @ value[:, :, None]
        x = x + torch.einsum("bghpf,ghfm->bpm", mixed, w[f"{name}.attention.output.w"])
        n = rms_norm(x, w, f"{name}.norm2")
        gate, up, down = (w[f"{name}.mlp.{part}.w"] for part in ("gate", "up", "down"))
        x = x + (F.silu(n @ gate) * (n @ up)) @ down
    logits = rms_norm(x, w, "body.norm") @ w["logits.w"]
    return F.cross_entropy(logits.flatten(0, 1), fields["next"].flatten())


def encoder_block(x, w, name, seen, activation, epsilon):
    x = layer_norm(x + attention(x, w, f"{name}.attention", seen=seen), w, f"{name}.norm1", epsilon)
    return layer_norm(x + mlp(x, w, f"{name}.mlp", activation), w, f"{name}.norm2", epsilon)


def attended(w, fields):
    x, memory, seen = fields["x"], fields["memory"], fields["seen"].bool()[:, None, None]
    x = x + attention(x, w, "own", seen=seen & causal(x.shape[1]))
    x = x + attention(x, w, "cross", memory)
    for name, base in (("grouped", 100), ("single", 10000)):
        query = rotated(torch.einsum("bpm,mghf->bghpf", x, w[f"{name}.query.w"]), base)
        key, value = (torch.einsum("bpm,mgf->bgpf", x, w[f"{name}.{part}.w"])[:, :, None] for part in ("key", "value"))
        scores = query @ rotated(key, base).transpose(-1, -2) / query.shape[-1] ** 0.5
        x = x + torch.einsum("bghpf,ghfm->bpm", torch.softmax(scores, -1) @ value, w[f"{name}.output.w"])
    return F.cross_entropy(dense(x.mean(1), w, "logits"), fields["label"])


def small_bert(w, fields):
    seen = fields["seen"].bool()[:, None, None]
    words = F.embedding(fields["token"], w["table"]) + F.embedding(fields["segment"], w["body.kind.table"])
    x = layer_norm(words + w["body.placed.table"], w, "body.norm", 1e-12)
    for i in range(2):
        x = encoder_block(x, w, f"body.block[{i}]", seen, F.gelu, 1e-12)
    x = layer_norm(F.gelu(dense(x, w, "logits.transform")), w, "logits.norm", 1e-12)
    logits = x @ w["table"].T + w["logits.b"]
    label = fields["label"].long().masked_fill(fields["weight"] == 0, -100)
    return F.cross_entropy(logits.flatten(0, 1), label.flatten())


def small_clip(w, fields):
    def blocks(x, name, seen):
        for i in range(2):
            x = pre_norm(x, w, f"{name}.body.block[{i}]", lambda y: y * torch.sigmoid(1.702 * y), seen)
        return x

    x = with_token(patch_embedding(images(fields), w, "images.patches", 4), w, "images")
    x = blocks(layer_norm(x, w, "images.norm1"), "images", None)
    image = F.normalize(layer_norm(x[:, 0], w, "images.norm2") @ w["images.out.w"], dim=-1)
    token = fields["token"]
    x = F.embedding(token, w["texts.words.table"]) + w["texts.placed.table"]
    x = layer_norm(blocks(x, "texts", causal(token.shape[1])), w, "texts.norm")
    text = F.normalize(x[torch.arange(len(x)), token.argmax(-1)] @ w["texts.out.w"], dim=-1)
    logits = w["log_scale"].exp() * image @ text.T
    each = torch.arange(len(logits))
    return (F.cross_entropy(logits, each) + F.cross_entropy(logits.T, each)) / 2


def placed_words(token, table):
    words = F.embedding(token, table) * table.shape[1] ** 0.5
    place = torch.arange(token.shape[1], dtype=table.dtype)[:, None]
    angle = place / 10000 ** (torch.arange(0, table.shape[1], 2, dtype=table.dtype) / table.shape[1])
    return words + torch.cat([angle.sin(), angle.cos()], -1)


def translation(w, fields):
    seen = fields["seen"].bool()[:, None, None]
    memory = placed_words(fields["source"], w["table"])
    for i in range(2):
        memory = encoder_block(memory, w, f"memory.block[{i}]", seen, torch.relu, 1e-5)
    x = placed_words(fields["target"], w["table"])
    for i in range(2):
        name = f"body.block[{i}]"
        x = layer_norm(x + attention(x, w, f"{name}.attention", seen=causal(x.shape[1])), w, f"{name}.norm1")
        x = layer_norm(x + attention(x, w, f"{name}.cross", memory, seen), w, f"{name}.norm2")
        x = layer_norm(x + mlp(x, w, f"{name}.mlp", torch.relu), w, f"{name}.norm3")
    return F.cross_entropy((x @ w["table"].T).flatten(0, 1), fields["next"].flatten())


def experts(x, w, name, slots, choices):
    """Position after position, all first choices before the second ones."""
    gates = torch.softmax(x @ w[f"{name}.router.w"], -1)
    batch, positions, count = gates.shape
    best = gates.topk(choices, -1)
    share = best.values if choices == 1 else best.values / best.values.sum(-1, keepdim=True)
    rows = []
    for b in range(batch):
        taken, row = [0] * count, [torch.zeros_like(x[b, 0]) for _ in range(positions)]
        for choice in range(choices):
            for p in range(positions):
                e = best.indices[b, p, choice]
                if taken[e] < slots:
                    taken[e] += 1
                    inner = torch.relu(x[b, p] @ w[f"{name}.grow"][e] + w[f"{name}.grow_b"][e])
                    row[p] = row[p] + share[b, p, choice] * (inner @ w[f"{name}.shrink"][e] + w[f"{name}.shrink_b"][e])
        rows.append(torch.stack(row))
    first = F.one_hot(best.indices[..., 0], count).to(x.dtype)
    return torch.stack(rows), count * (first.mean(1) * gates.mean(1)).sum(-1)


def mixtures(w, fields):
    def body(name, slots, choices):
        x = F.embedding(fields["token"], w["table"]) + w[f"{name}.placed.table"]
        seen = causal(x.shape[1])
        x = pre_norm(x, w, f"{name}.pair[0].plain", seen=seen)
        path = f"{name}.pair[0].mixed"
        x = x + attention(layer_norm(x, w, f"{path}.norm1"), w, f"{path}.attention", seen=seen)
        mixture, balance = experts(layer_norm(x, w, f"{path}.norm2"), w, f"{path}.mixture", slots, choices)
        return layer_norm(x + mixture, w, f"{name}.norm"), balance

    one, balance_1 = body("one", 3, 1)
    two, balance_2 = body("two", 4, 2)
    logits = (one + two) @ w["table"].T
    return F.cross_entropy(logits.flatten(0, 1), fields["next"].flatten()) + 0.1 * (balance_1 + balance_2).mean()


def small_dlrm(w, fields):
    def tower(x, name):
        for i in range(2):
            x = torch.relu(dense(x, w, f"{name}.layer[{i}].next"))
        return x

    bottom = tower(fields["number"], "bottom")
    rows = [F.embedding(fields["category"][:, i], w[f"vectors.table[{i}].row.table"]) for i in range(4)]
    vectors = torch.stack([bottom, *rows], 1)
    below = torch.tril_indices(5, 5, -1)
    pairs = (vectors @ vectors.transpose(1, 2))[:, below[0], below[1]]
    click = dense(tower(torch.cat([bottom, pairs], 1), "top"), w, "click")
    return F.binary_cross_entropy_with_logits(click.flatten(), fields["click"])


def letters(w, fields):
    x = F.embedding(fields["token"], w["body.words.table"])
    for i in range(2):
        cell = f"body.layer[{i}].next.cell"
        matrices = [w[f"{cell}.{part}"].flatten(1).T.contiguous() for part in "wu"]
        weights = [*matrices, *(w[f"{cell}.{part}"].flatten() for part in "bd")]
        zero = x.new_zeros(1, len(x), weights[1].shape[1])
        x = torch.lstm(x, (zero, zero), weights, True, 1, 0.0, False, False, True)[0]
    return F.cross_entropy(dense(x, w, "logits").flatten(0, 1), fields["next"].flatten())
