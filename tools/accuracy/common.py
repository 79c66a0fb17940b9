"""What the comparisons with published times share: where things are, running
a tool, files that are made once, and the arithmetic of ranks.
"""
import argparse
import collections
import functools
import hashlib
import math
import os
import re
import signal
import statistics
import subprocess
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TEG = os.path.abspath(os.environ.get(
    "TEG", os.path.join(ROOT, "build", "release", "teg")))
CONFIG = os.path.join(ROOT, "config")
MEASURED = os.path.join(ROOT, "..", "shared", "measured")


class Refused(Exception):
    """A tool would not; the text is what it said."""


class Killed(Refused):
    """A signal ended the tool, so that nobody knows what it would have
    said."""


_running = set()


def end_all():
    """Ends every tool that runs, with what it started."""
    for pid in list(_running):
        os.killpg(pid, signal.SIGKILL)


def command(*args, limit=None, cwd=None, said=None):
    """Standard output of a tool that may take `limit` seconds; `said` is a
    list that its lines of standard error are added to."""
    try:
        # a group of its own: what the tool started ends with it
        with subprocess.Popen(args, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              errors="replace", cwd=cwd,
                              start_new_session=True) as done:
            _running.add(done.pid)
            try:
                out, err = done.communicate(timeout=limit)
            except BaseException:
                os.killpg(done.pid, signal.SIGKILL)
                raise
            finally:
                _running.discard(done.pid)
    except subprocess.TimeoutExpired:
        raise Refused(f"{os.path.basename(args[0])} took more than "
                      f"{limit:g} s") from None
    except OSError as e:
        raise Refused(f"{args[0]}: {e.strerror}") from None
    if done.returncode < 0:
        raise Killed(f"{os.path.basename(args[0])} was ended by signal "
                     f"{-done.returncode}")
    if done.returncode != 0:
        lines = (err.strip() or out.strip() or
                 f"{args[0]}: exit status {done.returncode}").splitlines()
        raise Refused(next((s for s in lines if "error" in s), lines[0]))
    if said is not None:
        said += err.splitlines()
    return out


def call_parser(text):
    """The options that comparisons of PyTorch's calls share."""
    p = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--teg", default="build/release/teg")
    p.add_argument("--half", choices=("A", "B"))
    p.add_argument("--points", action="store_true", help="a row for each call")
    p.add_argument("words", nargs="*", metavar="WORD")
    return p


@functools.lru_cache(maxsize=None)
def facts(gpu):
    """The values of a description, as text, by key."""
    text = command(TEG, "gpus", "--config-dir", CONFIG, gpu)
    return dict(re.findall(r"^(\S+\.\S+)\s+(\S+)", text, re.M))


def digest(*parts):
    """A short name for what `repr` shows of the parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def print_mean(errors, what):
    """The line under a table of relative errors, if it has rows."""
    if errors:
        print(f"\n{len(errors)} {what}, mean "
              f"{sum(map(abs, errors)) / len(errors):.1%}".replace("%", " %"))


_making = collections.defaultdict(threading.Lock)  # by path


def keep(folder, name, make):
    """Path of the file or folder `name` that `make(path)` writes, once: it
    gets its name when it is whole."""
    path = os.path.join(folder, name)
    with _making[path]:
        if not os.path.exists(path):
            os.makedirs(folder, exist_ok=True)
            stem, suffix = os.path.splitext(name)
            part = os.path.join(folder, f"{stem}.{os.getpid()}{suffix}")
            make(part)
            os.replace(part, path)
    return path


def sha(text):
    return hashlib.sha1(text.encode()).hexdigest()


def half(name):
    """Which half a name is dealt to: A, to choose or fit by, or B, to check
    with."""
    return "AB"[int(sha("half" + name)[:8], 16) & 1]


def ceil_div(a, b):
    return -(-a // b)


# ---- ranks ------------------------------------------------------------------

def ranks(values):
    """Ties share the mean of their places."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    rank = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            rank[order[k]] = (i + j) / 2
        i = j + 1
    return rank


def spearman(a, b):
    x, y = ranks(a), ranks(b)
    mx, my = statistics.fmean(x), statistics.fmean(y)
    up = sum((p - mx) * (q - my) for p, q in zip(x, y))
    down = math.sqrt(sum((p - mx) ** 2 for p in x) *
                     sum((q - my) ** 2 for q in y))
    return up / down if down > 0 else math.nan


def kendall(a, b):
    same = ties_a = ties_b = 0
    n = len(a)
    for i in range(n):
        for j in range(i):
            p = (a[i] > a[j]) - (a[i] < a[j])
            q = (b[i] > b[j]) - (b[i] < b[j])
            same += p * q
            ties_a += p == 0
            ties_b += q == 0
    pairs = n * (n - 1) / 2
    down = math.sqrt((pairs - ties_a) * (pairs - ties_b))
    return same / down if down > 0 else math.nan


def regret(ours, measured):
    """How much longer the one that we would pick takes than the best."""
    return (measured[min(range(len(ours)), key=lambda i: ours[i])] /
            min(measured))


def geometric(values):
    return math.exp(statistics.fmean(math.log(x) for x in values))
