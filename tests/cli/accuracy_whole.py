"""The arithmetic of tools/accuracy/whole on small cases worked by hand."""
import dataclasses
import importlib
import json
import math
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(HERE, "..", "..", "tools", "accuracy")
sys.path[:0] = [TOOLS, os.path.join(TOOLS, "whole")]
common, compare, hashcat, journal, openmm, replay, suites, whole = map(
    importlib.import_module,
    ("common", "compare", "hashcat", "journal", "openmm", "replay", "suites",
     "whole"))

count = {"checks": 0, "failures": 0}


def check(what, found, expected):
    count["checks"] += 1
    same = (abs(found - expected) < 1e-9 if isinstance(expected, float) and
            not math.isnan(expected) else
            found == expected or (found != found and expected != expected))
    if not same:
        count["failures"] += 1
        print(f"{what}: expected {expected}, found {found}")


# ---- ranks ------------------------------------------------------------------

check("ties share their places", common.ranks([5, 1, 5, 9]),
      [1.5, 0.0, 1.5, 3.0])
# differences of places 0, -1, 1, 0, 0: 1 - 6 * 2 / (5 * 24)
check("rho", common.spearman([10, 20, 30, 40, 50], [1, 3, 2, 4, 5]), 0.9)
check("rho of the reverse", common.spearman([1, 2, 3], [9, 4, 1]), -1.0)
check("rho of equal values", common.spearman([1, 1, 1], [1, 2, 3]), math.nan)
check("tau", common.kendall([1, 2, 3, 4], [1, 3, 2, 4]), 4 / 6)
# two pairs agree, one is tied: 2 / sqrt((3 - 1) * 3)
check("tau with a tie", common.kendall([1, 1, 2], [1, 2, 3]),
      2 / math.sqrt(6))
# we pick the second, which took 6; the best took 4
check("regret", common.regret([3, 2, 7], [4, 6, 9]), 1.5)
check("a right pick costs nothing", common.regret([1, 2], [4, 6]), 1.0)


# ---- figures ----------------------------------------------------------------

def a_point(group, ours, measured, sampled=False, **more):
    return {"gpu": "g", "program": "p", "row": "p", "half": "A",
            "case": "c", "group": group, "measured_us": measured,
            "sampled": sampled, "ours": {"teg": ours, **more}}


# ours over measured: 2, 1/2, 1, 1; errors 1, 1/2, 0, 0
POINTS = [a_point("one", 8.0, 4.0, True, quick=1.0),
          a_point("one", 3.0, 6.0), a_point("one", 9.0, 9.0),
          a_point("two", 5.0, 5.0)]
f = compare.figures(POINTS, "teg")
check("points", f["points"], 4)
check("sampled", f["sampled"], 1)
check("mean", f["mean"], 0.375)
check("median", f["median"], 0.25)
check("bias of a double and a half", f["bias"], 0.0)
check("worst", f["worst"], 1.0)
# a group of three counts, one of one does not: the pick (3 us) took 6 of 4
check("groups", f["groups"], 1)
check("regret of a group", f["regret"], 1.5)
check("order of a group", f["order"], 0.5)
# ours 8 3 9 5 have places 2 0 3 1, measured 4 6 9 5 places 0 2 3 1
check("rho of all", f["rho"], 1 - 6 * 8 / (4 * 15))
# another group, in which the pick is right
f = compare.figures(POINTS + [a_point("three", t, t) for t in (1.0, 2.0, 3.0)],
                    "teg")
check("mean regret of groups", f["regret"], 1.25)
check("the worst", f["regret_worst"], 1.5)
f = compare.figures(POINTS[:1], "quick")
check("a predictor of one point", (f["points"], f["bias"]), (1, -0.75))
check("one point has no order", f["rho"], math.nan)
for p in POINTS:
    p["ours"]["mute"] = None
check("one that says nothing", compare.figures(POINTS, "mute"), None)
check("cells", compare.cells(compare.figures(POINTS, "teg")),
      "4 | 1 | 37.5 % | 25.0 % | +0.0 % | 100 % | 0.20 | 0.50 | "
      "1.50x (1.50x)")
check("columns of a table", {line.count("|") for line in
                             compare.by_program(POINTS, "teg").split("\n")
                             if line}, {13})
check("columns of nothing", compare.by_program(POINTS, "mute").count("|"),
      3 * 13)


# ---- which points -----------------------------------------------------------

NAMES = [n for names in suites.HALVES.values() for n in names]
DEALT = [[n for n in names if n not in suites.LATER]
         for names in suites.HALVES.values()]
