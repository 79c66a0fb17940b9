"""The end of a score: python3 tests/clients/between.py kernels.json OUT [N]

Writes what the program asked for between its last two synchronisations of the
device (N = 2: the last three, and so on) as a score of its own, beside
kernels.json, whose traces it names.  Launches there are of the same traces.
"""
import json
import sys

source, target = sys.argv[1:3]
stretches = int(sys.argv[3]) if len(sys.argv) > 3 else 1
score = json.load(open(source))
order = score["order"]
marks = [i for i, e in enumerate(order) if e.get("what") == "synchronize"
         and "stream" not in e and "event" not in e]
if len(marks) <= stretches:
    sys.exit(f"{source}: expected {stretches + 1} synchronisations of the "
             f"device, found {len(marks)}")
kept = order[marks[-1 - stretches] + 1:marks[-1] + 1]
if any(e.get("what") == "graph" for e in kept):
    sys.exit(f"{source}: launches of graphs are not taken apart")
counts = {}
for e in kept:
    if "kernel" in e:
        counts[e["kernel"]] = counts.get(e["kernel"], 0) + e.get("launches", 1)
number = {k: i for i, k in enumerate(sorted(counts))}
for e in kept:
    if "kernel" in e:
        e["kernel"] = number[e["kernel"]]
score["kernels"] = [dict(score["kernels"][k], launches=counts[k]) for k in number]
score["order"] = kept
score.pop("graphs", None)
json.dump(score, open(target, "w"), indent=1)
print(f"{target}: {sum(counts.values())} launches of {len(counts)} kernels")
