"""From sources to traces to times.

Traces come from whole programs under `teg exec` (Run), or from one kernel
under `teg trace`, on two grids (Grids) or on two parts of its grid (Waves), the
difference of which is the time of what is left.  All know what their traces depend on (`key`), and make
them once.  `timed` replays them and gives, for each kernel in the order of its
launches, microseconds of the simulator and of each analytical model.
"""
import dataclasses
import functools
import json
import math
import os
import re
import shutil

import common
from common import Killed, Refused, command, digest, keep

KEPT = os.path.abspath(os.environ.get(
    "KEPT", os.path.join(common.ROOT, "build", "whole")))


@functools.lru_cache(maxsize=None)
def compiler():
    return command("nvcc", "--version")


@functools.lru_cache(maxsize=None)
def content(path):
    """A digest of a file's bytes, or of those of all files below a folder."""
    if os.path.isfile(path):
        with open(path, "rb") as f:
            return digest(f.read())
    files = sorted(os.path.join(at, f) for at, _, names in os.walk(path)
                   for f in names if not f.endswith((".bin", ".tmp", ".o")))
    return digest([(os.path.relpath(f, path), content(f)) for f in files])


# ---- programs ---------------------------------------------------------------

# What every program is compiled with besides its own flags: calls that
# CUDA 13 no longer has, and the runtime that `teg exec` puts itself for.
PORT = ("-w", "-DcudaThreadSynchronize=cudaDeviceSynchronize",
        "-DcudaThreadExit=cudaDeviceReset", "-cudart", "shared")


@dataclasses.dataclass(frozen=True)
class Build:
    """A CUDA program: `folders` of `root` (as a `version` of its repository had
    them) are copied, `edits` made in them ((file, expression, replacement)),
    files of our own added ((file, text)), and `sources` compiled."""
    name: str
    root: str
    folders: tuple
    sources: tuple
    arch: int
    flags: tuple = ("-O3",)
    edits: tuple = ()
    added: tuple = ()
    version: str = ""

    @functools.cached_property
    def key(self):
        return digest(self.sources, self.arch, self.flags, self.edits,
                      self.added, PORT, compiler(), self.version or
                      [content(os.path.join(self.root, f))
                       for f in self.folders])

    def program(self):
        folder = keep(KEPT, f"{self.name}-{self.key}", self._make)
        return os.path.join(folder, "program")

    def _make(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        if self.version:
            self._take_version(folder)
        for f in self.folders if not self.version else ():
            at, to = os.path.join(self.root, f), os.path.join(folder, f)
            if os.path.isdir(at):
                shutil.copytree(at, to, dirs_exist_ok=True)
            else:
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(at, to)
        for file, text in self.added:
            with open(os.path.join(folder, file), "w",
                      encoding="utf-8") as f:
                f.write(text)
        for edit in self.edits:
            self._edit(folder, *edit)
        command("nvcc", *PORT, *self.flags, "-gencode",
                f"arch=compute_{self.arch},code=sm_{self.arch}", "-o",
                "program", *self.sources, cwd=folder)

    def _take_version(self, folder):
        packed = folder + ".tar"
        command("git", "-C", self.root, "archive", "-o", packed, self.version,
                *self.folders)
        command("tar", "-xf", packed, "-C", folder)
        os.unlink(packed)

    def _edit(self, folder, file, expression, replacement):
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        text, count = re.subn(expression, replacement, text, flags=re.M)
        if count == 0:
            raise Refused(f"{self.name}: no '{expression}' in {file}")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


@dataclasses.dataclass(frozen=True)
class Run:
    """A program with its arguments on the device that it was compiled for, or on
    one that is said to have `sms` SMs, by which programs choose their grids.
    Warps that have to go side by side take turns by `interleave`."""
    build: Build
    device: str
    arguments: tuple
    loose: bool = False
    sms: int = 0
    interleave: str = ""

    @property
    def key(self):
        return digest(self.build.key, self.device, self.arguments, self.loose,
                      *([self.sms] if self.sms else []),
                      *([self.interleave] if self.interleave else []))

    def traces(self, teg, limit, gpu, words):
        del gpu, words
        name = f"{self.build.name}-{digest(self.key, teg.emulator)}.teg"
        folder = keep(KEPT, name, lambda path: self._make(teg, path, limit))
        return [os.path.join(folder, "kernels.json")]

    def _description(self, teg, folder):
        """What `teg exec` takes for the device."""
        if not self.sms:
            return self.device
        name = f"{self.device}-{self.sms}"
        path = os.path.join(folder, name + ".cfg")
        family = os.path.join(os.path.abspath(teg.config), self.device)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f'name = "{name}";\nfamily = "{family}.cfg";\n'
                    f'chip: {{ sms = ( {self.sms}, "V of whom it stands '
                    'for" ); };\n')
        return path

    def _make(self, teg, folder, limit):
        shutil.rmtree(folder, ignore_errors=True)
        program = self.build.program()
        device = self._description(teg, os.path.dirname(program))
        said = []
        command(teg.path, "exec", "--config-dir", teg.config, "-g",
                device, "-o", folder, *(["--loose"] * self.loose),
                *([f"--interleave={self.interleave}"] *
                  bool(self.interleave)), "--", program, *self.arguments,
                limit=limit, said=said, cwd=os.path.dirname(program))
        for line in said:
            if line.startswith("teg: ") and " launch" not in line:
                raise Refused(line)

    def whole(self, found):
        return found[0]


