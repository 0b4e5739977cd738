"""The networks that mutation.py plans, and the ways in which it breaks the search."""
from dataclasses import dataclass


@dataclass
class Mutant:
    file: str  # of compiler/plan
    name: str  # what is wrong
    changes: list  # (old, new): each old text stands in the file once


EXAMPLES = ["digits", "two_layer", "wide_mlp", "mnist_mlp", "spatial", "one_weird_trick", "lenet_mnist", "megatron_mlp",
            "alexnet"]
CASES = [f"{name} --ranks {ranks}" for ranks in (4, 8, 2) for name in EXAMPLES] + [
    "digits --ranks 8 --machine std/machines/skylake.plan",
    "alexnet --ranks 8 --machine std/machines/skylake.plan",
    "lenet_mnist --ranks 8 --machine-set latency=100us",
    "mnist_mlp --ranks 8 --machine-set latency=200us",
    "digits --ranks 8 --machine-set latency=0.01us",
    "wide_mlp --ranks 8 --machine-set bandwidth=1GB/s",
    "digits --ranks 4 --machine-set memory=200KiB",
    "wide_mlp --ranks 8 --machine-set memory=40MiB",
    "digits --ranks 8 --machine-set memory=164KiB",
    "digits --ranks 8 --machine-set memory=189KiB",
    "lenet_mnist --ranks 4 --machine-set memory=2278KiB",
    "mnist_mlp --ranks 4 --machine-set memory=1570KiB",
    "megatron_mlp --ranks 4 --machine-set memory=708KiB",
    "gpt --ranks 2",
    "resnet_cifar --ranks 2",
]


def mutant(file, name, *changes):
    return Mutant(file, name, list(changes))


