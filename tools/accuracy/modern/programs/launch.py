"""Kernels of cubins, their traces, and the cycles of large launches.

Large launches are not replayed whole.  A launch of equal blocks takes its
whole waves, each as long as the first one alone, and what the rest takes
alone; a wave is what the SMs hold at once.  Where the inner length (K, or the
keys of attention) is large, two short ones are replayed, longer than what is
copied ahead, and extended linearly.
"""
import hashlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from bench import ROOT, TEG, Failed, fact, report  # noqa: E402,F401
import common  # noqa: E402  bench says where it is
from common import command  # noqa: E402

KEPT = os.environ.get("KEPT", os.path.join(ROOT, "build", "programs"))
SHORT = (512, 1024)        # inner lengths that stand for longer ones; or of
                           # kernels that copy more ahead, multiples of these
ELSEWHERE = "0x600000000000"  # where no trace's buffers are

options = {"settings": (), "triton": (), "ladder": None, "attention": None,
           "fast": None, "fa3": None, "sm120": None, "points": False}


# ---- compiling and tracing -------------------------------------------------

def named(name, suffix, key):
    return (f"{name}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}."
            f"{suffix}")


def keep(name, suffix, key, make):
    """Path of the kept file that `make(path)` writes, made once for a key."""
    return common.keep(KEPT, named(name, suffix, key), make)


class Kernel:
    """A kernel of a cubin and how it is launched.  `params` are the names of
    its parameters, if arguments come by name; `extra` follow them."""

    def __init__(self, cubin, threads, shared=0, name=None, params=None,
                 extra=()):
        self.cubin, self.threads, self.shared = cubin, threads, shared
        self.name, self.params, self.extra = name, params, extra

    def arguments(self, args):
        """In the order of the parameters; `args` a dictionary, if they have
        names."""
        return [*(args if self.params is None else
                  (args[p] for p in self.params)), *self.extra]

    def trace(self, grid, args, blocks=None):
        """Of the first `blocks` blocks in grid order, or all of them."""
        words = ["--grid", ",".join(map(str, grid)),
                 "--block", ",".join(map(str, self.threads))]
        words += ["--shared", str(self.shared)] if self.shared else []
        words += ["-k", self.name] if self.name else []
        for a in self.arguments(args):
            words += ["-a", a]
        words += ["--blocks", f"0:{blocks}"] if blocks else []
        name = os.path.basename(self.cubin).split("-")[0]
        return keep(name, "tegt", (self.cubin, words), lambda path: command(
            TEG, "trace", self.cubin, "-j", "1", "-o", path, *words))


# ---- cycles of a launch ----------------------------------------------------

def replay(gpu, trace, settings=()):
    return report(gpu, trace, settings=(*settings, *options["settings"]))


def behind_set(trace, size):
    """Path of a list: the trace behind a set of `size` bytes elsewhere, which is
    in L2 then, in part still to be written back."""
    def make(path):
        with open(path, "w", encoding="ascii") as f:
            json.dump({"teg": {"schema": 3},
                       "kernels": [{"trace": os.path.basename(trace)}],
                       "order": [{"what": "set", "address": ELSEWHERE,
                                  "bytes": size}, {"kernel": 0}]}, f)
    return keep("set", "json", (os.path.basename(trace), size), make)


def wave_of(gpu, trace, settings):
    r = replay(gpu, trace, settings)
    return r["occupancy"]["places"] * r["gpu"]["sms"]


def in_waves(gpu, settings, blocks, trace, length, short=SHORT):
    """Cycles of `blocks` equal blocks of inner length `length`;
    `trace(length, count)` is the trace of the first `count` blocks."""
    low, high = short

    def once(count):
        if length <= high:
            return replay(gpu, trace(length, count), settings)["cycles"]
        first, second = (replay(gpu, trace(n, count), settings)["cycles"]
                         for n in short)
        return second + (second - first) * (length - high) / (high - low)
    whole, rest = divmod(blocks, wave_of(gpu, trace(low, 1), settings))
    wave = (blocks - rest) // max(whole, 1)
    return ((whole * once(wave) if whole else 0) +
            (once(rest) if rest else 0))


# ---- points ---------------------------------------------------------------

def point(what, measured, ours, unit):
    """`ours` is a function without arguments, called later: a time in `unit`,
    or that and a remark."""
    return {"what": what, "measured": measured, "run": ours, "unit": unit}


def tflops(gpu, capability, operations, measured, what, cycles, settings=()):
    """A point whose published figure is a rate; compared as times."""
    mhz = fact(gpu, "chip.sm_clock_mhz")
    return point(what, operations / measured / 1e6,
                 lambda: cycles(gpu, capability, settings) / mhz, "us")