check("halves are dealt by turns in the order of their hashes",
      [n for pair in zip(*DEALT) for n in pair],
      sorted(set(NAMES) - set(suites.LATER), key=common.sha))
check("all programs are dealt",
      {v[0] for v in (*whole.klaraptor.PROGRAMS.values(),
                      *whole.v100.PROGRAMS.values())}
      .union(whole.h100.PROGRAMS, whole.samples.PROGRAMS, ["lud"],
             whole.ktt.PROGRAMS, whole.hub.KERNELS, whole.stored.KERNELS,
             [whole.stored.NAMES.get(f, f) for f in whole.stored.HOSTS],
             ["products"]) - set(NAMES), set())


def a_job(case, group="n=1", cost=1.0, program="gemm"):
    return suites.Job("g", program, case, group, "nsys", None, (), cost)


def timed_job(us):
    return suites.Job("g", "gemm", str(us), "n=1", "loop", None,
                      (suites.Time("gemm", (us,)),), 1.0)


check("what is as fast as a launch is left out",
      [j.case for j in whole.stored.slower(map(timed_job, (9, 4, 5, 6)))],
      ["9", "6"])
check("of nothing", whole.stored.slower(()), [])

JOBS = [a_job(f"{i}x1") for i in range(9)] + [a_job("big", "n=2", 99.0)]
options = whole.parse(["--shapes", "3", "--cost", "60"])
picked = whole.chosen(JOBS, options)
check("so many shapes", len(picked), 3)
check("by hash, not by place",
      [j.case for j in picked],
      sorted((j.case for j in JOBS[:9]), key=common.sha)[:3])
check("whatever the order", whole.chosen(JOBS[::-1], options), picked)
check("of what is asked for", whole.chosen(
    JOBS, whole.parse(["gemm", "--cost", "100"]))[-1].case, "big")
check("and nothing else", whole.chosen(JOBS, whole.parse(["q"])), [])


# ---- times ------------------------------------------------------------------

def a_kernel(name, us, launches=1, models=None):
    return {"name": name, "us": us, "launches": launches, "sampled": False,
            "incomplete": False, "bound": "latency", "models": models or {}}


KERNELS = [a_kernel("_Z1ai", 4.0, 2, {"m": 1.0, "n": None}),
           a_kernel("_Z1bi", 3.0, 1, {"m": 2.0, "n": 1.0})]
one = suites.Time("a", (9.0, 7.0, 8.0), "1a", True, 10, 5)
check("median of the repeats", one.us, 8.0)
check("the mean of its launches", suites.summed(
    dataclasses.replace(one, each=True, launches=1), KERNELS[:1],
    lambda k: k["us"]), 4.0)
check("a mangled name", whole.v100.short("_Z14CUDAkernel1DCTPfiii"),
      "CUDAkernel1DCT")
check("its kernels", suites.kernels_of(one, KERNELS), KERNELS[:1])
check("all launches, of which half ran",
      suites.summed(one, KERNELS[:1], lambda k: k["us"]), 16.0)
every = suites.Time("run", (1.0,))
check("all kernels", suites.kernels_of(every, KERNELS), KERNELS)
check("nsys adds a microsecond a launch",
      suites.STARTS["nsys"]("h100pcie", every, KERNELS), 3 * 1.12)
events = suites.STARTS["events"]
check("the first events, and a launch more in them", events(
    "gtx1080ti", dataclasses.replace(one, launches=1, traced=1),
    KERNELS[:1]), 12.0 + 1.05)
check("later events", events("gtx1080ti", every, KERNELS[1:]), 3.5)
check("each of 500 pairs", events("gtx1080ti", dataclasses.replace(
    every, launches=500, traced=3), KERNELS), 1250.0)
p = whole.point(suites.Job("g", "gemm", "c", "n=1", "nsys", None, (every,),
                           1.0), every, {"teg": KERNELS,
                                         "before (x)": KERNELS[1:]})
check("ours", p["ours"]["teg"], 4.0 * 2 + 3.0 + 3 * 1.12)
check("as it was, with the same start", p["ours"]["before (x)"],
      3.0 + 3 * 1.12)
check("a model", p["ours"]["m"], 1.0 * 2 + 2.0 + 3 * 1.12)
check("a model that is silent of one kernel", p["ours"]["n"], None)

# blocks 4 and 12 of 100, on half of the SMs: 4.75 times the difference more
grids = replay.Grids("k", "", 75, (), "k", (32, 1, 1), (),
                     ((4, 1, 1), (6, 2, 1)), 100, 0.5)
few = [{**a_kernel("k", 10.0, models={"m": 1.0, "n": None}),
        "instructions": 40}]