@dataclasses.dataclass(frozen=True)
class Grown:
    """A program on smaller problems than was measured: its time is the sum of
    theirs, each with a weight."""
    runs: tuple
    weights: tuple

    @property
    def key(self):
        return digest([r.key for r in self.runs], self.weights)

    def traces(self, teg, limit, gpu, words):
        return [t for r in self.runs
                for t in r.traces(teg, limit, gpu, words)]

    def whole(self, found):
        """Kernel by kernel, in the order of the launches."""
        if len({len(kernels) for kernels in found}) > 1:
            raise Refused("problems of two sizes launch other kernels")
        return [self._sum(same) for same in zip(*found)]

    def _sum(self, same):
        def grown(get):
            values = [get(k) for k in same]
            return (None if None in values else
                    sum(w * v for w, v in zip(self.weights, values)))
        return {**same[-1], "sampled": True, "us": grown(lambda k: k["us"]),
                "instructions": grown(lambda k: k["instructions"]),
                "models": {m: grown(lambda k, m=m: k["models"].get(m))
                           for m in same[-1]["models"]}}


# ---- one kernel -------------------------------------------------------------

# Models that take the whole chip whatever `teg run --sms` says.
WHOLE_CHIP = ("roofline", "data-flow")


@dataclasses.dataclass(frozen=True)
class Grids:
    """A kernel of `text` on two grids (or one that is all), `share` of the
    `blocks` of the whole launch being what the simulated SMs would run.
    `expected` are the warp instructions that a counter saw, if one did; where
    the kernel was cut in proportion (`cut`) they say by how much, else a kernel
    with more or less than 10 % of them is another than was measured."""
    name: str
    text: str
    arch: int
    flags: tuple
    kernel: str
    block: tuple
    arguments: tuple
    grids: tuple
    blocks: int
    share: float = 1.0
    expected: float = None
    cut: bool = False
    factor: float = 1.0  # where no counter says by how much it was cut

    @property
    def key(self):
        return digest(self.text, self.arch, self.flags, self.kernel,
                      self.block, self.arguments, self.grids, compiler())

    def _cubin(self, path):
        source = path + ".cu"
        with open(source, "w", encoding="utf-8") as f:
            f.write(self.text)
        command("nvcc", "-w", "-cubin", f"-arch=sm_{self.arch}", *self.flags,
                "-o", path, source)
        os.unlink(source)

    def traces(self, teg, limit, gpu, words):
        del gpu, words
        def trace(grid, path):
            words = [f"--grid={','.join(map(str, grid))}",
                     f"--block={','.join(map(str, self.block))}"]
            for a in self.arguments:
                words += ["-a", a]
            command(teg.path, "trace", cubin, "-j", "1", "-k", self.kernel,
                    *words, "-o", path, limit=limit)
        cubin = keep(KEPT, digest(self.text, self.flags, self.arch,
                                  compiler()) + ".cubin", self._cubin)
        name = f"{self.name}-{digest(self.key, teg.emulator)}"
        return [keep(KEPT, f"{name}-{i}.tegt",
                     lambda path, g=g: trace(g, path))
                for i, g in enumerate(self.grids)]

    def whole(self, found):
        """The launch of all blocks, linear in them."""
        few, many = found[0][0], found[-1][0]
        more = 0.0
        if len(found) > 1:
            a, b = (math.prod(g) for g in self.grids)
            more = (self.blocks * self.share - b) / (b - a)

        def grown(get):
            low, high = get(few), get(many)
            return (None if low is None or high is None else
                    high + (high - low) * more)
        work = grown(lambda k: k["instructions"]) / self.share
        scale = self._scale(work)

        def model(name):
            if self.share < 1 and name in WHOLE_CHIP:
                return None
            us = grown(lambda k: k["models"].get(name))
            return None if us is None else us * scale
        return [{**many, "sampled": more != 0 or scale != 1 or many["sampled"],
                 "us": grown(lambda k: k["us"]) * scale,
                 "instructions": work * scale,
                 "models": {m: model(m) for m in many["models"]}}]

    def _scale(self, instructions):
        if self.expected is None:
            return self.factor
        if self.cut:
            return self.expected / instructions
        if not 0.9 < instructions / self.expected < 1.1:
            raise Refused(f"another program than was measured: "
                          f"{instructions:.4g} warp instructions, "
                          f"{self.expected:.4g} were counted")
        return 1.0


