"""graph_words.py PLANC FILE SCHEMES RANKS...: where the network is slow beside the processors, the planner's layout moves
no more bytes, and takes no longer, than any of the schemes (a list with commas). Where it updates weights in shares, their
gradients are scattered and the weights gathered, which a rank hands to MPI one by one, for the traffic of an all-reduce.
graph_words.py PLANC FILE --share OF: on 8 ranks it moves at most this share of the words of CAGNET's one-dimensional code
(Tripathy et al. 2020): n (f- + f) for each layer, and an all-reduce of f- f words."""
import json
import subprocess
import sys

SLOW = "bandwidth=650MB/s"  # slower still, the best is to compute all on every rank, which moves nothing
planc, file, *arguments = sys.argv[1:]


def cost(layout, ranks):
    command = [planc, "cost", file, "--ranks", str(ranks), "--layout", layout, "--machine-set", SLOW, "--format=json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    gathered = sum(collective["bytes"] for layer in answer["layers"] for collective in layer["collectives"]
                   if collective["kind"] == "all-gather" and collective["phase"] == "update")
    return answer["bytes"] - gathered, answer["seconds"]


def compare(schemes, ranks):
    best = cost("best", ranks)
    for scheme in schemes:
        other = cost(scheme, ranks)
        if int(ranks) > 1 and min(best + other) <= 0:
            sys.exit(f"{ranks} ranks: nothing is moved by best, {best}, or by {scheme}, {other}")
        if best[0] > other[0] or best[1] > other[1] * (1 + 1e-9):
            sys.exit(f"{ranks} ranks: best moves (bytes, seconds) {best}, {scheme} {other}")


if arguments[0] == "--share":
    vertices, features, ranks = 20000, [128, 64, 64, 16], 8
    words = sum(vertices * (a + b) + 2 * a * b * (ranks - 1) / ranks for a, b in zip(features, features[1:]))
    share = cost("best", ranks)[0] / 4 / words
    if not 0 < share <= float(arguments[1]):
        sys.exit(f"best moves {share:.3f} of CAGNET's words")
else:
    for count in arguments[1:]:
        compare(arguments[0].split(","), count)
