"""What every ladder is made of: steps, how they are launched and simulated.

A step's value is what was published of it: a time or a rate.  Small problems
are simulated whole (Ladder).  Of large ones whose blocks are alike (Waved) as
many as the SMs hold at once are, for two short inner lengths that are extended
linearly (tools/accuracy/modern/programs/launch.py).
"""

import functools
import hashlib
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for _ in ("figures", "accuracy/modern/programs"):
    sys.path.append(os.path.join(os.path.dirname(HERE), _))
import launch  # noqa: E402  the line above says where it is
from kit import Failed, result, teg  # noqa: E402

KERNELS = "tests/kernels/ladders"
GENERATIONS = (75, 80, 90)


class Skipped(Exception):
    """What is needed for a ladder is not there; the text says what."""


class Plan:
    """A step as it is to be simulated: `next_` as in Ladder.STEPS, `kernel`
    whatever its ladder knows it by, `gpu` its chip."""

    def __init__(self, name, published, next_, kernel, gpu):
        self.name, self.published, self.next = name, published, next_
        self.kernel, self.gpu = kernel, gpu


class Ladder:
    """`unit` of its numbers; `more`: larger ones are better.

    Problems: FULL as published, PART for what-ifs, SMALL for a quick look.
    `climbs`: each step follows from the one before.  `sources`: an option of
    ladders.py that it needs.  STEPS: name, published number, findings that
    name what the next one changes (a name or several), None where that is
    another algorithm."""
    name = title = source = unit = chip = sources = ""
    more, climbs = False, True
    FULL = PART = SMALL = 0
    STEPS = ()

    def anchor(self):
        """Of its heading in docs/ladders.md."""
        return "".join(c for c in self.title.lower().replace(" ", "-")
                       if c.isalnum() or c == "-")

    def steps(self, on):
        """Those published, or those to climb `on` another chip."""
        return [Plan(*step, number, on or self.chip)
                for number, step in enumerate(self.STEPS, 1)]

    def measure(self, plan, on, small):
        """The value of a step and the findings about it."""
        size = self.SMALL if small else self.FULL
        with tempfile.TemporaryDirectory() as folder:
            runs = [result("run", *args)
                    for args in self.launches(plan, on, size, folder)]
            us = sum(run["time_us"] for run in runs)
            findings = runs[0]["findings"]
            if self.climbs:
                # What-ifs of a part of the problem say the same in less time.
                part = next(self.launches(plan, on, min(size, self.PART),
                                          folder))
                findings = result("run", *part, "--why")["findings"]
        return self.value(us, size, plan), findings

    def launches(self, plan, on, size, folder):
        """Arguments of `run`, a launch each."""
        raise NotImplementedError

    def value(self, us, size, plan):
        """What is published, of a time."""
        raise NotImplementedError


class Waved(Ladder):
    """FULL: its inner length; SHORT: the two that are simulated; WHY: the one
    that findings are of."""
    SHORT, WHY = (256, 512), 256
    settings = ()

    def measure(self, plan, on, small):
        whole, trace = self.launch(plan, on)
        blocks, length, short, why = whole, self.length(plan), self.SHORT, self.WHY
        if small:
            blocks, length = min(whole, 2), self.SMALL or self.SHORT[0]
            short, why = (length, length), length
        try:
            cycles = whole / blocks * launch.in_waves(
                plan.gpu, self.settings, blocks, trace, length, short)
            wave = min(blocks, launch.wave_of(
                plan.gpu, trace(short[0], 1), self.settings))
            path = trace(why, wave)
        except launch.Failed as why:
            raise Failed(str(why)) from None
        run = result("run", path, "-g", plan.gpu, *self.set_options(),
                     *["--why"] * self.climbs)
        return (self.value(cycles / run["gpu"]["clock_mhz"], length, plan),
                run["findings"])

    def length(self, plan):
        return self.FULL

    def set_options(self):
        return [word for s in self.settings for word in ("--set", s)]

    def launch(self, plan, on):
        """How many blocks there are, and the path of a trace of the first
        `count` of them of an inner length: a function (length, count)."""
        raise NotImplementedError


@functools.cache
def digest_of(file):
    with open(os.path.join(launch.ROOT, KERNELS, file), "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def sketched(sketch, **parameters):
    """The path of a trace of a sketch, made once."""
    path = os.path.join(KERNELS, sketch)
    given = [word for name, value in sorted(parameters.items())
             for word in ("-p", f"{name}={value}")]
    return launch.keep(sketch.split(".")[0], "tegt", (digest_of(sketch), given),
                       lambda to: teg("convert", path, *given, to))


@functools.cache
def code_of(gpu):
    """The generation of a chip, 80 for sm_80."""
    sm = {row.split()[0]: int(row.split()[1][3:])
          for row in teg("gpus").splitlines()}.get(gpu)
    if sm is None:
        raise Failed(f"{gpu}: no such chip (teg gpus)")
    return sm


def code_for(gpu, older=False):
    """The newest of the compiled generations that the chip runs; for one that is
    `older` than all, if that will do, the first."""
    sm = code_of(gpu)
    fits = [code for code in GENERATIONS if code <= sm and
            code // 10 == sm // 10]
    if not fits and older and sm < min(GENERATIONS):
        fits = GENERATIONS[:1]
    if not fits:
        raise Failed(f"{gpu} is sm_{sm}; the compiled steps are for "
                     f"{', '.join(f'sm_{code}' for code in GENERATIONS)}")
    return f"sm_{max(fits)}"


def trace_words(gpu, file, kernel, grid, block, arguments, older):
    """A command of teg that traces a compiled kernel."""
    given = [part for a in arguments for part in ("-a", a)]
    return ["trace", f"{KERNELS}/{file}.fatbin", "--kernel", kernel, "--arch",
            code_for(gpu, older), "--grid", grid, "--block", block, *given]


def traced(folder, gpu, kernel, grid, block, *arguments, older=False):
    """Records a kernel of ladders.cu; the arguments of `run` that replay it."""
    path = os.path.join(folder, f"{kernel}-{grid.replace(',', 'x')}.tegt")
    teg(*trace_words(gpu, "ladders", kernel, grid, block, arguments, older),
        "-o", path)
    return [path, "-g", gpu]


def kept(gpu, file, kernel, grid, block, *arguments, older=False):
    """The path of a trace of a compiled kernel, made once."""
    words = trace_words(gpu, file, kernel, grid, block, arguments, older)
    return launch.keep(kernel, "tegt",
                       (digest_of(f"{file}.fatbin"), words),
                       lambda to: teg(*words, "-o", to))
