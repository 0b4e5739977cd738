"""Optimizers and schedules, written from the published formulas, one parameter at a time and without torch.optim.

`t` counts the steps done before; gradients and weights are tensors of torch. An optimizer is a function
(weights, gradients, t, state) that changes the weights; `state` is a dictionary of its own.
"""

import math


# --- schedules: the rate in step t ---------------------------------------------------------------------------------


def constant(rate):
    return lambda t: rate


def cosine(peak, steps, floor=0.0):
    """Loshchilov and Hutter 2017, equation 5, without restarts."""
    return lambda t: floor + (peak - floor) * (1 + math.cos(math.pi * min(t / steps, 1))) / 2


def polynomial(peak, steps, floor=0.0, power=1.0):
    return lambda t: floor + (peak - floor) * (1 - min(t / steps, 1)) ** power


def step_decay(peak, every, factor):
    return lambda t: peak * factor ** (t // every)


def warm_up(steps, then, start=0.0):
    """In proportion from `start`; Goyal et al. 2017, section 2.2."""
    return lambda t: start + (then(0) - start) * (t + 1) / (steps + 1) if t < steps else then(t - steps)


# --- settings of a parameter ---------------------------------------------------------------------------------------


class Settings:
    """The settings of each parameter by its name: `groups` are (predicate of the name, {setting: value})."""

    def __init__(self, weight_decay=0.0, groups=()):
        self.default = {"weight_decay": weight_decay, "rate_factor": 1.0, "adapt": True}
        self.groups = groups

    def of(self, name):
        settings = dict(self.default)
        for matches, changes in self.groups:
            if matches(name):
                settings.update(changes)
        return settings


def clip(gradients, largest):
    """Pascanu, Mikolov, Bengio 2013, algorithm 1: all gradients together as one vector."""
    norm = math.sqrt(sum(float((g.double() ** 2).sum()) for g in gradients.values()))
    if norm > largest:
        for g in gradients.values():
            g.mul_(largest / norm)


# --- optimizers ----------------------------------------------------------------------------------------------------


def sgd(rate, settings=Settings(), momentum=0.0, nesterov=False):
    """Sutskever et al. 2013 in the form of PyTorch: v = momentum v + g; the weights go against v, or g + momentum v."""

    def update(weights, gradients, t, state):
        for name, w in weights.items():
            own = settings.of(name)
            g = gradients[name] + own["weight_decay"] * w
            v = state[name] = momentum * state.get(name, 0.0) + g
            w -= rate(t) * own["rate_factor"] * (g + momentum * v if nesterov else v)

    return update


def moments(g, state, name, t, beta1, beta2, epsilon):
    """m / (sqrt(v) + epsilon), both moments corrected for their start at 0: Kingma and Ba 2015, algorithm 1."""
    m, v = state.get(name, (0.0, 0.0))
    m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
    state[name] = m, v
    return (m / (1 - beta1 ** (t + 1))) / ((v / (1 - beta2 ** (t + 1))).sqrt() + epsilon)


def adam(rate, settings=Settings(), beta1=0.9, beta2=0.999, epsilon=1e-8, decoupled=False):
    """Kingma and Ba 2015, algorithm 1; decoupled: Loshchilov and Hutter 2019, algorithm 2, the decay times the rate."""

    def update(weights, gradients, t, state):
        for name, w in weights.items():
            own, g = settings.of(name), gradients[name]
            decay = own["weight_decay"] * w
            if decoupled:
                direction = moments(g, state, name, t, beta1, beta2, epsilon) + decay
            else:
                direction = moments(g + decay, state, name, t, beta1, beta2, epsilon)
            w -= rate(t) * own["rate_factor"] * direction

    return update


def lars(rate, settings=Settings(), momentum=0.9, trust=0.001):
    """You, Gitman, Ginsburg 2017, algorithm 1: the local rate is trust |w| / (|g| + decay |w|)."""

    def update(weights, gradients, t, state):
        for name, w in weights.items():
            own, g = settings.of(name), gradients[name]
            w_norm, g_norm = float(w.double().norm()), float(g.double().norm())
            local = 1.0
            if own["adapt"] and w_norm > 0 and g_norm > 0:
                local = trust * w_norm / (g_norm + own["weight_decay"] * w_norm)
            step = rate(t) * own["rate_factor"] * local * (g + own["weight_decay"] * w)
            v = state[name] = momentum * state.get(name, 0.0) + step
            w -= v

    return update


def lamb(rate, settings=Settings(), beta1=0.9, beta2=0.999, epsilon=1e-6):
    """You et al. 2020, algorithm 2, with the identity for phi."""

    def update(weights, gradients, t, state):
        for name, w in weights.items():
            own = settings.of(name)
            direction = moments(gradients[name], state, name, t, beta1, beta2, epsilon) + own["weight_decay"] * w
            w_norm, d_norm = float(w.double().norm()), float(direction.double().norm())
            ratio = w_norm / d_norm if own["adapt"] and w_norm > 0 and d_norm > 0 else 1.0
            w -= rate(t) * own["rate_factor"] * ratio * direction

    return update