many = [{**a_kernel("k", 26.0, models={"m": 3.0, "n": 2.0}),
         "instructions": 120}]
(k,) = grids.whole([few, many])
check("blocks beyond are the difference", k["us"], 26.0 + 16.0 * 38 / 8)
check("instructions of the whole chip", k["instructions"],
      (120 + 80 * 38 / 8) / 0.5)
check("models as well", k["models"], {"m": 3.0 + 2.0 * 38 / 8, "n": None})
check("that is a sample", k["sampled"], True)
check("models of the whole chip are silent of a share",
      dataclasses.replace(grids, share=0.5).whole([
          [{**few[0], "models": {"roofline": 1.0}}]])[0]["models"],
      {"roofline": None})
counted = dataclasses.replace(grids, expected=2000.0)
try:
    check("another program", counted.whole([few, many]), "refused")
except common.Refused as e:
    check("another program", "another program" in str(e), True)
check("a program cut in proportion", dataclasses.replace(
    counted, cut=True).whole([few, many])[0]["us"], 204.0)
check("or by a known factor", dataclasses.replace(
    grids, factor=3.0).whole([few, many])[0]["us"], 306.0)


# 5 blocks fill an SM: 20 fill 4 of 84, 420 all, 21,000 are 50 waves of those,
# 11 times the difference more than the sixth
class Waves(replay.Waves):
    def _trace(self, teg, blocks, limit):
        return blocks


class Places:
    @staticmethod
    def report(trace, gpu, words, limit):
        del gpu, words, limit
        check("one block tells what fits", trace, 1)
        return {"occupancy": {"places": 5}}


waves = Waves("k", "", 86, (), "k", (32, 1, 1), (), (1000, 21, 1), 4, 84)
check("parts of the grid", waves.traces(Places, 1, "g", ()), [40, 120])
(k,) = waves.whole([[{**few[0], "blocks": 40}],
                    [{**many[0], "blocks": 120}]])
check("waves beyond are the difference", k["us"], 26.0 + 16.0 * 11)
check("instructions of all blocks", k["instructions"],
      (120 + 80 * 11) * 84 / 4)
check("models likewise", k["models"], {"m": 3.0 + 2.0 * 11, "n": None})
check("waves are a sample", k["sampled"], True)
try:
    check("a small grid", dataclasses.replace(waves, grid=(119, 1, 1)).traces(
        Places, 1, "g", ()), "refused")
except common.Refused as e:
    check("a small grid", "fewer blocks" in str(e), True)


# 10 us at 4 elements and 26 at 8 are 122 at 32, and twice that of two such parts
class Part:
    def __init__(self, key):
        self.key = key

    def traces(self, teg, limit, gpu, words):
        del teg, limit, gpu, words
        return [self.key]


published = whole.published
parts = published.extended(Part("few"), Part("many"), 4, 8, 32, 2.0)
check("what two problems leave", parts.traces(None, 1, "g", ()),
      ["few", "many"])
(k,) = parts.whole([few, many])
check("a problem beyond them", k["us"], 2 * (26.0 + 16.0 * 24 / 4))
check("its instructions", k["instructions"], 2.0 * (120 + 80 * 24 / 4))
check("a model of it, and one that is silent", k["models"],
      {"m": 2 * (3.0 + 2.0 * 24 / 4), "n": None})
check("which is a sample", k["sampled"], True)
try:
    check("problems of other kernels", parts.whole([few, many * 2]), "refused")
except common.Refused as e:
    check("problems of other kernels", "launch other kernels" in str(e), True)


# ---- what others publish ----------------------------------------------------

ROWS = published.rows()
check("each has a program of a half",
      {r["program"] for r in ROWS} - set(NAMES) |
      {r["program"] for r in ROWS} ^ set(published.PROGRAMS), set())
check("a checkout, a device and a method that are known",
      [r for r in ROWS if r["checkout"] not in published.WHERE or
       r["gpu"] not in published.DEVICES or
       r["method"] not in suites.STARTS or r["method"] not in suites.CACHES],
      [])
check("a time, and one for each case", (
    [r for r in ROWS if not float(r["us"]) > 0],
    len({(r["gpu"], r["checkout"], r["program"], r["case"]) for r in ROWS})),
    ([], len(ROWS)))
check("what a method adds is known of the chip", [
    r for r in ROWS if not suites.STARTS[r["method"]](
        r["gpu"], every, KERNELS[:1]) >= 0], [])
check("all are in a suite", sum(
    len([r for r in ROWS if r["checkout"] in s.SOURCES])
    for s in published.SUITES), len(ROWS))