# ---- replaying --------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Waves:
    """A kernel of `text` on the first blocks of its grid: those that fill the
    places of `sms` SMs as often as WAVES says, whose difference is the time of
    each further wave.  How many fill them the simulator says; the first wave
    begins together, so that it is none of the two.  `factor` is by how much the
    kernel was cut."""
    name: str
    text: str
    arch: int
    flags: tuple
    kernel: str
    block: tuple
    arguments: tuple
    grid: tuple
    sms: int
    chip: int            # SMs of the chip
    factor: float = 1.0

    WAVES = (2, 6)

    @property
    def key(self):
        return digest(self.text, self.arch, self.flags, self.kernel,
                      self.block, self.arguments, self.grid, self.sms,
                      self.chip, self.factor, self.WAVES, compiler())

    _cubin = Grids._cubin

    def _trace(self, teg, blocks, limit):
        cubin = keep(KEPT, digest(self.text, self.flags, self.arch,
                                  compiler()) + ".cubin", self._cubin)
        wide = min(blocks, self.grid[0])
        rows = common.ceil_div(blocks, wide)

        def make(path):
            words = [f"--grid={wide},{rows},1",
                     f"--block={','.join(map(str, self.block))}",
                     f"--blocks=0:{blocks}"]
            for a in self.arguments:
                words += ["-a", a]
            command(teg.path, "trace", cubin, "-j", "1", "-k", self.kernel,
                    *words, "-o", path, limit=limit)
        return keep(KEPT, f"{self.name}-{digest(self.key, teg.emulator)}-"
                    f"{blocks}.tegt", make)

    def traces(self, teg, limit, gpu, words):
        one = self._trace(teg, 1, limit)
        report = teg.report(one, gpu, words, limit)
        if "places" not in report["occupancy"]:
            raise Refused("that teg does not say how many blocks fit")
        wave = self.sms * report["occupancy"]["places"]
        if self.WAVES[-1] * wave > math.prod(self.grid):
            raise Refused("fewer blocks than are run here")
        return [self._trace(teg, n * wave, limit) for n in self.WAVES]

    def whole(self, found):
        """The launch of all blocks, linear in waves; a last one that is not
        full takes the share of a wave that it fills."""
        few, many = found[0][0], found[-1][0]
        wave = many["blocks"] / self.WAVES[-1] / self.sms
        more = ((math.prod(self.grid) / (wave * self.chip) - self.WAVES[-1]) /
                (self.WAVES[-1] - self.WAVES[0]))

        def grown(get):
            low, high = get(few), get(many)
            return (None if low is None or high is None else
                    (high + (high - low) * more) * self.factor)
        return [{**many, "sampled": True, "us": grown(lambda k: k["us"]),
                 "instructions": grown(lambda k: k["instructions"]) *
                 self.chip / self.sms,
                 "models": {m: None if m in WHOLE_CHIP else
                            grown(lambda k: k["models"].get(m))
                            for m in many["models"]}}]


@dataclasses.dataclass(frozen=True)
class Teg:
    """A program teg with its descriptions, and what it is told besides."""
    path: str
    config: str
    words: tuple = ()

    @functools.cached_property
    def key(self):
        return content(self.path)

    @functools.cached_property
    def emulator(self):
        """Changes when what runs the kernels does: the runtime library that
        programs get, which lies beside the program or is installed."""
        at = os.path.dirname(self.path)
        for f in ("cudart", os.path.join("..", "lib", "teg")):
            path = os.path.join(at, f, "libcudart.so.13")
            if os.path.exists(path):
                return content(path)
        return self.key

    @functools.cached_property
    def has_caches(self):
        """Whether `teg run` knows --caches: before, every launch began cold."""
        return "--caches" in command(self.path, "run", "--help")

    @functools.lru_cache(maxsize=None)
    def description(self, gpu):
        return command(self.path, "gpus", "--config-dir", self.config, gpu)

    def report(self, trace, gpu, words, limit):
        return json.loads(command(
            self.path, "run", trace, "-g", gpu, "-j", "1", "-f", "json",
            "--config-dir", self.config, *self.words, *words, limit=limit))

    def replayed(self, trace, gpu, words, limit):
        report = self.report(trace, gpu, words, limit)
        return [kernel(k) for k in report.get("kernels", [report])]


def kernel(r):
    """What is kept of a kernel's report."""
    mhz = r["gpu"]["clock_mhz"]
    return {"name": r["kernel"]["name"], "launches": r["kernel"]["launches"],
            "us": r["time_us"], "sampled": r["sampled"] is not None or
            r["represented"] is not None,
            "instructions": r["kernel"]["warp_instructions"],
            "blocks": r["kernel"]["blocks"],
            "bound": r["verdict"]["bound"], "incomplete": r["incomplete"],
            "models": {m["name"]: m["cycles"] / mhz if m["cycles"] else None
                       for m in r["models"]}}


def timed(how, gpu, words, teg, journal, limit):
    """Kernels of a whole launch or run; raises Refused."""
    key = digest(how.key, gpu, words, teg.words, teg.key, teg.emulator,
                 teg.description(gpu))
    found = journal.get(key)
    if found is None:
        try:
            found = [teg.replayed(t, gpu, words, limit)
                     for t in how.traces(teg, limit, gpu, words)]
        except Killed:
            raise
        except Refused as e:
            found = str(e)
        journal.put(key, f"{gpu} {getattr(how, 'name', '')}", found)
    if isinstance(found, str):
        raise Refused(found)
    return how.whole(found)
