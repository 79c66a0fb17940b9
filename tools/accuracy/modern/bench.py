"""Runs micro-benchmark sketches and traces through teg and keeps the results.

A measurement is a number of cycles or a slope between two runs that differ in
one parameter, so that the start and the end of a kernel cancel out, as the
published micro-benchmarks do it.
"""
import concurrent.futures
import json
import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(
    __file__))))
from common import (CONFIG, ROOT, TEG, Refused as Failed,  # noqa: E402
                    command, facts)

MICRO = os.path.join(ROOT, "tests", "kernels", "micro")
JOBS = int(os.environ.get("JOBS", "2"))

_done = {}
_lock = threading.Lock()


def _teg(*args):
    return command(TEG, *args)


def report(gpu, trace, sms=0, settings=(), **params):
    """The JSON report of one replay, with `settings` ("key=value") of the
    description changed.  The same one is made only once."""
    key = (gpu, trace, sms, settings, tuple(sorted(params.items())))
    with _lock:
        entry = _done.setdefault(key, {"lock": threading.Lock()})
    with entry["lock"]:
        if "report" not in entry:
            args = ["run", "--config-dir", CONFIG, "-g",
                    gpu, "-f", "json"]
            args += [f"--sms={sms}"] if sms else []
            for setting in settings:
                args += ["--set", setting]
            for name, value in sorted(params.items()):
                args += ["-p", f"{name}={value}"]
            entry["report"] = json.loads(_teg(*args, trace))
    return entry["report"]


def cycles(gpu, sketch, sms=0, settings=(), **params):
    return report(gpu, os.path.join(MICRO, sketch + ".sketch"), sms, settings,
                  **params)["cycles"]


def slope(gpu, sketch, name, low, high, sms=0, settings=(), **params):
    """Cycles per unit of parameter `name` between `low` and `high`."""
    return (cycles(gpu, sketch, sms, settings, **{name: high}, **params) -
            cycles(gpu, sketch, sms, settings, **{name: low}, **params)) / (
                high - low)


def fact(gpu, key):
    return float(facts(gpu)[key])


def in_parallel(function, items):
    """[function(item)], on JOBS processes of teg, in the order of items."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(function, items))


def summary(errors):
    """Mean, median and maximum of the magnitudes of errors, in percent."""
    e = sorted(abs(x) for x in errors)
    if not e:
        return "no points"
    n = len(e)
    median = e[n // 2] if n % 2 else (e[n // 2 - 1] + e[n // 2]) / 2
    return (f"mean {sum(e) / n:.1f} % median {median:.1f} % "
            f"max {e[-1]:.1f} % over {n} point{'s' if n > 1 else ''}")


def write_json(name, data):
    path = os.path.join(ROOT, "build", "accuracy")
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "w", encoding="utf-8") as f:
        json.dump(data, f, indent=1, sort_keys=True)
        f.write("\n")