check("three launches in a row", suites.STARTS["loop"](
    "a100", every, KERNELS), 3 * 2.18)
check("three between two events", suites.STARTS["scrubbed"](
    "rtx3070", every, KERNELS), 3.5 + 2 * 1.05)


# ---- the journal ------------------------------------------------------------

REPORT = json.dumps({
    "gpu": {"clock_mhz": 1000.0}, "time_us": 5.0, "sampled": None,
    "represented": None, "incomplete": False, "verdict": {"bound": "dram"},
    "kernel": {"name": "k", "launches": 1, "warp_instructions": 7,
               "blocks": 3},
    "models": [{"name": "m", "cycles": 2000.0}]})


class How:
    name = "how"

    def __init__(self, key):
        self.key = key

    def traces(self, teg, limit, gpu, words):
        del teg, limit, gpu, words
        return ["trace"]

    def whole(self, found):
        return found[0]


def cache_words(method, *said, options="--caches=HOW"):
    """With a program whose --help says that it has `options`."""
    job = suites.Job("g", "mvt", "c", "g", method, None, (), 1, ("--sms", "1"))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "teg")
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\necho '{options}'\n")
        os.chmod(path, 0o755)
        return whole.words(job, replay.Teg(path, "config", said))


check("events see a program's caches", cache_words("events"),
      ("--sms", "1", "--caches", "carry"))
check("ncu flushes them", cache_words("ncu"),
      ("--sms", "1", "--caches", "cold"))
check("of CUPTI's nothing is said", cache_words("cupti"), ("--sms", "1"))
check("who says it has it", cache_words("ncu", "--caches=warm"),
      ("--sms", "1"))
check("before there were caches to be carried nothing is said",
      cache_words("events", options="--sms=N"), ("--sms", "1"))


def a_teg(folder, says, words=()):
    """A program that counts how often it replays."""
    path = os.path.join(folder, "teg" + common.digest(says))
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"""#!/bin/sh
[ "$1" = gpus ] && echo clock 1 && exit
echo replay >>{folder}/replays
{says}
""")
    os.chmod(path, 0o755)
    return replay.Teg(path, "config", words)


def replays(folder):
    with open(os.path.join(folder, "replays"), encoding="utf-8") as found:
        return len(found.readlines())


with tempfile.TemporaryDirectory() as work:
    path = os.path.join(work, "journal")
    teg = a_teg(work, f"echo '{REPORT}'")

    def times(key="1", words=(), teg=teg):
        return replay.timed(How(key), "g", words, teg, journal.Journal(path),
                            60)
    first = times()
    check("microseconds of a model", first[0]["models"], {"m": 2.0})
    check("once more", times(), first)
    check("is not replayed", replays(work), 1)
    times(key="2")
    check("another trace is", replays(work), 2)
    times(words=("--sms", "1"))
    check("other options are", replays(work), 3)
    times(teg=a_teg(work, f"echo '{REPORT}'", ("--set", "a=1")))
    check("options for all are", replays(work), 4)
    times(teg=a_teg(work, f"true; echo '{REPORT}'"))
    check("another program is", replays(work), 5)
    # another emulator makes other traces
    os.mkdir(os.path.join(work, "cudart"))
    with open(os.path.join(work, "cudart", "libcudart.so.13"), "w",
              encoding="utf-8") as library:
        library.write("other")
    times(teg=replay.Teg(teg.path, "config"))
    check("another emulator is", replays(work), 6)
    # a line that was cut off is made again, and the next is whole
    with open(path, "r+b") as cut:
        cut.truncate(os.path.getsize(path) - 5)
    check("lines that are whole", len(journal.Journal(path).found), 5)
    again = a_teg(work, f"true; echo '{REPORT}'")
    times(teg=again)
    check("a line that was cut off", replays(work), 7)
    times(teg=again)
    check("does not spoil the next", replays(work), 7)
    # what a program refuses is kept too, until it is forgotten
    broken = a_teg(work, "echo 'teg: t: block 0, warp 0: no' >&2; exit 1")
    for _ in range(2):
        try:
            times(teg=broken)
            check("refused", "taken", "refused")
        except common.Refused as e:
            check("refused", str(e), "teg: t: block 0, warp 0: no")
    check("is not asked twice", replays(work), 8)
    kept = journal.Journal(path)
    kept.forget(lambda result: isinstance(result, str))
    check("forgotten", any(isinstance(r, str) for r in kept.found.values()),
          False)
    # one that a signal ends said nothing, and is asked again
    killed = a_teg(work, "kill -9 $$")
    for _ in range(2):
        try:
            times(teg=killed)
            check("killed", "taken", "refused")
        except common.Killed as e:
            check("killed", "signal 9" in str(e), True)
    check("is asked again", replays(work), 10)
    # a tool that hangs, and what it started
    try:
        common.command("sh", "-c", "sleep 60 | cat", limit=0.1)
        check("a limit", "none", "0.1 s")
    except common.Refused as e:
        check("a limit", str(e), "sh took more than 0.1 s")


