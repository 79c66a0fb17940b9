"""The ladders: where each was published, its steps, and how they are launched."""

import functools
import os

from kit import Failed, teg

KERNELS = "tests/kernels/ladders"
COMPILED = f"{KERNELS}/ladders.fatbin"
GENERATIONS = (75, 80, 90)


class Plan:
    """A step as it is to be simulated; `next_` as in Ladder.STEPS."""

    def __init__(self, name, published, next_, launches):
        self.name, self.published, self.next = name, published, next_
        self.launches = launches  # (gpu, size, folder) yields arguments of `run`


class Ladder:
    """`unit` of its numbers; `more`: larger ones are better.

    Problems: FULL as published, PART for what-ifs, SMALL for a quick look.
    `climbs`: each step follows from the one before.  STEPS: name, published number, finding that names what the next one changes,
    None where that is another algorithm."""
    name = title = source = unit = ""
    more, climbs = False, True
    FULL = PART = SMALL = 0
    STEPS = ()

    def steps(self, gpu):
        """Those published, or those to climb on another chip."""
        del gpu
        return [Plan(*step, functools.partial(self.launches, number))
                for number, step in enumerate(self.STEPS, 1)]


@functools.cache
def code_for(gpu, older=False):
    """The newest of the compiled generations that the chip runs; for one that is
    `older` than all, if that will do, the first."""
    sm = {row.split()[0]: int(row.split()[1][3:])
          for row in teg("gpus").splitlines()}.get(gpu)
    if sm is None:
        raise Failed(f"{gpu}: no such chip (teg gpus)")
    fits = [code for code in GENERATIONS if code <= sm and
            code // 10 == sm // 10]
    if not fits and older and sm < min(GENERATIONS):
        fits = GENERATIONS[:1]
    if not fits:
        raise Failed(f"{gpu} is sm_{sm}; {COMPILED} has code for "
                     f"{', '.join(f'sm_{code}' for code in GENERATIONS)}")
    return f"sm_{max(fits)}"


def traced(folder, gpu, kernel, grid, block, *arguments, older=False):
    """Records a compiled kernel; the arguments of `run` that replay it."""
    path = os.path.join(folder, f"{kernel}-{grid.replace(',', 'x')}.tegt")
    given = [part for a in arguments for part in ("-a", a)]
    teg("trace", COMPILED, "--kernel", kernel, "--arch", code_for(gpu, older),
        "--grid", grid, "--block", block, *given, "-o", path)
    return [path, "-g", gpu]


class Reduction(Ladder):
    """Launches until one block is left: all of them are the step's time."""
    name = "reduction"
    title = "Sum of 4 M integers, GeForce 8800 GTX"
    source = ('M. Harris, "Optimizing Parallel Reduction in CUDA", 2007; '
              "`tests/kernels/ladders/reduction.sketch`")
    unit = "ms"
    FULL, PART, SMALL = 1 << 22, 1 << 18, 1 << 14
    STEPS = (("interleaved addressing and divergent", 8.054, "divergence"),
             ("interleaved with bank conflicts", 3.456, "bank conflicts"),
             ("sequential addressing", 1.722, None),
             ("first addition while loading", 0.965, "uneven warps"),
             ("last warp unrolled", 0.536, None),
             ("all unrolled", 0.381, None),
             ("several elements a thread", 0.268, None))

    @staticmethod
    def launches(step, gpu, n, folder):
        while n > 1:
            each = 128 if step < 4 else 256
            blocks = (n + each - 1) // each
            if step == 7:
                blocks = min(blocks, 128)
            if gpu:
                yield traced(folder, gpu, f"reduce_{step}", str(blocks),
                             "128", f"buf:i32:{n}:zeros",
                             f"buf:i32:{blocks}:zeros", f"i32:{n}")
            else:
                yield [f"{KERNELS}/reduction.sketch", "-g", "8800gtx", "-p",
                       f"STEP={step}", "-p", f"N={n}"]
            n = blocks

    @staticmethod
    def value(us, size, name):
        del size, name
        return us / 1000


class Transpose(Ladder):
    name = "transpose"
    title = "Transpose of 2048 x 2048 floats, GeForce GTX 280"
    source = ('G. Ruetsch, P. Micikevicius, "Optimizing Matrix Transpose in '
              'CUDA", 2009; `tests/kernels/ladders/transpose.sketch`')
    unit = "GB/s"
    more = True
    FULL, PART, SMALL = 2048, 1024, 256
    STEPS = (("copy", 96.9, None),
             ("copy through shared memory", 80.9, None),
             ("naive transpose", 2.2, "uncoalesced accesses"),
             ("coalesced", 16.5, "bank conflicts"),
             ("without bank conflicts", 16.6, None),
             ("fine-grained: within tiles", 80.4, None),
             ("coarse-grained: of tiles", 16.7, "channel skew"),
             ("diagonal", 69.5, None))

    @staticmethod
    def launches(step, gpu, w, folder):
        if gpu:
            yield traced(folder, gpu, f"transpose_{step}",
                         f"{w // 32},{w // 32}", "32,8",
                         f"buf:f32:{w * w}:zeros", f"buf:f32:{w * w}:zeros",
                         f"i32:{w}")
        else:
            yield [f"{KERNELS}/transpose.sketch", "-g", "gtx280", "-p",
                   f"STEP={step}", "-p", f"W={w}"]

    @staticmethod
    def value(us, size, name):
        del name
        return 8 * size ** 2 / us / 1000


class Stream(Ladder):
    """The same five kernels on each chip; no step follows from another."""
    name = "stream"
    title = "Streams of 2^25 doubles, from Fermi to Ampere"
    source = ("BabelStream, as its repository and users publish it (below); "
              "`tests/kernels/ladders/ladders.cu`")
    unit = "GB/s"
    more, climbs = True, False
    FULL, SMALL = 1 << 25, 1 << 18
    KERNELS = ("copy", "mul", "add", "triad", "dot")
    # chip, blocks of the sum of products (None: it had none), published
    CHIPS = (("gtx580", None, (175.0, 175.0, 172.2, 172.1)),
             ("k20", None, (171.2, 172.8, 173.6, 173.6)),
             ("titanxp", 256, (433.2, 431.7, 436.5, 436.5, 436.0)),
             ("v100", 256, (811.7, 810.0, 845.8, 846.5, 887.4)),
             ("rtx2080ti", 256, (547.8, 544.9, 556.7, 556.8, 574.5)),
             ("a100", 432, (1400.3, 1360.4, 1369.6, 1377.5, 1353.5)),
             ("a100_80", 432, (1709.4, 1676.2, 1715.8, 1724.8, 1586.9)))
    ARRAYS = {"copy": 2, "mul": 2, "add": 3, "triad": 3, "dot": 2}

    def steps(self, gpu):
        chips = [(gpu, 432, [None] * 5)] if gpu else self.CHIPS
        return [Plan(f"{chip}: {kernel}", published, None, functools.partial(
                    self.launches, chip, kernel, blocks))
                for chip, blocks, numbers in chips
                for kernel, published in zip(self.KERNELS, numbers)]

    def launches(self, chip, kernel, blocks, gpu, n, folder):
        del gpu
        arrays = [f"buf:f64:{n}:zeros"] * self.ARRAYS[kernel]
        grid = n // 1024
        if kernel == "dot":
            grid = blocks
            arrays += [f"buf:f64:{grid}:zeros", f"i32:{n}"]
        yield [*traced(folder, chip, f"stream_{kernel}", str(grid), "1024",
                       *arrays, older=True), "--caches", "warm", "--sample"]

    def value(self, us, size, name):
        return 8 * self.ARRAYS[name.split(": ")[1]] * size / us / 1000


LADDERS = (Reduction(), Transpose(), Stream())
