#!/usr/bin/env python3
"""Which line a cache gives up, by the share of misses over the footprint.

    replacement.py

gpu-benches' chase goes over N lines in one random order, again and again, an
element further each time.  Its latency (../shared/measured/curves, which are
not part of the project) is the share of accesses that miss.  For each policy
that share is simulated here in sets that a footprint fills evenly; then the
size and the number of ways are taken whose shares are nearest.  A policy whose
nearest shares are far off is not the hardware's, whatever its size.
"""
import bisect
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import ROOT  # noqa: E402

CURVES = os.path.join(ROOT, "..", "shared", "measured", "curves",
                      "gpu-latency")
WAYS = (2, 3, 4, 8, 16)
SETS = 16
ROUNDS = 16  # in which an element has gone through its line
RATIOS = [0.96 + 0.04 * i for i in range(22)]  # of the footprint to the size

# chip, level, cycles of a hit and of a miss, from and to which KB it is shown,
# pieces of a line that come by themselves
CACHES = (
    ("v100", "L1", 28.5, 212.2, 95, 200, 4),
    ("a40", "L1", 33.7, 250.4, 85, 200, 4),
    ("a100_80", "L1", 33.9, 205.5, 120, 290, 4),
    ("v100", "L2", 212.1, 425.4, 5000, 8000, 2),
    ("a40", "L2", 250.4, 546.7, 5000, 9000, 2),
)


# ---- policies: `state` of a set, ways used and entered, the way to give up --

class Ordered:
    """Least recently used; `first_in`: longest there."""

    def __init__(self, ways, first_in=False):
        self.order, self.first_in = list(range(ways)), first_in

    def use(self, way, entered):
        if entered or not self.first_in:
            self.order.remove(way)
            self.order.append(way)

    def victim(self):
        return self.order[0]


class Tree:
    """A tree of bits, each of which points away from what was used last."""

    def __init__(self, ways):
        self.ways, self.away = ways, [0] * (2 * ways)

    def use(self, way, _):
        low, high, node = 0, self.ways, 1
        while high - low > 1:
            middle = (low + high) // 2
            right = way >= middle
            self.away[node] = 0 if right else 1
            low, high = (middle, high) if right else (low, middle)
            node = 2 * node + right

    def victim(self):
        low, high, node = 0, self.ways, 1
        while high - low > 1:
            middle, right = (low + high) // 2, self.away[node]
            low, high = (middle, high) if right else (low, middle)
            node = 2 * node + right
        return low


class NotRecent:
    """Any of those not used since all others were."""

    def __init__(self, ways):
        self.used = [False] * ways

    def use(self, way, _):
        self.used[way] = True
        if all(self.used):
            self.used = [w == way for w in range(len(self.used))]

    def victim(self):
        return random.choice([w for w, used in enumerate(self.used)
                              if not used])


class Random:
    """Any."""

    def __init__(self, ways):
        self.ways = ways

    def use(self, way, entered):
        pass

    def victim(self):
        return random.randrange(self.ways)


POLICIES = {
    "used longest ago": Ordered,
    "entered longest ago": lambda ways: Ordered(ways, True),
    "tree of bits": Tree,
    "not used recently": NotRecent,
    "random": Random,
}


def share(policy, ways, lines, pieces):
    """Of misses, of a chase over so many lines of SETS sets."""
    random.seed(1)
    order = list(range(lines))
    random.shuffle(order)
    tags = [[None] * ways for _ in range(SETS)]
    state = [policy(ways) for _ in range(SETS)]
    there, misses = {}, 0
    for count in range(2 * ROUNDS):
        piece = count % ROUNDS * pieces // ROUNDS
        for line in order:
            tag, s = tags[line % SETS], state[line % SETS]
            entered = line not in tag
            if entered:
                way = tag.index(None) if None in tag else s.victim()
                tag[way] = line
                there[line] = set()
            else:
                way = tag.index(line)
            s.use(way, entered)
            if piece not in there[line]:
                there[line].add(piece)
                misses += count >= ROUNDS
    return misses / (ROUNDS * lines)


def shares(policy, ways, pieces):
    """At each of RATIOS."""
    return [share(policy, ways, round(r * ways * SETS), pieces)
            for r in RATIOS]


def at(curve, ratio):
    """The share at a ratio of footprint to size."""
    if ratio <= RATIOS[0]:
        return 0.0
    i = min(bisect.bisect(RATIOS, ratio), len(RATIOS) - 1)
    part = (ratio - RATIOS[i - 1]) / (RATIOS[i] - RATIOS[i - 1])
    return curve[i - 1] + min(part, 1) * (curve[i] - curve[i - 1])


def measured(chip, hit, miss, low, high):
    """(KB, share of misses)"""
    with open(os.path.join(CURVES, chip + ".txt"), encoding="utf-8") as f:
        rows = [line.split() for line in f]
    points = [(float(r[2]), float(r[4])) for r in rows if len(r) == 8]
    return [(kb, min(max((cycles - hit) / (miss - hit), 0), 1))
            for kb, cycles in points if low <= kb <= high]


def nearest(curves, points):
    """(mean error, size, ways) of the best."""
    best = []
    for ways, curve in curves.items():
        for size in range(int(points[0][0] * 10), int(points[-1][0] * 10),
                          max(1, int(points[0][0] / 40))):
            error = sum(abs(at(curve, kb * 10 / size) - s)
                        for kb, s in points) / len(points)
            best.append((error, size / 10, ways))
    return min(best)


def main():
    if not os.path.isdir(CURVES):
        print("skipped: policies of replacement: ../shared/measured is missing")
        return 0
    made = {}
    print("| cache | points | policy | size | ways | mean error of the share |")
    print("| --- | ---: | --- | ---: | ---: | ---: |")
    for chip, level, hit, miss, low, high, pieces in CACHES:
        points = measured(chip, hit, miss, low, high)
        for name, policy in POLICIES.items():
            if (name, pieces) not in made:
                made[name, pieces] = {w: shares(policy, w, pieces)
                                      for w in WAYS}
            error, size, ways = nearest(made[name, pieces], points)
            print(f"| {level} of {chip} | {len(points)} | {name} | "
                  f"{size:.1f} KB | {ways} | {error:.3f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
