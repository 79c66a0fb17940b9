"""The ladders: where each was published, its steps, and how they are launched."""

import functools
import os

from kit import Failed, teg

KERNELS = "tests/kernels/ladders"
COMPILED = f"{KERNELS}/ladders.fatbin"
GENERATIONS = (75, 80, 90)


class Plan:
    """A step as it is to be simulated."""

    def __init__(self, name, published, next_, launches):
        self.name, self.published, self.next = name, published, next_
        self.launches = launches  # (gpu, size, folder) yields arguments of `run`


class Ladder:
    """`unit` of its numbers; `more`: larger ones are better.

    Problems: FULL as published, PART for what-ifs, SMALL for a quick look.
    STEPS: name, published number, finding that names what the next one changes,
    None where that is another algorithm."""
    name = title = source = unit = ""
    more = False
    FULL = PART = SMALL = 0
    STEPS = ()

    def steps(self):
        return [Plan(*step, functools.partial(self.launches, number))
                for number, step in enumerate(self.STEPS, 1)]


@functools.cache
def code_for(gpu):
    """The newest of the compiled generations that the chip runs."""
    sm = {row.split()[0]: int(row.split()[1][3:])
          for row in teg("gpus").splitlines()}.get(gpu)
    if sm is None:
        raise Failed(f"{gpu}: no such chip (teg gpus)")
    fits = [code for code in GENERATIONS if code <= sm and
            code // 10 == sm // 10]
    if not fits:
        raise Failed(f"{gpu} is sm_{sm}; {COMPILED} has code for "
                     f"{', '.join(f'sm_{code}' for code in GENERATIONS)}")
    return f"sm_{max(fits)}"


def traced(folder, gpu, kernel, grid, block, *arguments):
    """Records a compiled kernel; the arguments of `run` that replay it."""
    path = os.path.join(folder, f"{kernel}-{grid.replace(',', 'x')}.tegt")
    given = [part for a in arguments for part in ("-a", a)]
    teg("trace", COMPILED, "--kernel", kernel, "--arch", code_for(gpu),
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
    def value(us, size):
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
    def value(us, size):
        return 8 * size ** 2 / us / 1000


LADDERS = (Reduction(), Transpose())