# ---- hashcat's benchmark ------------------------------------------------------

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "printed.txt")
    with open(path, "w") as f:
        f.write("""\
* Hash-Mode 0 (MD5)
Speed.#1.........: 69599.6 MH/s (25.53ms) @ Accel:32 Loops:1024 Thr:512 Vec:8
Speed.#2.........: 69600.1 MH/s (25.51ms) @ Accel:32 Loops:1024 Thr:512 Vec:8
Speed.#3.........: 69600.1 MH/s (51.00ms) @ Accel:64 Loops:1024 Thr:512 Vec:8
Speed.#*.........:   208.8 GH/s
Hashmode: 500 - md5crypt, MD5 (Unix), Cisco-IOS $1$ (MD5) (Iterations: 1000)
Speed.#1.........: 28440.8 kH/s (55.42ms) @ Accel:32 Loops:1000 Thr:512 Vec:1
* Hash-Mode 9 (said nothing)
""")
    rows = hashcat.published(path)
check("modes with a speed", sorted(rows), [0, 500])
check("of the devices that ran the same", rows[0].ms, [25.53, 25.51])
check("its shape", (rows[0].accel, rows[0].loops, rows[0].threads,
                    rows[0].vector), (32, 1024, 512, 8))
check("a fast one, a slow one", (rows[0].slow, rows[500].slow), (False, True))
check("names", (rows[0].name, rows[500].name), ("MD5", "md5crypt"))
fast = [(3, "m00000_s04"), (7, "r_markov"), (6, "l_markov"), (8, "m00000_s04")]
slow = [(3, "m00500_loop"), (6, "l_markov"), (7, "m00500_init"),
        (8, "m00500_loop"), (9, "m00500_loop")]
check("words that were drawn", hashcat.first(fast, False), 8)
check("a slow one's first loops", hashcat.first(slow, True), 8)
check("only warmed up", hashcat.first(slow[:3], True), None)
# 5 + 2 loops + waves * (3 + 7 loops)
check("waves and loops", hashcat.extended(
    {10: 5 + 20 + 73, 20: 5 + 40 + 143},
    {10: 5 + 20 + 146, 20: 5 + 40 + 286}, 100, 32), 5 + 200 + 32 * 703.0)
check("all loops", hashcat.extended({10: 8.0}, {10: 15.0}, 10, 3), 22.0)

# ---- OpenMM's steps -------------------------------------------------------------

STEP = "integrateLangevinMiddlePart1"
with tempfile.TemporaryDirectory() as folder:
    names = ["setup", STEP, "forces", "forces"]
    for i, name in enumerate(names):
        open(os.path.join(folder, f"{i}.tegt"), "w").close()
    # of five steps, three are left, and of two kernels one
    order = [{"kernel": 0}] + [
        e for i in range(5) for e in ({"kernel": 1}, {"copy": i},
                                      {"kernel": 2 if i < 2 else 3,
                                       "launches": 2})]
    with open(os.path.join(folder, "kernels.json"), "w") as f:
        json.dump({"kernels": [{"name": n, "trace": f"{i}.tegt"}
                               for i, n in enumerate(names)],
                   "order": order}, f)
    try:
        openmm.trim(folder, 5)
        check("too few steps", "none", "said")
    except common.Refused as e:
        check("too few steps", str(e), f"{folder} has 5 launches of {STEP}")
    openmm.trim(folder, 2)
    with open(os.path.join(folder, "kernels.json")) as f:
        left = json.load(f)
    check("traces that are left", sorted(os.listdir(folder)),
          ["1.tegt", "3.tegt", "kernels.json"])
    check("their launches", [(k["name"], k["launches"]) for k in left["kernels"]],
          [(STEP, 3), ("forces", 4)])
    check("what was before is not timed",
          [e for e in left["order"] if "kernel" in e or "untraced" in e],
          [{"untraced": 1}] * 7 + [
              {"kernel": 0, "launches": 1}, {"kernel": 1, "launches": 1},
              {"kernel": 1, "launches": 1}] * 2 + [{"kernel": 0, "launches": 1}])

print(f"whole programs: Checks: {count['checks']}, "
      f"Failures: {count['failures']}, Errors: 0")
sys.exit(count["failures"] != 0)