MUTANTS = [
    # prices
    mutant("transfers/value_price.cpp", "latency counts twice",
           ("result.seconds.push_back(price.latency.value)", "result.seconds.push_back(2 * price.latency.value)")),
    mutant("transfers/value_price.cpp", "transfers cost three times as much",
           ("push_back(price.transfer.value +", "push_back(3 * price.transfer.value +")),
    mutant("transfers/value_price.cpp", "no gradients share a call",
           ("        if (fusable)\n", "        if (fusable && value_ == ValueId())\n")),
    mutant("transfers/value_price.cpp", "copies after the first cost twice as much",
           ("            result_.seconds += seconds;",
            "            result_.seconds += memory_.empty() ? seconds : 2 * seconds;")),
    mutant("terms/term_builder.cpp", "computation of a split operation costs twice as much",
           ("    return (operation.per_step ? graph_.weights.updates : graph_.microbatches) *\n",
            "    return (strategy.loop_of_axis.front() >= 0 ? 2 : 1) * (operation.per_step ? 1 : "
            "graph_.microbatches) *\n")),
    # keys of tables
    mutant("terms/term_builder.cpp", "operations of different kinds share a table",
           ('"operation " + std::to_string(scope.kind)', 'std::string("operation ")')),
    mutant("terms/term_builder.cpp", "values of different kinds share a table",
           ('"value " + std::to_string(scope.kind)', 'std::string("value ")')),
    mutant("terms/term_builder.cpp", "equally many classes are the same classes",
           ("numbers += std::to_string(of_layer.number);", "numbers += std::to_string(of_layer.count);")),
    mutant("terms/term_builder.cpp", "updates under different storage share a table",
           (' + (stored ? storage_text() : "")),', "),")),
    mutant("bounds/relaxation.cpp", "bounds of values of different shapes share a table",
           ("std::to_string(reinterpret_cast<std::uintptr_t>(&reshards_of(v)))", 'std::string("")')),
    # classes
    mutant("terms/term_builder.cpp", "strategies that split different loops are one class",
           ("match == loops->end() ? -1 : *match", "match == loops->end() ? -1 : 0")),
    mutant("terms/term_builder.cpp", "classes of different operations are the same",
           ('            key += operation.nest.loops[loop].name + ",";',
            "            key += loop < 0 ? operation.nest.loops[loop].name : std::string();")),
    mutant("terms/term_builder.cpp", "axes that split the same loops are one class",
           ("        result->push_back(ids.emplace(signature,",
            "        std::sort(signature.begin(), signature.end());\n"
            "        result->push_back(ids.emplace(signature,")),
    mutant("terms/structure.cpp", "of an operation no loop matters",
           ("        loops.insert(loop);", "        loops.erase(loop);")),
    mutant("terms/numbered_placements.cpp", "placements are alike whatever dimension is split",
           ("static_cast<char>(dimension + 1)", "static_cast<char>(dimension * 0 + 1)")),
    mutant("solver/minimise_scalar.cpp", "values are told apart by the first table alone",
           ("            for (std::size_t f = 0; f < of_functions.size(); ++f)\n",
            "            for (std::size_t f = 0; f < 1; ++f)\n")),
    # composition
    mutant("solver/least.cpp", "the last value counts, not the least",
           ("                    const double sum = from[i] + entries[i];\n"
            "                    least[i] = sum < least[i] ? sum : least[i];",
            "                    least[i] = from[i] + entries[i];")),
    mutant("solver/least.cpp", "a table without the last variable counts twice",
           ("                    sum[i] = from[i] + *entries;",
            "                    sum[i] = from[i] + 2 * *entries;")),
    # bounds
    mutant("bounds/marginals.cpp", "what was moved counts again",
           ("left[(*end.class_of)[value]] - end.moved[(*end.class_of)[value]]", "left[(*end.class_of)[value]]")),
    mutant("bounds/marginals.cpp", "the variable counts twice",
           ("        least_[variable] = 0;\n", "")),
    mutant("transfers/transfer_bound.cpp", "ranks keep nothing",
           ("arriving -= std::min({pair.kept * pair.part, from.share, to.share});", "arriving -= 0 * pair.part;")),
    mutant("transfers/transfer_bound.cpp", "every axis of a placement is gathered",
           ("gathered &= to.average > 0 ? ~(to.cut_by | to.stored) : 0;", "gathered = from.cut_by | from.stored;")),
    mutant("transfers/transfer_bound.cpp", "sums travel twice",
           ("(size(from.partial & ~to.partial) - 2) / ranks_",
            "(2 * size(from.partial & ~to.partial) - 2) / ranks_")),
    mutant("transfers/transfer_bound.cpp", "links are half as fast",
           ("rate = std::max(rate, level.link.bytes_per_second);",
            "rate = std::max(rate, level.link.bytes_per_second / 2);")),
    mutant("transfers/placed_volume.cpp", "blocks overlap by a quarter of the shorter",
           ("PairOfWays pair{true, std::min(from.largest, to.largest), 1};",
            "PairOfWays pair{true, std::min(from.largest, to.largest) / 4, 1};")),
    mutant("bounds/marginals.cpp", "what other variables need counts a tenth more",
           ("bound = std::max(bound, own[value] + others);", "bound = std::max(bound, own[value] + 1.1 * others);")),
    mutant("bounds/marginals.cpp", "the last line of a table counts, not the least",
           ("        best = sums < best ? sums : best;\n        std::memcpy(least + i",
            "        best = sums;\n        std::memcpy(least + i")),
    # buckets
    mutant("search/search.cpp", "the latency of a bucket counts ten times",
           ("node.bound += objective_->bucket_latency", "node.bound += 10 * objective_->bucket_latency")),
    mutant("terms/term_builder.cpp", "buckets take ten times their latency",
           ("cache_.bucket_latency.push_back(call.latency);", "cache_.bucket_latency.push_back(10 * call.latency);")),
    mutant("search/search.cpp", "the first node of the branch and bound decides",
           ("            if (undecided == 0 || node",
            "            if (found_.feasible)\n                return best();\n            if (undecided == 0 || node")),
    # memory
    mutant("search/search.cpp", "plans need a fifth more memory",
           ("        const double total = cost->memory.total().value;\n",
            "        const double total = 1.2 * cost->memory.total().value;\n")),
    mutant("terms/term_builder.cpp", "copies need half as much memory again",
           ("push_back(price.bytes.value);", "push_back(1.5 * price.bytes.value);")),
    # the space
    mutant("space/space.cpp", "loops are split into parts of eight or more",
           ("return parts <= loop.extent;", "return 8 * parts <= loop.extent;")),
    mutant("space/meshes.cpp", "meshes are flat",
           ("        if (ranks % size != 0)\n",
            "        if (ranks % size != 0 || (!given && size > 1 && size < ranks))\n")),
    mutant("space/storage.cpp", "the optimizer's state is not sharded",
           ("choices = {{{}, false}, {{{}, {}, all}, false}};", "choices = {{{}, false}};")),
]
